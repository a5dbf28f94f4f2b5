//! The lifecycle of one server: connecting, watching, stopping and restarting.

use super::{
    Link, Server,
    commands::{AfterEnd, Command, Commands, EndCommand, Wake},
    connect::{StartFailure, connect},
    ending::{End, close, disconnected, drain, is_started_again, outlook_after},
    inbound::Inbound,
    listening::keep_listening,
    pause::{pause, waits_because},
    relisting::keep_listing,
    servers::Servers,
    sleep::{end_unused, sleep, unused},
    supervision::{Prospect, Supervision},
};
use crate::ground::changes::Change;
use futures_util::FutureExt;
use mgp_client_sdk::session::ServerConnection;
use mgp_discovery::registration::Registration;
use mgp_lifecycle::{
    gate::Drain,
    health::{DownReason, HealthProbe, ProbeMethod, Verdict, monitor},
    restart::{Exit, RestartBudget},
    state::{Outlook, may_follow},
};
use mgp_security::audit::EventDraft;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    lifecycle::{HealthStatus, ServerState},
    negotiation::Extension,
};
use std::{
    any::Any,
    ops::ControlFlow,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::mpsc;

/// The maximum time that the supervisor of a connected server waits for the questions about its permissions to be opened.
const QUESTIONS_TIMEOUT: Duration = Duration::from_secs(5);

impl Supervision {
    /// Adds a server after the others, and starts its supervisor. Returns whether the kernel still accepts servers.
    pub(crate) fn add(
        &self,
        server: &Arc<Server>,
        registration: Option<Arc<Registration>>,
        commands: mpsc::Receiver<Command>,
    ) -> bool {
        let supervisor = || tokio::spawn(supervise(self.clone(), server.clone(), commands));
        self.servers.add(server.clone(), registration, supervisor)
    }
}

/// Keeps a server running until it is removed or the kernel stops. A server that ended permanently rests until the
/// operator starts it again.
pub(crate) async fn supervise(
    supervision: Supervision,
    server: Arc<Server>,
    commands: mpsc::Receiver<Command>,
) {
    let mut commands = Commands::new(commands);
    // Boxed, because the future is large.
    while Box::pin(keep_up(&supervision, &server, &mut commands)).await == Prospect::Rest {
        server.path.gate.machine().set_outlook(Outlook::Final);
        if rest(&supervision, &server, &mut commands).await == Prospect::Leave {
            break;
        }
    }
    server.path.gate.machine().set_outlook(server.succession.last_outlook());
}

/// Keeps a server running like [`supervise`], once the operator has started it.
pub(crate) async fn supervise_at_rest(
    supervision: Supervision,
    server: Arc<Server>,
    commands: mpsc::Receiver<Command>,
) {
    let mut waiting = Commands::new(commands);
    server.path.gate.machine().note("stopped by the operator", Outlook::Final);
    supervision.servers.set_on_demand(&server, false);
    server.connection.mark_first_start_done();
    if rest(&supervision, &server, &mut waiting).await == Prospect::Rest {
        supervise(supervision, server, waiting.into_received()).await;
    }
}

/// Keeps a server running until it ends permanently.
///
/// If this code panics, the server's connection ends, as after a failure of the server, and the panic is recorded. The server is
/// then restarted within its budget.
async fn keep_up(supervision: &Supervision, server: &Arc<Server>, commands: &mut Commands) -> Prospect {
    let mut budget = RestartBudget::new(server.spec.restart);
    let (mut sleeps, mut ended) = (server.is_on_demand(), false);
    loop {
        let counted = ended.then_some(&mut budget);
        if sleeps && let ControlFlow::Break(prospect) = sleep(supervision, server, commands, counted).await {
            return prospect;
        }
        (sleeps, ended) = (false, false);
        let life = Box::pin(live(supervision, server, &mut budget, commands));
        let life = AssertUnwindSafe(life).catch_unwind().await;
        let exit = match life {
            Ok(exit) => exit,
            Err(panic) => {
                // A server that was asked to stop stays stopped.
                let commanded = commands.commanded().map(|end| end.reason.clone());
                let exit = commanded.map_or(Exit::Failed, Exit::Requested);
                panicked(supervision, server, &text_of(panic), outlook_after(server, &budget, &exit)).await;
                exit
            }
        };
        match commands.after_end() {
            Some(AfterEnd::Leave) => return Prospect::Leave,
            Some(AfterEnd::Rest) => {
                supervision.stopped(server);
                return Prospect::Rest;
            }
            Some(AfterEnd::Start) => {
                supervision.restarting(server);
                supervision.observer.set_stopped(server, false);
                budget = RestartBudget::new(server.spec.restart);
                continue;
            }
            None => {}
        }
        sleeps = server.sleeps_after(&exit);
        ended = matches!(exit, Exit::Clean);
        if sleeps {
            continue;
        }
        if !is_started_again(server, &exit) {
            return Prospect::Rest;
        }
        if let ControlFlow::Break(prospect) = pause(supervision, server, commands, &mut budget, &exit).await {
            return prospect;
        }
    }
}

/// Waits until the operator starts a server that ended permanently, or the server is removed.
async fn rest(supervision: &Supervision, server: &Arc<Server>, commands: &mut Commands) -> Prospect {
    loop {
        match (commands.next().await, commands.after_end()) {
            (Wake::Start, _) => {}
            (Wake::End, Some(AfterEnd::Start)) => supervision.restarting(server),
            (Wake::End, Some(AfterEnd::Rest)) => {
                if server.status().state == ServerState::Error {
                    let why = "stopped after it had failed";
                    supervision.servers.move_with(server, ServerState::Disconnected, why, Outlook::Final);
                }
                supervision.stopped(server);
                continue;
            }
            (Wake::End, Some(AfterEnd::Leave) | None) => return Prospect::Leave,
        }
        supervision.observer.set_stopped(server, false);
        return Prospect::Rest;
    }
}

/// Connects a server and watches it until its connection ends.
async fn live(
    supervision: &Supervision,
    server: &Arc<Server>,
    budget: &mut RestartBudget,
    commands: &mut Commands,
) -> Exit {
    let reason_before = server.status().reason;
    let attempt = tokio::select! {
        biased;
        end = commands.end() => {
            server.connection.mark_first_start_done();
            // Ends the waits for the start.
            server.connection.note_start();
            // The command may have arrived before the attempt, and then there is nothing to stop.
            if may_follow(server.status().state, ServerState::Disconnected) {
                let why = "stopped while it started";
                supervision.servers.move_with(server, ServerState::Disconnected, why, end.outlook(server.succession.last_outlook()));
            } else {
                // Notifies the waiting tasks even if only the number of starts changed.
                server.path.gate.machine().note("stopped before it started", end.outlook(server.succession.last_outlook()));
            }
            return Exit::Requested(end.reason);
        }
        attempt = async {
            let outlook = if server.connection.is_recalled() { Outlook::FirstStart } else { Outlook::Open };
            supervision.servers.move_with(server, ServerState::Connecting, "starting", outlook);
            server.connection.note_start();
            connect(server, &Inbound::new(&supervision.observer, server)).await
        } => attempt,
    };
    match attempt {
        Ok((connection, link)) => {
            budget.up(Instant::now());
            connected(supervision, server, &link).await;
            let end = watch(supervision, server, &link, &connection, commands).await;
            close(&supervision.servers, server, connection, end, budget).await
        }
        Err(StartFailure { why, exit }) => {
            server.connection.mark_first_start_done();
            // Later requests may trigger the next attempt.
            server.path.demand.note_failed_attempt();
            let outlook = outlook_after(server, budget, &exit);
            supervision.servers.move_with(server, ServerState::Error, &why, outlook);
            // There may be endless attempts, so a failure is only recorded if its reason is new.
            if *reason_before == *waits_because(&why) {
                tracing::debug!(server = server.id(), error = why, "failed to connect again");
            } else {
                tracing::warn!(server = server.id(), error = why, "failed to connect");
                let event = disconnected(server, AuditResult::Failure, &why);
                server.rights.trail.store(event.finish()).await;
            }
            exit
        }
    }
}

/// Returns the message of a panic.
fn text_of(panic: Box<dyn Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => (*panic.downcast::<&str>().unwrap_or_else(|_| Box::new("no message"))).to_owned(),
    }
}

