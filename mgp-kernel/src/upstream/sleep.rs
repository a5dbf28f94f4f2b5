//! Servers that run on demand. They sleep until a request needs them, and sleep again when nothing has used them for a while. A server
//! that ended by itself without an error sleeps, too.

use super::{
    Link, Server,
    commands::{AfterEnd, Command, Commands, EndCommand, Wake},
    ending::{End, ask_to_shut_down},
    observer::ServerObserver,
    servers::Servers,
    supervision::{Prospect, Supervision},
};
use mgp_lifecycle::{
    gate::Drain,
    restart::{Exit, Restart, RestartBudget},
    state::{Outlook, ServerStatus},
};
use mgp_types::lifecycle::{RestartPolicy, ServerState, ShutdownReason};
use std::{ops::ControlFlow, sync::Arc, time::Duration};
use tokio::time::Instant;

/// The status reason of a server that no request has needed yet.
const NOT_STARTED: &str = "not started yet (lazy)";

/// The bounds of the interval between two checks of an unused server.
const LOOK: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));

impl Server {
    /// Returns whether the server waits for a request after an exit.
    pub(super) fn sleeps_after(&self, exit: &Exit) -> bool {
        match exit {
            Exit::Requested(ShutdownReason::IdleTimeout) => true,
            // The server has done its work, and the next request may need it again.
            Exit::Clean => self.spec.lazy || self.spec.restart.restart_policy == RestartPolicy::OnFailure,
            _ => false,
        }
    }

    /// Returns whether events are constantly forwarded to the server, so that it must not end.
    pub(super) fn is_audit_server(&self) -> bool {
        self.rights.trail.receiver.as_deref() == Some(self.id())
    }

    /// Returns whether the server is not running, and the next request that needs it starts it.
    #[must_use]
    pub fn is_on_demand(&self) -> bool {
        self.status().outlook == Outlook::OnDemand
    }

    /// Tries at once to start the server, if it is away and has listed nothing yet.
    pub(crate) fn try_if_unlisted(&self) {
        if self.greeting().is_none() && matches!(self.status().outlook, Outlook::StartBy(_)) {
            drop(self.path.demand.enter());
        }
    }

    /// Returns whether a call would be sent to the server now, would start it, or would wait for its first start.
    pub(crate) fn takes_calls(&self) -> bool {
        let is_up = || self.link().is_some() && self.path.gate.check().is_ok();
        self.path.breaker.check().is_ok() && (self.is_on_demand() || self.connection.is_recalled() || is_up())
    }

    /// Starts a server that waits for a request, and waits until it is up or has failed. Any other server is only waited for while it is
    /// starting. Returns whether the server is connected then.
    pub async fn wake(&self) -> bool {
        if self.is_on_demand() {
            self.commands.send(Command::Start).await;
        }
        let waits = |status: &ServerStatus| status.outlook == Outlook::OnDemand || comes_up(status);
        let mut status = self.watch_status();
        let settled = status.wait_for(|status| !waits(status)).await;
        // The sender lives as long as the server.
        settled.is_ok_and(|status| status.state == ServerState::Connected)
    }

    /// Returns whether the server is being started.
    #[must_use]
    pub fn is_coming_up(&self) -> bool {
        comes_up(&self.status())
    }

    /// Returns whether this kernel has started the server, and so may ask it to end.
    pub(super) fn has_own_process(&self) -> bool {
        self.spec.endpoint.is_own() && !self.shared.is_guest()
    }
}

/// Returns whether a server of this status is being started.
fn comes_up(status: &ServerStatus) -> bool {
    let is_to_start = matches!(status.outlook, Outlook::Open | Outlook::FirstStart | Outlook::StartAt(_));
    is_to_start && matches!(status.state, ServerState::Registered | ServerState::Connecting)
}

impl Servers {
    /// Marks a server to be started only when a request needs it.
    pub(crate) fn put_to_sleep(&self, server: &Server) {
        server.path.gate.machine().note(NOT_STARTED, Outlook::OnDemand);
        self.set_on_demand(server, true);
        server.connection.mark_first_start_done();
    }
}

