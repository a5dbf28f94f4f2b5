//! The events in the audit trail before the gateway starts.

use super::server::{TOOLS, server_id, tool_name};
use jiff::{SignedDuration, Timestamp};
use mgp_security::audit::{AuditLog, AuditLogConfig, AuditSink, EventDraft};
use mgp_types::{
    audit::{AuditEvent, AuditEventType, AuditResult},
    context::Principal,
};
use std::path::Path;

/// The tasks that store events at once.
const TASKS: usize = 64;
/// The days over which the events are spread.
const DAYS: i64 = 7;

/// Stores events of calls, the last of them now.
pub(super) async fn fill(state: &Path, count: usize, servers: usize) -> Result<(), String> {
    std::fs::create_dir_all(state).map_err(|error| format!("failed to create a folder: {error}"))?;
    let file = state.join("audit.sqlite3");
    let log = AuditLog::open(&file, &AuditLogConfig::default()).map_err(|error| error.to_string())?;
    let now = Timestamp::now();
    let tasks: Vec<_> = (0..TASKS)
        .map(|task| {
            let log = log.clone();
            tokio::spawn(async move {
                for number in (task..count).step_by(TASKS) {
                    log.record(event(number, count, servers, now))
                        .await
                        .map_err(|error| error.to_string())?;
                }
                Ok::<_, String>(())
            })
        })
        .collect();
    for task in tasks {
        task.await.map_err(|error| error.to_string())??;
    }
    log.flush().await.map_err(|error| error.to_string())
}

/// Returns one of the events: of ten calls, one is refused and one fails.
fn event(number: usize, count: usize, servers: usize, now: Timestamp) -> AuditEvent {
    let agent = Principal::agent(&format!("agent-{}", number % 20));
    let (event_type, result) = match number % 10 {
        0 => (AuditEventType::ToolBlocked, AuditResult::Blocked),
        1 => (AuditEventType::ToolExecuted, AuditResult::Failure),
        _ => (AuditEventType::ToolExecuted, AuditResult::Success),
    };
    let mut event = EventDraft::new(event_type, &agent)
        .server(&server_id(number % servers))
        .tool(&tool_name(number / servers % TOOLS))
        .result(result)
        .detail("duration_ms", &(number % 250))
        .finish();
    let ago = DAYS * 24 * 60 * 60 * 1000 * i64::try_from(count - number).unwrap_or(0)
        / i64::try_from(count).unwrap_or(1);
    event.timestamp = format!("{:.3}", now - SignedDuration::from_millis(ago));
    event
}