/// Records that the supervisor of a server panicked. The server's connection and its process ended with the panic.
async fn panicked(supervision: &Supervision, server: &Server, text: &str, outlook: Outlook) {
    tracing::error!(server = server.id(), panic = text, "the supervisor of a server panicked");
    server.connection.disconnect();
    server.channels.forget();
    server.connection.mark_first_start_done();
    let why = format!("internal error: its supervisor panicked: {text}");
    match server.status().state {
        ServerState::Error => server.path.gate.machine().set_outlook(outlook),
        // These states have no other transition to the error state.
        ServerState::Registered | ServerState::Disconnected => {
            supervision.servers.move_to(server, ServerState::Connecting, &why);
            supervision.servers.move_with(server, ServerState::Error, &why, outlook);
        }
        _ => supervision.servers.move_with(server, ServerState::Error, &why, outlook),
    }
    let event = disconnected(server, AuditResult::Failure, &why).detail("supervisor_panicked", &true);
    server.rights.trail.store(event.finish()).await;
}

async fn connected(supervision: &Supervision, server: &Arc<Server>, link: &Arc<Link>) {
    let Supervision { servers, listings, observer, .. } = supervision;
    server.path.breaker.reset();
    server.connection.connect(link);
    let event = EventDraft::new(AuditEventType::ServerConnected, &server.rights.trail.myself)
        .server(server.id())
        .detail("protocol_version", &link.version)
        .detail("name", &link.server_info.name)
        .detail("mgp", &link.negotiated.is_some());
    // Recorded before any call of its tools.
    server.rights.trail.store(event.finish()).await;
    // The catalogue is updated first: clients that see the server connected may call its tools.
    observer.tools_listed(server).await;
    for (area, change) in [("resources", Change::Resources), ("prompts", Change::Prompts)] {
        if link.capabilities.has(area) {
            observer.offers_changed(change);
        }
    }
    servers.warn_of_resource_overlaps();
    listings.keep(server).await;
    observer.listed(server);
    server.connection.mark_first_start_done();
    servers.move_to(server, ServerState::Connected, "connected");
    observer.connected(server).await;
    // A kernel that is stopped at once waits for its supervisors, so after the time limit the questions are left to
    // the operator.
    let _ = tokio::time::timeout(QUESTIONS_TIMEOUT, observer.announce_permissions(server, link)).await;
}