/// Waits until a request or a subscription needs the server, or the operator starts it. Breaks if the server is stopped instead.
///
/// Each request starts the server once, but a subscription would repeatedly start a server that ends by itself. After such an end, starts
/// for subscriptions therefore count against the `budget`.
pub(super) async fn sleep(
    supervision: &Supervision,
    server: &Arc<Server>,
    commands: &mut Commands,
    budget: Option<&mut RestartBudget>,
) -> ControlFlow<Prospect> {
    let wake = tokio::select! {
        biased;
        wake = commands.next() => Ok(wake),
        () = server.path.demand.needed() => Ok(Wake::Start),
        start = watched(server, budget) => start.map(|()| Wake::Start),
    };
    let wake = match wake {
        Ok(wake) => wake,
        Err(used_up) => {
            supervision.gave_up(server, used_up.restarts, used_up.window).await;
            return ControlFlow::Break(Prospect::Rest);
        }
    };
    match (wake, commands.after_end()) {
        (Wake::Start, _) => ControlFlow::Continue(()),
        (Wake::End, Some(AfterEnd::Start)) => {
            supervision.restarting(server);
            ControlFlow::Continue(())
        }
        (Wake::End, Some(AfterEnd::Rest)) => {
            server
                .path
                .gate
                .machine()
                .note("stopped by the operator before a request needed it", Outlook::Final);
            supervision.servers.set_on_demand(server, false);
            supervision.stopped(server);
            ControlFlow::Break(Prospect::Rest)
        }
        (Wake::End, Some(AfterEnd::Leave) | None) => ControlFlow::Break(Prospect::Leave),
    }
}

/// The used-up restarts of a server.
struct UsedUp {
    restarts: u32,
    window: Duration,
}

/// Waits until a host is subscribed to a resource of the server and, with a `budget`, until the server may be started for it.
///
/// # Errors
/// [`UsedUp`] if the budget allows no more starts.
async fn watched(server: &Server, budget: Option<&mut RestartBudget>) -> Result<(), UsedUp> {
    server.watched().any().await;
    if let Some(budget) = budget {
        match budget.next(std::time::Instant::now()) {
            Restart::After(pause) => tokio::time::sleep(pause).await,
            Restart::GiveUp { restarts, window } => return Err(UsedUp { restarts, window }),
        }
        server.watched().any().await;
    }
    Ok(())
}

/// Returns whether something other than a request uses a server: a subscription, a running task, or another kernel.
fn is_used(server: &Arc<Server>, observer: &dyn ServerObserver) -> bool {
    !server.watched().is_empty()
        || server.channels.have_subscribers()
        || observer.runs_task(server)
        || server.shared.guests.are_there()
}

/// Waits until a connected server has been unused for its time limit, and begins to drain it. Does not return for a server without a
/// limit, unless the server was started only to list its tools.
pub(super) async fn unused(server: &Arc<Server>, observer: &dyn ServerObserver) -> Drain {
    let demand = &server.path.demand;
    let (mut since, mut lists_only) = (Instant::now(), server.connection.take_lists_only());
    loop {
        if is_used(server, observer) {
            since = Instant::now();
        }
        let unused = demand.unused_for().min(since.elapsed());
        lists_only = lists_only && demand.is_none() && !is_used(server, observer);
        let limit = if lists_only { Some(Duration::ZERO) } else { server.spec.idle_timeout };
        let Some(limit) = limit else { return std::future::pending().await };
        if unused >= limit
            && let Some(drain) =
                server.path.gate.drain_unused(demand, &why(limit), server.spec.shutdown_timeout)
        {
            return drain;
        }
        let (least, most) = LOOK;
        tokio::time::sleep(limit.saturating_sub(unused).clamp(least, most)).await;
    }
}

/// Returns the reason why an unused server is stopped.
fn why(limit: Duration) -> String {
    if limit.is_zero() {
        return NOT_STARTED.to_owned();
    }
    format!("idle: nothing used it for {limit:?}; the next request that needs it starts it")
}

/// Closes the connection of a server that drains because nothing uses it.
pub(super) async fn end_unused(
    servers: &Servers,
    server: &Arc<Server>,
    link: &Link,
    lifecycle: bool,
    drain: &Drain,
) -> End {
    let moved = drain.transition();
    servers.set_on_demand(server, true);
    servers.drains(server, moved.from, &moved.reason);
    if lifecycle && server.has_own_process() {
        let reason = ShutdownReason::IdleTimeout;
        let end = EndCommand { reason, limit: None, then: AfterEnd::Rest };
        ask_to_shut_down(server, link, &end, server.spec.shutdown_timeout).await;
    }
    End::unused(moved.reason.to_string())
}
