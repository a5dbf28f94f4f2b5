//! Servers that run on demand. They sleep until a request needs them, and sleep again when nothing has used them for a while. A server
//! that ended by itself without an error sleeps, too.

use super::{
    Link, Server,
    commands::{AfterEnd, Commands, EndCommand, Wake},
    ending::{End, ask_to_shut_down},
    observer::ServerObserver,
    servers::Servers,
    supervision::{Prospect, Supervision},
};
use mgp_lifecycle::{
    gate::Drain,
    restart::{Restart, RestartBudget},
    state::Outlook,
};
use mgp_types::lifecycle::ShutdownReason;
use std::{ops::ControlFlow, sync::Arc, time::Duration};
use tokio::time::Instant;

/// The status reason of a server that no request has needed yet.
const NOT_STARTED: &str = "not started yet (lazy)";

/// The bounds of the interval between two checks of an unused server.
const LOOK: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));

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

/// Returns whether something other than a request uses a server: a subscription or a running task.
fn is_used(server: &Arc<Server>, observer: &dyn ServerObserver) -> bool {
    !server.watched().is_empty() || server.channels.have_subscribers() || observer.runs_task(server)
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