/// The cause of the end of a working server.
enum EndCause {
    Commanded(EndCommand),
    /// Nothing uses the server, which is already draining.
    Unused(Drain),
}

/// Watches a connected server until it has to end.
async fn watch(
    supervision: &Supervision,
    server: &Arc<Server>,
    link: &Arc<Link>,
    connection: &ServerConnection,
    commands: &mut Commands,
) -> End {
    let lifecycle = link.negotiated.as_ref().is_some_and(|negotiated| negotiated.has(Extension::Lifecycle));
    let method = if lifecycle { ProbeMethod::Mgp } else { link.session.probe_method() };
    let ended = {
        let health = keep_asking(&supervision.servers, server, link, method);
        // Runs concurrently, because a server that never lists its tools again must not block its supervisor.
        let listing = keep_listing(supervision, server, link);
        let observer = &supervision.observer;
        let inbound = Inbound::new(observer, server);
        let listening = keep_listening(server, link, &inbound, connection.renewals(), observer);
        let accompanying = observer.while_connected(server, link, method);
        let unused = unused(server, &**observer);
        tokio::pin!(health, listing, listening, accompanying, unused);
        tokio::select! {
            biased;
            end = commands.end() => Err(EndCause::Commanded(end)),
            drain = &mut unused => Err(EndCause::Unused(drain)),
            () = connection.peer().closed() => Ok(End::failed("the connection ended")),
            down = &mut health => Ok(End::failed(format!("gave it up: {down:?}"))),
            () = &mut listing => Ok(End::failed("its tools are no longer followed")),
            () = &mut listening => Ok(End::failed("its changes are no longer followed")),
            () = &mut accompanying => Ok(End::failed("audit events are no longer forwarded to it")),
        }
    };
    match ended {
        Ok(end) => end,
        // The futures above are dropped: an unfinished list would delay those of all other servers.
        Err(EndCause::Unused(drain)) => {
            Box::pin(end_unused(&supervision.servers, server, link, lifecycle, &drain)).await
        }
        Err(EndCause::Commanded(end)) => {
            if end.then == AfterEnd::Rest {
                supervision.observer.set_stopped(server, true);
            }
            Box::pin(drain(&supervision.servers, server, link, lifecycle, commands, end)).await
        }
    }
}

