//! The handle to the audit trail.

use super::{
    AuditCountQuery, AuditCounts, AuditDatabase, AuditFilter, AuditHead, AuditLogConfig, AuditPage,
    AuditPosition, AuditVerification, Confirmation, Durability, JournalMode,
    checkpoints::Checkpoints,
    connections::{Connections, Reader},
    copier::CopierHandle,
    count::count,
    file::TrailFile,
    journal::{self, OwnJournal},
    reader,
    receivers::{self, ForwardingTurn},
    row::Row,
    writer::{self, Job, Writer},
};
use crate::audit::{AuditError, AuditSink, StoreFuture};
use mgp_store::sqlite::{Synchronous, lock_timeout};
use mgp_transport::seam::{Role, Routes};
use mgp_types::{
    audit::{AuditEvent, AuditReplayParams, AuditReplayResult, ReplayAudit},
    rpc::ErrorObject,
};
use std::{path::Path, sync::Arc, thread, time::Duration};
use tokio::sync::{mpsc, oneshot};

/// The longest id of a trail, in bytes.
const MAX_ID: usize = 64;

/// A handle to the audit trail in an SQLite file and its journals, which several processes may share. Clones refer to the same trail.
///
/// A recorded event is stored even if its caller does not wait for it, as long as the process lives; [`flush`](Self::flush) waits for all
/// of them.
#[derive(Debug, Clone)]
pub struct AuditLog {
    jobs: mpsc::Sender<Job>,
    pub(super) writer: Arc<Writer>,
    path: Arc<Path>,
    /// The copies in a database, if there is one.
    copier: Option<Arc<CopierHandle>>,
}

impl AuditLog {
    /// Opens the file, creates it if it is missing, moves events there that a killed process left in its journal, and starts the threads of
    /// the writer. Blocks on the disk.
    ///
    /// # Errors
    /// [`AuditError`], naming the file.
    pub fn open(path: impl AsRef<Path>, config: &AuditLogConfig) -> Result<Self, AuditError> {
        let path = path.as_ref();
        let synchronous = match config.durability {
            Durability::Process => Synchronous::Normal,
            Durability::Power => Synchronous::Full,
        };
        let file = TrailFile::new(path, synchronous);
        let connections = Arc::new(Connections::open(file).map_err(|reason| AuditError::new(&reason))?);
        let (jobs, receiver) = mpsc::channel(config.queue.max(1));
        let (group, retention) = (config.group, config.retention);
        let quick = (config.durability == Durability::Process).then_some(writer::QUICK);
        let (checkpoints, checkpointer) = Checkpoints::new();
        let own = (config.journal == JournalMode::Local)
            .then(|| OwnJournal::new(config.durability == Durability::Power));
        let journals = journal::folder(path);
        let writer = Arc::new(Writer::new(connections.clone(), checkpoints, quick, journals, own));
        writer.try_index_all(lock_timeout());
        spawn("mgp-checkpoint", move || checkpointer.run(&connections, &retention))?;
        if config.journal == JournalMode::Local {
            let indexing = writer.clone();
            spawn("mgp-index", move || indexing.run_index())?;
        }
        let on_its_thread = writer.clone();
        spawn("mgp-audit", move || on_its_thread.run(receiver, group))?;
        Ok(Self { jobs, writer, path: path.into(), copier: None })
    }

