//! The handle on the trail.

use super::{
    AuditFilter, AuditLogConfig, Durability, reader,
    row::Row,
    schema::migrations,
    writer::{self, Job, Writer},
};
use crate::{
    audit::{AuditError, AuditSink, Stored},
    sqlite::{Database, Synchronous, open},
};
use mgp_types::{
    audit::{AuditEvent, AuditReplayParams, AuditReplayResult},
    rpc::ErrorObject,
};
use std::{path::Path, sync::Arc, thread};
use tokio::sync::{mpsc, oneshot};

/// The audit trail in an SQLite file, which several processes may share. A clone is the same handle.
///
/// An event that was taken is stored, as long as the process lives; [`flush`](Self::flush) says when all of them are.
#[derive(Debug, Clone)]
pub struct AuditLog {
    jobs: mpsc::Sender<Job>,
    writer: Arc<Writer>,
    reader: Arc<Database>,
}

impl AuditLog {
    /// Opens the file, makes it where it is missing, and starts the writer. Blocks for as long as the disk takes.
    ///
    /// # Errors
    /// [`AuditError`], naming the file.
    pub fn open(path: impl AsRef<Path>, config: &AuditLogConfig) -> Result<Self, AuditError> {
        let path = path.as_ref();
        let synchronous = match config.durability {
            Durability::Process => Synchronous::Normal,
            Durability::Power => Synchronous::Full,
        };
        let connect =
            || open(path, synchronous, &migrations()).map_err(|error| AuditError::new(&error.to_string()));
        let (writing, reading) = (connect()?, connect()?);
        let (jobs, receiver) = mpsc::channel(config.queue.max(1));
        let group = config.group;
        let quick = (config.durability == Durability::Process).then_some(writer::QUICK);
        let writer = Writer::new(writing, quick).map_err(|error| AuditError::new(&error.to_string()))?;
        let writer = Arc::new(writer);
        let on_its_thread = writer.clone();
        thread::Builder::new()
            .name("mgp-audit".to_owned())
            .spawn(move || on_its_thread.run(receiver, group))
            .map_err(|error| AuditError::new(&format!("failed to start the writer: {error}")))?;
        Ok(Self { jobs, writer, reader: Arc::new(Database::new(reading)) })
    }

    /// Ends when every event that was taken before is stored.
    ///
    /// # Errors
    /// [`AuditError`] where one could not be.
    pub async fn flush(&self) -> Result<(), AuditError> {
        let (done, outcome) = oneshot::channel();
        self.jobs.send(Job::Flush(done)).await.map_err(|_| gone())?;
        outcome.await.map_err(|_| gone())?
    }

    /// Answers `mgp/audit/replay`: stored events from a point on, oldest first, each with its number in `_mgp.seq`.
    ///
    /// # Errors
    /// -32602 for a time that cannot be read, -32603 where the file cannot.
    pub async fn replay(&self, params: AuditReplayParams) -> Result<AuditReplayResult, ErrorObject> {
        let page = reader::Page::new(&params)?;
        self.reader
            .run(move |connection| reader::replay(connection, &page))
            .await
            .map_err(|error| ErrorObject::internal(format!("failed to read the audit trail: {error}")))
    }

    /// The latest events that a filter lets through, oldest first, each with its number in `_mgp.seq`.
    ///
    /// # Errors
    /// -32603 where the file cannot be read.
    pub async fn latest(&self, filter: AuditFilter) -> Result<Vec<AuditEvent>, ErrorObject> {
        self.reader
            .run(move |connection| reader::latest(connection, &filter))
            .await
            .map_err(|error| ErrorObject::internal(format!("failed to read the audit trail: {error}")))
    }
}

impl AuditSink for AuditLog {
    fn record(&self, event: AuditEvent) -> Stored {
        let row = match Row::new(&event) {
            Ok(row) => row,
            Err(error) => return Stored::ready(Err(AuditError::new(&error.to_string()))),
        };
        if self.writer.store_alone(&row).is_some() {
            if self.writer.wants_checkpoint() && self.jobs.try_send(Job::Checkpoint).is_err() {
                self.writer.still_wants_checkpoint();
            }
            return Stored::ready(Ok(()));
        }
        let (done, outcome) = oneshot::channel();
        match self.jobs.try_send(Job::Store(row, done, self.writer.hand())) {
            Ok(()) => Stored::waiting(outcome),
            Err(mpsc::error::TrySendError::Closed(_)) => Stored::ready(Err(gone())),
            Err(mpsc::error::TrySendError::Full(job)) => {
                let jobs = self.jobs.clone();
                Stored::after(async move {
                    jobs.send(job).await.map_err(|_| gone())?;
                    outcome.await.map_err(|_| gone())?
                })
            }
        }
    }
}

fn gone() -> AuditError {
    AuditError::new("the writer is gone")
}