/// Checks the health of a server until the server is down. A server with MGP's health check is checked at once, because it may report
/// that it takes no calls. Any other server has just shown that it answers.
///
/// Any message of a server without MGP's health check shows that it is alive, even if its answers to the checks are missing.
///
/// A server without MGP's health check may be unable to answer while it runs a tool, or may not know the method at all. While calls are running,
/// its silence only counts once it has lasted longer than any call may. By then the server should have answered between two calls. A server that
/// never answered a check is given up only for its silence to calls. These are running calls, or a call that timed out since the server sent
/// something.
async fn keep_asking(servers: &Servers, server: &Server, link: &Link, method: ProbeMethod) -> DownReason {
    let peer = &link.session.peer;
    let (mut heard, mut received) = (tokio::time::Instant::now(), peer.received_count());
    let (mut has_answered, mut busy_since, mut unanswered) = (false, None, link.unanswered_count());
    let mut health = None;
    let pause = server.spec.health_pause;
    let longest_call = server.spec.call_timeout.saturating_add(pause);
    loop {
        let mut observe = |verdict: &Verdict| {
            if let Verdict::Alive(status) = verdict {
                (heard, received) = (tokio::time::Instant::now(), peer.received_count());
                has_answered = true;
                if std::mem::replace(&mut health, *status) != *status {
                    servers.set_health(server, *status);
                }
                let is_unhealthy = *status == Some(HealthStatus::Unhealthy);
                server.path.breaker.set_unhealthy(is_unhealthy.then(|| heard + pause));
            }
        };
        let mut probe = HealthProbe::new(link.control(), method);
        if method == ProbeMethod::Mgp {
            observe(&probe.probe().await);
        }
        let down = monitor(probe, pause, observe).await;
        // Only silence is excused, and not that of a server with MGP, which answers checks.
        if method == ProbeMethod::Mgp || !matches!(down, DownReason::Unresponsive { is_silent: true, .. }) {
            return down;
        }
        let (before, is_busy) =
            (std::mem::replace(&mut received, peer.received_count()), server.path.gate.in_flight() > 0);
        if received != before {
            (heard, busy_since) = (tokio::time::Instant::now(), None);
            unanswered = link.unanswered_count();
            tracing::debug!(
                server = server.id(),
                "it answers no checks, and is alive: it sends other messages"
            );
            continue;
        }
        // A call may begin and end between two of these checks.
        let owes_answer = is_busy || link.unanswered_count() != unanswered;
        busy_since = if owes_answer { busy_since.or(Some(tokio::time::Instant::now())) } else { None };
        let since = if has_answered { is_busy.then_some(heard) } else { busy_since };
        let is_excused = match since {
            Some(since) => since.elapsed() <= longest_call,
            None => !has_answered,
        };
        if !is_excused {
            return down;
        }
        tracing::debug!(server = server.id(), is_busy, "its silence does not count yet");
    }
}
