//! The end of a server's connection: draining, closing and recording.

use super::{
    Link, Server,
    commands::{AfterEnd, Commands, EndCommand},
};
use crate::upstream::servers::Servers;
use mgp_client_sdk::session::ServerConnection;
use mgp_lifecycle::{
    gate::DrainOutcome,
    restart::{Exit, RestartBudget, restarts},
    state::Outlook,
};
use mgp_security::{audit::EventDraft, confine::ExceededLimit};
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    lifecycle::{ServerState, Shutdown, ShutdownParams, ShutdownReason},
};
use std::{
    process::ExitStatus,
    sync::Arc,
    time::{Duration, Instant},
};

/// The end of a connection, with its reason.
pub(super) struct End {
    pub(super) exit: Exit,
    why: String,
    /// True if the operator requested a restart.
    again: bool,
}

impl End {
    /// Returns the end of an unused server.
    pub(super) fn unused(why: String) -> Self {
        Self { exit: Exit::Requested(ShutdownReason::IdleTimeout), why, again: false }
    }

    pub(super) fn failed(why: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, why: why.into(), again: false }
    }
}

/// Takes no new calls, and waits for those in flight within a time limit, which later commands can shorten. Only a server that
/// the kernel started is asked to shut down. A server at a URL has other clients, and is only disconnected.
pub(super) async fn drain(
    servers: &Servers,
    server: &Arc<Server>,
    link: &Link,
    lifecycle: bool,
    commands: &mut Commands,
    end: EndCommand,
) -> End {
    let limit = limit_of(server, &end);
    let why = end.reason.to_string();
    let before = server.status().state;
    if let Ok(drain) = server.path.gate.drain(&why, limit, end.outlook(server.succession.last_outlook())) {
        servers.drains(server, before, &why);
        let mut deadline = after(limit);
        let ending = async {
            if lifecycle && server.has_own_process() && !limit.is_zero() {
                ask_to_shut_down(server, link, &end, limit).await;
            }
            drain.finished().await
        };
        tokio::pin!(ending);
        loop {
            tokio::select! {
                biased;
                outcome = &mut ending => {
                    if matches!(outcome, DrainOutcome::TimedOut { .. }) {
                        cut_off(server, limit);
                    }
                    break;
                }
                () = tokio::time::sleep_until(deadline) => {
                    cut_off(server, limit);
                    break;
                }
                later = commands.end() => {
                    server.path.gate.machine().set_outlook(later.outlook(server.succession.last_outlook()));
                    deadline = deadline.min(after(limit_of(server, &later)));
                }
            }
        }
    }
    let again = commands.commanded().is_some_and(|end| end.then == AfterEnd::Start);
    End { exit: Exit::Requested(end.reason), why, again }
}

fn limit_of(server: &Server, end: &EndCommand) -> Duration {
    end.limit.unwrap_or(server.spec.shutdown_timeout)
}

/// Returns the time after a limit.
pub(super) fn after(limit: Duration) -> tokio::time::Instant {
    let now = tokio::time::Instant::now();
    // A limit beyond the clock's range is replaced with a year.
    now.checked_add(limit).unwrap_or_else(|| now + Duration::from_secs(365 * 24 * 60 * 60))
}

fn cut_off(server: &Server, limit: Duration) {
    tracing::warn!(
        server = server.id(),
        ?limit,
        "calls were still running when the time limit for draining passed"
    );
}

pub(super) async fn ask_to_shut_down(server: &Server, link: &Link, end: &EndCommand, limit: Duration) {
    let timeout_ms = u64::try_from(limit.as_millis()).ok();
    let params = ShutdownParams { reason: end.reason.clone(), timeout_ms };
    // The limit applies to the calls. A server that does not answer at all gets its own, shorter limit.
    let patience = limit.min(server.spec.shutdown_timeout);
    let asked =
        tokio::time::timeout(patience, async { link.control().request::<Shutdown>(&params).await }).await;
    if let Ok(Err(error)) = asked {
        tracing::debug!(server = server.id(), %error, "the server did not accept the request to shut down");
    }
}

/// Closes the connection, ends the process, and publishes and records the end. Returns the server's exit.
pub(super) async fn close(
    servers: &Servers,
    server: &Arc<Server>,
    connection: ServerConnection,
    mut end: End,
    budget: &RestartBudget,
) -> Exit {
    server.connection.disconnect();
    server.channels.forget();
    let asked = matches!(end.exit, Exit::Requested(_));
    let (last_words, limit) = (connection.last_words(), server.spec.shutdown_timeout);
    // Only a process has an exit status. A process that ends by itself with success has not failed. One that the kernel gave up
    // has failed, even if it then ended with success.
    let closed = connection.close(limit, limit).await;
    let exceeded = closed.status.filter(|_| !asked).and_then(|status| exceeded_limit(server, status));
    if let Some(limit) = &exceeded {
        let reason = ShutdownReason::ResourceLimit;
        end.why = format!("{reason}: {limit}");
        end.exit = Exit::Requested(reason);
    } else if closed.is_success && !asked && !server.is_audit_server() {
        end.exit = Exit::Clean;
        end.why = "its process ended by itself, without an error".to_owned();
    } else if matches!(end.exit, Exit::Failed) && server.spec.endpoint.is_http() {
        // A server at a URL is run by somebody else, who may restart it at any time.
        end.exit = Exit::Away;
    }
    let (state, result) = if exceeded.is_some() || matches!(end.exit, Exit::Failed | Exit::Away) {
        tracing::warn!(server = server.id(), why = end.why, "lost");
        (ServerState::Error, AuditResult::Failure)
    } else {
        (ServerState::Disconnected, AuditResult::Success)
    };
    let outlook = if end.again { Outlook::Open } else { outlook_after(server, budget, &end.exit) };
    if outlook == Outlook::OnDemand && end.exit == Exit::Clean {
        end.why.push_str("; the next request that needs it starts it");
    }
    // Later requests may trigger the next attempt to reach a server that is away.
    server.path.demand.note_failed_attempt();
    servers.move_with(server, state, &end.why, outlook);
    let mut event = disconnected(server, result, &end.why);
    if !asked && let Some(words) = last_words {
        event = event.detail("stderr", &words);
    }
    if let Some(limit) = &exceeded {
        event = event.detail("resource_limit", &limit.key());
    }
    server.rights.trail.store(event.finish()).await;
    end.exit
}

/// Returns the resource limit that the server's process exceeded, if its exit status shows one.
fn exceeded_limit(server: &Server, status: ExitStatus) -> Option<ExceededLimit> {
    server.spec.confinement.limits_for(server.spec.trust).exceeded(status)
}

/// Returns the outlook for a server after an exit. The outlook is published together with the exit, because recording takes
/// time.
pub(super) fn outlook_after(server: &Server, budget: &RestartBudget, exit: &Exit) -> Outlook {
    if server.sleeps_after(exit) {
        return Outlook::OnDemand;
    }
    let may_start = *exit == Exit::Away || !budget.is_used_up(Instant::now());
    if is_started_again(server, exit) && may_start { Outlook::Open } else { server.succession.last_outlook() }
}

/// Returns whether a server is restarted after an exit, within its budget if the exit counts against it.
pub(super) fn is_started_again(server: &Server, exit: &Exit) -> bool {
    restarts(server.spec.restart.restart_policy, exit)
}

pub(super) fn disconnected(server: &Server, result: AuditResult, why: &str) -> EventDraft {
    EventDraft::new(AuditEventType::ServerDisconnected, &server.rights.trail.myself)
        .server(server.id())
        .result(result)
        .detail("reason", &why)
}
