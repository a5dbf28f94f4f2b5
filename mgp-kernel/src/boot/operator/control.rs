//! Starts and stops single servers on the operator's command.

use super::methods::OperatorHandles;
use crate::upstream::{AfterEnd, Command, EndCommand, Server, servers::Servers};
use mgp_lifecycle::state::{Outlook, ServerStatus, may_follow};
use mgp_security::audit::EventDraft;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::Principal,
    error::ErrorCode,
    lifecycle::{ControlServerParams, ControlServerResult, ServerAction, ServerState, ShutdownReason},
    printable::quoted,
    rpc::ErrorObject,
};
use std::{sync::Arc, time::Duration};

/// The type of the event that records that a principal started or stopped a server.
const SERVER_CONTROLLED: &str = "dev.cloto.mgp.SERVER_CONTROLLED";
/// The maximum length of an id in an error, and of a reason, in characters.
const MAX_TEXT: usize = 1000;
/// The maximum time limit for running calls, in milliseconds.
const MAX_TIMEOUT_MS: u64 = 3_600_000;
/// The maximum number of servers in an error.
const MAX_NAMED: usize = 20;
/// The time for the steps of a command in addition to the limits of the server.
const SLACK: Duration = Duration::from_secs(5);

/// Carries out a command, and waits for its end within the limits of the server.
pub(super) async fn control(
    handles: Arc<OperatorHandles>,
    caller: Principal,
    params: ControlServerParams,
) -> Result<ControlServerResult, ErrorObject> {
    check(&params)?;
    let server = find(&handles.servers, &params.server_id)?;
    // Read before any wait, because a start in the meantime also ends the wait for a start. The state is read last, because a start
    // is counted after its state is set.
    let starts = server.connection.starts();
    let before = server.status();
    let previous_state = before.state;
    let mut action = as_carried_out(params.action, previous_state);
    let limit = match params.action {
        ServerAction::Stop => Some(Duration::ZERO),
        _ => params.timeout_ms.map(Duration::from_millis),
    };
    let event = |result| {
        let event = EventDraft::new(AuditEventType::from(SERVER_CONTROLLED), &caller)
            .server(server.id())
            .result(result)
            .detail("action", params.action.as_str())
            .detail("previous_state", previous_state.as_str());
        match params.reason.as_deref() {
            Some(reason) => event.detail("reason", reason),
            None => event,
        }
    };
    let place = may(&server, params.action, previous_state).and_then(|()| {
        let problem = || format!("too many commands for server {:?} wait: wait for their end", server.id());
        server.commands.reserve().ok_or_else(|| ErrorCode::ResourceExhausted.error_unsent(problem()))
    });
    let place = match place {
        Ok(place) => place,
        Err(refusal) => {
            handles
                .trail
                .store(event(AuditResult::Blocked).detail("refusal", &refusal.message).finish())
                .await;
            return Err(refusal);
        }
    };
    if let Err(error) = handles.trail.sink.record(event(AuditResult::Success).finish()).await {
        tracing::error!(%error, "a command for a server is refused, because it could not be recorded");
        return Err(ErrorObject::internal("internal error: the audit trail cannot be written"));
    }
    let starts = if action == ServerAction::Start { starts } else { server.connection.starts() };
    place.send(command(action, limit));
    match action {
        ServerAction::Start => handles.instances.end_failed(&server),
        _ => handles.instances.end_of(&server, limit),
    }
    let shutdown = limit.unwrap_or(server.spec.shutdown_timeout);
    let patience = shutdown
        .saturating_add(server.spec.shutdown_timeout.saturating_mul(2))
        .saturating_add(server.spec.startup_timeout)
        .saturating_add(SLACK);
    let (mut now, mut starts) = (server.clone(), starts);
    let carried_out = async {
        settled(&handles.servers, &now, action, &before, starts).await;
        while let Some(next) = successor(&handles, &now).await {
            (now, starts) = (next, 0);
            // The server starts with its new settings, unless its predecessor was stopped.
            if action == ServerAction::Restart {
                action = ServerAction::Start;
            }
            let Some(place) = now.commands.reserve() else { return false };
            let before = now.status();
            place.send(command(action, limit));
            settled(&handles.servers, &now, action, &before, starts).await;
        }
        true
    };
    let done = tokio::time::timeout(patience, carried_out).await.unwrap_or(false);
    if matches!(params.action, ServerAction::Stop | ServerAction::Drain) {
        // Requests may have started instances until the server was stopped.
        handles.instances.end_of(&now, limit);
    }
    let starts_again = matches!(params.action, ServerAction::Start | ServerAction::Restart);
    if starts_again && now.connection.starts() <= starts && handles.servers.is_closed() {
        return Err(kernel_ends(now.id()));
    }
    let status = now.status();
    Ok(ControlServerResult {
        server_id: params.server_id,
        previous_state,
        state: status.state,
        reason: status.reason.to_string(),
        done,
    })
}

fn command(action: ServerAction, limit: Option<Duration>) -> Command {
    let end = |reason, then| Command::End(EndCommand { reason, limit, then });
    match action {
        ServerAction::Start => Command::Start,
        ServerAction::Stop | ServerAction::Drain => end(ShutdownReason::OperatorRequest, AfterEnd::Rest),
        ServerAction::Restart => end(ShutdownReason::ConfigurationChange, AfterEnd::Start),
    }
}

