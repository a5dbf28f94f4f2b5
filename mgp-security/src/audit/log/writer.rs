//! The writer: takes what waits, stores it in one transaction, then tells everybody who waits.

use crate::audit::AuditError;
use jiff::Timestamp;
use mgp_types::audit::AuditEvent;
use rusqlite::{Connection, TransactionBehavior, params};
use tokio::sync::{mpsc, oneshot};

/// What the writer is asked to do.
pub(super) enum Job {
    /// Store an event.
    Store(Box<AuditEvent>, oneshot::Sender<Result<(), AuditError>>),
    /// Say when everything before it is stored.
    Flush(oneshot::Sender<Result<(), AuditError>>),
}

/// Stores events until every handle is gone. Runs on a thread of its own.
pub(super) fn write(mut connection: Connection, mut jobs: mpsc::Receiver<Job>, group: usize) {
    let group = group.max(1);
    let mut waiting = Vec::with_capacity(group);
    while jobs.blocking_recv_many(&mut waiting, group) > 0 {
        let outcome = store(&mut connection, &waiting).map_err(|error| {
            tracing::error!(%error, events = waiting.len(), "failed to store audit events");
            AuditError::new(&error)
        });
        for job in waiting.drain(..) {
            let (Job::Store(_, done) | Job::Flush(done)) = job;
            // A caller that is gone does not need to know.
            let _ = done.send(outcome.clone());
        }
    }
}

fn store(connection: &mut Connection, jobs: &[Job]) -> Result<(), String> {
    let events =
        || jobs.iter().filter_map(|job| if let Job::Store(event, _) = job { Some(event) } else { None });
    if events().next().is_none() {
        return Ok(());
    }
    insert(connection, events().map(|event| &**event)).map_err(|error| error.to_string())
}

fn insert<'a>(
    connection: &mut Connection,
    events: impl Iterator<Item = &'a AuditEvent>,
) -> rusqlite::Result<()> {
    // Immediate: a transaction that starts by reading could not wait for another process's.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut insert = transaction.prepare_cached(
            "INSERT INTO events (at, event_type, actor_id, server_id, trace_id, event) VALUES (?, ?, ?, ?, ?, ?)",
        )?;
        let mut text = Vec::with_capacity(512);
        for event in events {
            text.clear();
            serde_json::to_writer(&mut text, event)
                .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
            let server = event.target.get().and_then(|target| target.server_id.get());
            insert.execute(params![
                microseconds(&event.timestamp),
                event.event_type.as_str(),
                event.actor.id,
                server,
                event.trace_id.get(),
                String::from_utf8_lossy(&text),
            ])?;
        }
    }
    transaction.commit()
}

/// A time as microseconds since 1970. An event whose time cannot be read happened when it came.
fn microseconds(timestamp: &str) -> i64 {
    timestamp.parse().unwrap_or_else(|_| Timestamp::now()).as_microsecond()
}
