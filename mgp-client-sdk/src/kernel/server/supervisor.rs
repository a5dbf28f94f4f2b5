//! The life of one server: connected, watched, stopped, started again.

use super::{
    Command, Link, Server,
    connect::connect,
    ending::{End, close, disconnected, drain, outlook_after},
    inbound::Inbound,
    listening::keep_listening,
    listing::list_tools,
};
use crate::{
    kernel::{audit_forwarding::forward_to_server, changes::Change, core::Core},
    session::ServerConnection,
};
use futures_util::FutureExt;
use mgp_lifecycle::{
    health::{DownReason, HealthProbe, ProbeMethod, Verdict, monitor},
    restart::{Exit, Restart, RestartBudget, restarts},
    state::Outlook,
};
use mgp_security::audit::EventDraft;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    lifecycle::{HealthStatus, ServerState, ShutdownReason},
    negotiation::Extension,
};
use std::{
    any::Any,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::mpsc;

/// Keeps a server up until it is asked to stop, ends for good, or the kernel is gone.
///
/// A panic of the code that keeps the server up ends the server's connection, as a failure of the server does, and is recorded. The
/// server is then started again within its budget.
pub(crate) async fn supervise(core: Arc<Core>, server: Arc<Server>, commands: mpsc::Receiver<Command>) {
    let mut budget = RestartBudget::new(server.spec.restart);
    let mut commands = Commands { received: commands, stop: None };
    loop {
        let life = AssertUnwindSafe(live(&core, &server, &mut budget, &mut commands)).catch_unwind().await;
        let exit = match life {
            Ok(Some(exit)) => exit,
            Ok(None) => break,
            Err(panic) => {
                // One that was asked to stop stays stopped.
                let exit = commands.stop.take().map_or(Exit::Failed, Exit::Requested);
                panicked(&core, &server, &text_of(panic), outlook_after(&server, &budget, &exit)).await;
                exit
            }
        };
        if !restarts(server.spec.restart.restart_policy, &exit) {
            break;
        }
        match budget.next(Instant::now()) {
            Restart::After(pause) => {
                let start = tokio::time::Instant::now().checked_add(pause);
                let outlook = start.map_or(Outlook::Open, Outlook::StartAt);
                core.servers.move_with(
                    &server,
                    ServerState::Restarting,
                    "waits to be started again",
                    outlook,
                );
                if stopped_while(pause, &mut commands).await {
                    let why = "stopped while it waited to be started again";
                    core.servers.move_with(&server, ServerState::Disconnected, why, Outlook::Final);
                    break;
                }
            }
            Restart::GiveUp { restarts, window } => {
                if server.status().state != ServerState::Error {
                    // One that ended well is disconnected, and would be started again.
                    let restarting = ServerState::Restarting;
                    core.servers.move_with(&server, restarting, "would be started again", Outlook::Final);
                    core.servers.move_with(
                        &server,
                        ServerState::Error,
                        "used its restarts up",
                        Outlook::Final,
                    );
                }
                server.gate.machine().set_outlook(Outlook::Final);
                let event =
                    disconnected(&core.trail, &server, AuditResult::Failure, "restart_limit_exceeded")
                        .detail("restart_limit_exceeded", &true)
                        .detail("restarts", &restarts)
                        .detail("window_secs", &window.as_secs());
                core.trail.store(event.finish()).await;
                break;
            }
        }
    }
    server.gate.machine().set_outlook(Outlook::Final);
}

/// The commands to a supervisor, and the stop that it has received.
struct Commands {
    received: mpsc::Receiver<Command>,
    stop: Option<ShutdownReason>,
}

impl Commands {
    /// Waits until the server is to stop: by a command, or because the kernel is gone.
    async fn stop(&mut self) -> ShutdownReason {
        let reason = match self.received.recv().await {
            Some(Command::Stop(reason)) => reason,
            None => ShutdownReason::KernelShutdown,
        };
        self.stop = Some(reason.clone());
        reason
    }
}

/// Connects a server and watches it until its connection ends. Returns `None` if the server was asked to stop before it was connected.
async fn live(
    core: &Arc<Core>,
    server: &Arc<Server>,
    budget: &mut RestartBudget,
    commands: &mut Commands,
) -> Option<Exit> {
    let attempt = tokio::select! {
        biased;
        _ = commands.stop() => {
            server.tried();
            // One that was never tried stays as it is.
            if server.status().state != ServerState::Registered {
                let why = "stopped while it started";
                core.servers.move_with(server, ServerState::Disconnected, why, Outlook::Final);
            }
            return None;
        }
        attempt = async {
            server.starts();
            core.servers.move_to(server, ServerState::Connecting, "starting");
            connect(server, &Inbound::new(core, server)).await
        } => attempt,
    };
    match attempt {
        Ok((connection, link)) => {
            budget.up(Instant::now());
            connected(core, server, &link).await;
            let end = watch(core, server, &link, &connection, commands).await;
            Some(close(core, server, connection, end, budget).await)
        }
        Err(why) => {
            tracing::warn!(server = server.id(), error = why, "failed to connect");
            server.tried();
            let outlook = outlook_after(server, budget, &Exit::Failed);
            core.servers.move_with(server, ServerState::Error, &why, outlook);
            core.trail.store(disconnected(&core.trail, server, AuditResult::Failure, &why).finish()).await;
            Some(Exit::Failed)
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
async fn panicked(core: &Core, server: &Server, text: &str, outlook: Outlook) {
    tracing::error!(server = server.id(), panic = text, "the supervisor of a server panicked");
    server.link.store(None);
    server.channels.forget();
    server.tried();
    let why = format!("internal error: its supervisor panicked: {text}");
    match server.status().state {
        ServerState::Error => server.gate.machine().set_outlook(outlook),
        // From here there is no other way to the error.
        ServerState::Registered | ServerState::Disconnected => {
            core.servers.move_to(server, ServerState::Connecting, &why);
            core.servers.move_with(server, ServerState::Error, &why, outlook);
        }
        _ => core.servers.move_with(server, ServerState::Error, &why, outlook),
    }
    let event =
        disconnected(&core.trail, server, AuditResult::Failure, &why).detail("supervisor_panicked", &true);
    core.trail.store(event.finish()).await;
}

async fn connected(core: &Arc<Core>, server: &Arc<Server>, link: &Arc<Link>) {
    server.breaker.reset();
    server.link.store(Some(link.clone()));
    // The catalogue first: whoever sees the server connected may call its tools.
    core.tools_changed(server).await;
    for (area, change) in [("resources", Change::Resources), ("prompts", Change::Prompts)] {
        if link.capabilities.has(area) {
            core.hosts.changed(change);
        }
    }
    server.tried();
    core.servers.move_to(server, ServerState::Connected, "connected");
    let event = EventDraft::new(AuditEventType::ServerConnected, &core.trail.myself)
        .server(server.id())
        .detail("protocol_version", &link.version)
        .detail("name", &link.server_info.name)
        .detail("mgp", &link.negotiated.is_some());
    core.trail.store(event.finish()).await;
    core.announce_permissions(server, link);
}

/// Watches a connected server until something ends it.
async fn watch(
    core: &Arc<Core>,
    server: &Arc<Server>,
    link: &Arc<Link>,
    connection: &ServerConnection,
    commands: &mut Commands,
) -> End {
    let lifecycle = link.negotiated.as_ref().is_some_and(|negotiated| negotiated.has(Extension::Lifecycle));
    let method = if lifecycle { ProbeMethod::Mgp } else { link.session.probe_method() };
    let ended = {
        let health = keep_asking(server, link, method);
        // Beside the others, because a server that never lists again must not deafen its supervisor.
        let listing = keep_listing(core, server, link);
        let inbound = Inbound::new(core, server);
        let listening = keep_listening(server, link, &inbound, connection.renewals(), &core.events);
        let forwarding = forward_to_server(core, server, link, method);
        tokio::pin!(health, listing, listening, forwarding);
        tokio::select! {
            biased;
            reason = commands.stop() => Err(reason),
            () = connection.peer().closed() => Ok(End::failed("the connection ended")),
            down = &mut health => Ok(End::failed(format!("gave it up: {down:?}"))),
            () = &mut listing => Ok(End::failed("its tools are no longer followed")),
            () = &mut listening => Ok(End::failed("its changes are no longer followed")),
            () = &mut forwarding => Ok(End::failed("audit events are no longer forwarded to it")),
        }
    };
    match ended {
        Ok(end) => end,
        // Nothing of the above is left: a list that was being taken over would hold up those of all other servers.
        Err(reason) => drain(&core.servers, server, link, lifecycle, reason).await,
    }
}

/// Checks the health of a server until the server is down.
///
/// A server without MGP's health check may be unable to answer while it runs a tool. While calls run, its silence counts only once
/// the silence has lasted longer than any call may: by then the server should have answered between two calls.
async fn keep_asking(server: &Server, link: &Link, method: ProbeMethod) -> DownReason {
    let mut heard = tokio::time::Instant::now();
    let pause = server.spec.health_pause;
    loop {
        let observe = |verdict: &Verdict| {
            if let Verdict::Alive(status) = verdict {
                heard = tokio::time::Instant::now();
                let is_unhealthy = *status == Some(HealthStatus::Unhealthy);
                server.breaker.set_unhealthy(is_unhealthy.then(|| heard + pause));
            }
        };
        let down = monitor(HealthProbe::new(link.control(), method), pause, observe).await;
        let busy = method != ProbeMethod::Mgp
            && server.gate.in_flight() > 0
            && heard.elapsed() <= server.spec.call_timeout.saturating_add(pause);
        match down {
            DownReason::Unresponsive { .. } if busy => {
                tracing::debug!(server = server.id(), "busy: it does not answer while a call runs");
            }
            down => return down,
        }
    }
}

/// The least time between two readings of a server's tools, however often it says that they changed.
const LISTING_PAUSE: Duration = Duration::from_secs(1);

/// The number of attempts to read a server's tools. After them, the last list stays until the server says again that its tools changed.
const LISTING_TRIES: u32 = 5;

/// Reads a server's lists again each time the server says that they changed. Does not return.
async fn keep_listing(core: &Arc<Core>, server: &Arc<Server>, link: &Arc<Link>) {
    loop {
        let changed = server.changes.next().await;
        // A server announces more changes than there are.
        if changed.has(Change::Resources) && server.offers.read_resources(server, link).await {
            core.hosts.changed(Change::Resources);
        }
        if changed.has(Change::Prompts) && server.offers.read_prompts(server, link).await {
            core.hosts.changed(Change::Prompts);
        }
        if changed.has(Change::Tools) {
            list_tools_again(core, server, link).await;
        }
        tokio::time::sleep(LISTING_PAUSE).await;
    }
}

async fn list_tools_again(core: &Arc<Core>, server: &Arc<Server>, link: &Arc<Link>) {
    let mut pause = LISTING_PAUSE;
    // A server that is busy now may list them later.
    for _ in 0..LISTING_TRIES {
        match tokio::time::timeout(server.spec.startup_timeout, list_tools(link, server)).await {
            Ok(Ok(tools)) => {
                server.set_tools(tools);
                core.tools_changed(server).await;
                core.announce_permissions(server, link);
                return;
            }
            Ok(Err(error)) => {
                tracing::warn!(server = server.id(), %error, "failed to read its tools again");
            }
            Err(_) => tracing::warn!(server = server.id(), "took too long to list its tools again"),
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
}

/// Waits, and returns whether the server was asked to stop meanwhile.
async fn stopped_while(pause: Duration, commands: &mut Commands) -> bool {
    tokio::select! {
        () = tokio::time::sleep(pause) => false,
        _ = commands.stop() => true,
    }
}