/// Waits until a command is carried out, or a reload replaces the server.
async fn settled(
    servers: &Servers,
    server: &Server,
    action: ServerAction,
    before: &ServerStatus,
    starts: u64,
) {
    let mut status = server.watch_status();
    let is_started = || server.connection.starts() > starts;
    let settled = status.wait_for(|status| match (action, status.state) {
        // A server that waited for a request is stopped once it no longer waits. A server that replaced another is not stopped
        // before its predecessor has ended.
        (ServerAction::Stop | ServerAction::Drain, ServerState::Registered | ServerState::Disconnected) => {
            !matches!(
                status.outlook,
                Outlook::OnDemand
                    | Outlook::FirstStart
                    | Outlook::Open
                    | Outlook::StartAt(_)
                    | Outlook::StartBy(_)
            )
        }
        (ServerAction::Stop | ServerAction::Drain, _) => is_started(),
        // A server that another command stopped meanwhile is not started by this one.
        (
            ServerAction::Start | ServerAction::Restart,
            ServerState::Registered | ServerState::Disconnected,
        ) if status.outlook == Outlook::Final => {
            before.outlook != Outlook::Final || before.state != status.state || is_started()
        }
        (_, ServerState::Disconnected | ServerState::Error) if servers.is_closed() => true,
        (_, ServerState::Connected | ServerState::Disconnected | ServerState::Error) => is_started(),
        _ => false,
    });
    // The sender lives as long as the server.
    tokio::select! {
        _ = settled => {}
        () = server.succession.replaced() => {}
    }
}

/// Returns the server with which a reload replaced another one, so that the commands can be repeated for it.
async fn successor(handles: &OperatorHandles, server: &Server) -> Option<Arc<Server>> {
    if !server.succession.is_replaced() {
        return None;
    }
    // The reload holds its turn until its end.
    let _turn = handles.registered.turn.lock().await;
    handles
        .servers
        .all()
        .iter()
        .find(|next| next.id() == server.id() && !next.succession.is_replaced())
        .cloned()
}

fn check(params: &ControlServerParams) -> Result<(), ErrorObject> {
    let is_long = |text: &str| text.chars().count() > MAX_TEXT;
    if is_long(&params.server_id) {
        let problem = format!("server_id is longer than {MAX_TEXT} characters");
        return Err(ErrorObject::invalid_params(problem));
    }
    if params.reason.as_deref().is_some_and(is_long) {
        let problem = format!("reason is longer than {MAX_TEXT} characters");
        return Err(ErrorObject::invalid_params(problem));
    }
    match (params.action, params.timeout_ms) {
        (_, Some(given)) if given > MAX_TIMEOUT_MS => {
            let problem = format!("timeout_ms is {given}: expected at most {MAX_TIMEOUT_MS}");
            Err(ErrorObject::invalid_params(problem))
        }
        (action @ (ServerAction::Start | ServerAction::Stop), Some(_)) => {
            let problem = format!("{action} takes no timeout_ms: it is for drain and restart");
            Err(ErrorObject::invalid_params(problem))
        }
        _ => Ok(()),
    }
}

/// Returns the error of a server that is not started, because the kernel is stopping.
fn kernel_ends(id: &str) -> ErrorObject {
    ErrorCode::ServerDraining.error(format!("the gateway ends: server {id:?} is not started again"))
}

fn find(servers: &Servers, id: &str) -> Result<Arc<Server>, ErrorObject> {
    let servers = servers.all();
    if let Some(server) = servers.iter().find(|server| server.id() == id) {
        return Ok(server.clone());
    }
    let mut known: Vec<_> = servers.iter().take(MAX_NAMED).map(|server| server.id()).collect();
    if servers.len() > MAX_NAMED {
        known.push("...");
    }
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Err(ErrorCode::ResourceNotFound.error(format!("there is no server {}; there are: {known}", quoted(id))))
}

/// Returns the first state after an action.
const fn target(action: ServerAction) -> ServerState {
    match action {
        ServerAction::Start => ServerState::Connecting,
        ServerAction::Stop => ServerState::Disconnected,
        ServerAction::Restart => ServerState::Restarting,
        ServerAction::Drain => ServerState::Draining,
    }
}

/// Returns the action that carries out a command: a server that is about to be restarted is started at once.
const fn as_carried_out(action: ServerAction, state: ServerState) -> ServerAction {
    match (action, state) {
        (ServerAction::Restart, ServerState::Restarting) => ServerAction::Start,
        _ => action,
    }
}

/// Checks that the state of the server allows a command.
fn may(server: &Server, action: ServerAction, state: ServerState) -> Result<(), ErrorObject> {
    // A server that waits for a request may be prevented from starting.
    let waits = action == ServerAction::Stop && server.is_on_demand();
    let is_allowed = |action| may_follow(state, target(as_carried_out(action, state)));
    if waits || is_allowed(action) {
        return Ok(());
    }
    let allowed = ServerAction::ALL.iter().filter(|action| is_allowed(**action));
    let allowed = allowed.map(|action| action.as_str()).collect::<Vec<_>>().join(", ");
    let problem = format!("server {:?} is {state}, which allows: {allowed}; not {action}", server.id());
    Err(ErrorObject::invalid_request(problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_of_a_server_decides_which_commands_are_allowed() {
        let expected = [
            ("registered", "start"),
            ("connecting", "stop"),
            ("connected", "stop restart drain"),
            ("draining", "stop restart"),
            ("disconnected", "start restart"),
            ("error", "start stop restart"),
            ("restarting", "start stop"),
        ];
        let found = ServerState::ALL.iter().map(|state| {
            let allowed = ServerAction::ALL.iter().filter(|action| may_follow(*state, target(**action)));
            (state.as_str(), allowed.map(|action| action.as_str()).collect::<Vec<_>>().join(" "))
        });
        assert_eq!(found.collect::<Vec<_>>(), expected.map(|(state, actions)| (state, actions.to_owned())));
    }
}