    /// Copies all events of this trail to a database, in their order and each exactly once, until every handle is dropped. `age` is the age from
    /// which whole days are removed from the database. The local trail keeps events until they are copied.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn with_database(
        mut self,
        database: AuditDatabase,
        confirmation: Confirmation,
        age: Option<Duration>,
    ) -> Self {
        self.writer.keep_uncopied();
        let (writer, jobs) = (self.writer.clone(), self.jobs.downgrade());
        self.copier = Some(Arc::new(CopierHandle::start(writer, jobs, database, confirmation, age)));
        self
    }

    /// Returns the database to which events are copied, if there is one.
    #[must_use]
    pub fn database(&self) -> Option<&AuditDatabase> {
        self.copier.as_deref().map(CopierHandle::database)
    }

    /// Waits until the database, if there is one, has every event that was stored before. Gives up after ten seconds.
    ///
    /// # Errors
    /// [`AuditError`] if an event is not copied, for example because the database is away.
    pub async fn copied(&self) -> Result<(), AuditError> {
        match &self.copier {
            Some(copier) => copier.copied().await,
            None => Ok(()),
        }
    }

    /// Waits until every event that was recorded before is stored, and in the SQLite file if that can be written.
    ///
    /// # Errors
    /// [`AuditError`] if one of them could not be stored.
    pub async fn flush(&self) -> Result<(), AuditError> {
        let (done, outcome) = oneshot::channel();
        self.jobs.send(Job::Flush(done)).await.map_err(|_| gone())?;
        outcome.await.map_err(|_| gone())?
    }

    /// Returns `mgp/audit/replay`, for callers with the admin role. The state is `None` where no trail is kept.
    #[must_use]
    pub fn routes() -> Routes<Option<Self>> {
        Routes::new().typed(ReplayAudit, Role::Admin, async |log: Option<Self>, _, params| match log {
            Some(log) => log.replay(params).await,
            None => Err(ErrorObject::internal("this kernel keeps no audit trail")),
        })
    }

    /// Answers `mgp/audit/replay`: stored events from a point on, oldest first, each with its number in `_mgp.seq`. With a database, each also
    /// has its trail in `_mgp.trail`, and any trail that is copied there can be read.
    ///
    /// # Errors
    /// -32602 for a time that cannot be read or an unknown trail, -32603 if the file or the database cannot be read.
    pub async fn replay(&self, params: AuditReplayParams) -> Result<AuditReplayResult, ErrorObject> {
        let page = reader::Page::new(&params)?;
        let named = match params.trail {
            Some(trail) if trail != self.id().await? => Some(trail),
            _ => None,
        };
        let Some(trail) = named else {
            let answer = self.read(move |reader| reader::replay(reader.connection, &page)).await?;
            return self.with_trail(answer).await;
        };
        let found = match self.database() {
            Some(database) if trail.len() <= MAX_ID => database.replay(trail.clone(), page).await?,
            _ => None,
        };
        found.ok_or_else(|| {
            let shown: String = trail.chars().take(64).collect();
            ErrorObject::invalid_params(format!(
                "unknown trail {shown:?}: expected the `_mgp.trail` of an event"
            ))
        })
    }

    /// Notes this trail in an answer with its events, if it is one of several in a database.
    async fn with_trail(&self, mut answer: AuditReplayResult) -> Result<AuditReplayResult, ErrorObject> {
        if self.database().is_some() {
            reader::name_trail(&mut answer, &self.id().await?);
        }
        Ok(answer)
    }

    /// Returns the latest events that match a filter, oldest first, each with its number in `_mgp.seq`.
    ///
    /// # Errors
    /// -32603 if the file cannot be read.
    pub async fn latest(&self, filter: AuditFilter) -> Result<Vec<AuditEvent>, ErrorObject> {
        self.latest_page(filter).await.map(|page| page.events)
    }

    /// Returns the same events as [`latest`](Self::latest), with the position after the newest event of the whole trail. Reading on with
    /// [`after`](Self::after) neither repeats an event nor misses one.
    ///
    /// # Errors
    /// -32603 if the file cannot be read.
    pub async fn latest_page(&self, filter: AuditFilter) -> Result<AuditPage, ErrorObject> {
        self.read(move |reader| reader::latest(reader, &filter)).await
    }

    /// Counts the newest events of a span of time.
    ///
    /// # Errors
    /// -32603 if the file cannot be read.
    pub async fn count(&self, query: AuditCountQuery) -> Result<AuditCounts, ErrorObject> {
        self.read(move |reader| count(reader, query)).await
    }

    /// Returns the ids of at most `most` traces that begin with a text, in alphabetical order.
    ///
    /// # Errors
    /// -32603 if the file cannot be read.
    pub async fn traces(&self, beginning: &str, most: u32) -> Result<Vec<String>, ErrorObject> {
        let beginning = beginning.to_owned();
        self.read(move |reader| reader::traces(reader, &beginning, most)).await
    }

    /// Returns the first events after a position that match a filter. If the file that the position belongs to was replaced, all events
    /// of the new file come after the position.
    ///
    /// # Errors
    /// -32603 if the file cannot be read.
    pub async fn after(
        &self,
        position: AuditPosition,
        filter: AuditFilter,
    ) -> Result<AuditPage, ErrorObject> {
        self.read(move |reader| reader::after(reader, &position, &filter)).await
    }

    /// Checks that every event is as it was stored: none was changed, removed, moved or cut off the end. `head` is the head of an earlier
    /// check that was kept elsewhere. With it, a rewritten trail is found too. A million events take seconds.
    ///
    /// # Errors
    /// -32603 if the file cannot be read, or if the events of the journals cannot be moved there.
    pub async fn verify(&self, head: Option<AuditHead>) -> Result<AuditVerification, ErrorObject> {
        self.blocking(move |writer| writer.verify(head.as_ref())).await
    }

    /// Returns the id by which a database knows this trail.
    ///
    /// # Errors
    /// -32603 if the file cannot be read.
    pub async fn id(&self) -> Result<String, ErrorObject> {
        self.blocking(|writer| writer.local_part(i64::MAX, false).map(|part| part.id)).await
    }

    /// Takes the turn to forward events to receivers, unless another handle on the file has it, in this process or another. So no two
    /// handles forward to the same receivers and move their numbers.
    ///
    /// # Errors
    /// -32603 if the lock file cannot be made.
    pub async fn forwarding_turn(&self) -> Result<Option<ForwardingTurn>, ErrorObject> {
        let path = self.path.clone();
        let result = tokio::task::spawn_blocking(move || ForwardingTurn::take(&path)).await;
        result
            .map_err(|error| error.to_string())
            .and_then(|turn| turn.map_err(|error| error.to_string()))
            .map_err(|error| ErrorObject::internal(format!("failed to lock the audit trail: {error}")))
    }

    /// Returns the first events of this trail that a receiver of forwarded events has not [`received`](Self::received) yet. With a database, each has
    /// its trail in `_mgp.trail`.
    ///
    /// # Errors
    /// -32603 if the file cannot be read.
    pub async fn unreceived(&self, receiver: &str, limit: u32) -> Result<AuditReplayResult, ErrorObject> {
        let receiver = receiver.to_owned();
        let unreceived =
            self.read(move |reader| receivers::unreceived(reader, &receiver, limit.max(1))).await?;
        if unreceived.events.is_empty() { Ok(unreceived) } else { self.with_trail(unreceived).await }
    }

    /// Notes that a receiver of forwarded events has received all events up to a number.
    ///
    /// # Errors
    /// -32603 if the file cannot be written.
    pub async fn received(&self, receiver: &str, seq: u64) -> Result<(), ErrorObject> {
        let (writer, receiver) = (self.writer.clone(), receiver.to_owned());
        let result = tokio::task::spawn_blocking(move || {
            writer.received(&receiver, seq.try_into().unwrap_or(i64::MAX))
        })
        .await;
        result
            .map_err(|error| error.to_string())
            .flatten()
            .map_err(|error| ErrorObject::internal(format!("failed to write the audit trail: {error}")))
    }

    #[cfg(test)]
    pub(super) fn writer(&self) -> &Writer {
        &self.writer
    }

    /// Reads the trail on a thread that may block on the disk.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(Reader<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, ErrorObject> {
        self.blocking(move |writer| writer.read(read)).await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Writer) -> Result<T, String> + Send + 'static,
    ) -> Result<T, ErrorObject> {
        let writer = self.writer.clone();
        let result = tokio::task::spawn_blocking(move || read(&writer)).await;
        result
            .map_err(|error| error.to_string())
            .flatten()
            .map_err(|error| ErrorObject::internal(format!("failed to read the audit trail: {error}")))
    }
}

