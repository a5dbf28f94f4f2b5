//! The writer: takes what waits, stores it in one transaction, then tells everybody who waits.

use super::row::{self, Row};
use crate::audit::AuditError;
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

/// What the writer is asked to do.
pub(super) enum Job {
    /// Store an event.
    Store(Row, oneshot::Sender<Result<(), AuditError>>),
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
    let rows = || jobs.iter().filter_map(|job| if let Job::Store(row, _) = job { Some(row) } else { None });
    if rows().next().is_none() {
        return Ok(());
    }
    insert(connection, rows()).map_err(|error| error.to_string())
}

fn insert<'a>(connection: &mut Connection, rows: impl Iterator<Item = &'a Row>) -> rusqlite::Result<()> {
    // Immediate: a transaction that starts by reading could not wait for another process's.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut insert = transaction.prepare_cached(row::INSERT)?;
        for row in rows {
            row.insert(&mut insert)?;
        }
    }
    transaction.commit()
}