impl AuditSink for AuditLog {
    fn log(&self) -> Option<AuditLog> {
        Some(self.clone())
    }

    fn admit(&self) -> Result<(), AuditError> {
        self.writer.admit()?;
        self.copier.as_ref().map_or(Ok(()), |copier| copier.admit())
    }

    fn record(&self, event: AuditEvent) -> StoreFuture {
        let stored = self.store(&event);
        match self.copier.as_ref().and_then(|copier| copier.waits()) {
            None => stored,
            Some(copier) => StoreFuture::after(async move {
                stored.await?;
                copier.confirmed().await
            }),
        }
    }
}

impl AuditLog {
    /// Stores an event in the local trail.
    fn store(&self, event: &AuditEvent) -> StoreFuture {
        let row = match Row::new(event) {
            Ok(row) => row,
            Err(error) => return StoreFuture::ready(Err(AuditError::new(&error.to_string()))),
        };
        if self.writer.store_alone(&row).is_some() {
            return StoreFuture::ready(Ok(()));
        }
        let (done, outcome) = oneshot::channel();
        match self.jobs.try_send(Job::Store(row, done, self.writer.hand())) {
            Ok(()) => StoreFuture::waiting(outcome),
            Err(mpsc::error::TrySendError::Closed(_)) => StoreFuture::ready(Err(gone())),
            Err(mpsc::error::TrySendError::Full(job)) => {
                let jobs = self.jobs.clone();
                StoreFuture::after(async move {
                    jobs.send(job).await.map_err(|_| gone())?;
                    outcome.await.map_err(|_| gone())?
                })
            }
        }
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), AuditError> {
    let spawned = thread::Builder::new().name(name.to_owned()).spawn(run);
    spawned.map(drop).map_err(|error| AuditError::new(&format!("failed to start the thread {name}: {error}")))
}

fn gone() -> AuditError {
    AuditError::new("the writer is gone")
}
