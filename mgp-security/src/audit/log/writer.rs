//! The writer: takes the waiting events, stores them in one transaction, then answers their callers. An event that comes alone may be
//! stored by its caller instead.

use super::{
    checkpoints::Checkpoints,
    connections::{Connections, Reader, Writing},
    health::Health,
    notes,
    row::Row,
};
use crate::audit::AuditError;
use mgp_store::sqlite::{BUSY, is_busy};
use rusqlite::ErrorCode;
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};
use tokio::sync::{mpsc, oneshot};

/// A job for the writer's thread.
pub(super) enum Job {
    /// Store an event.
    Store(Row, oneshot::Sender<Result<(), AuditError>>, Handed),
    /// Answer when everything before this job is stored.
    Flush(oneshot::Sender<Result<(), AuditError>>),
}

/// The size of a page, in bytes; SQLite's own default.
const PAGE: usize = 4096;
/// The number of transactions in a row with one event each after which a caller is taken to be the only one.
const LONE: usize = 8;
/// The longest time that a transaction may take on a caller's thread, which is a thread of the runtime.
pub(super) const QUICK: Duration = Duration::from_millis(1);
/// The time for which events go to the writer's thread after a transaction that took longer.
const A_WHILE: Duration = Duration::from_secs(1);
/// The time for which another process may hold the file before calls are refused until it lets go.
const STALL: Duration = Duration::from_millis(500);
/// The pause before the next attempt to write if the last one failed.
const PROBE_PAUSE: Duration = Duration::from_millis(250);

/// The mark of an event that was handed to the writer's thread. The event counts as handed until its mark is dropped.
pub(super) struct Handed(Arc<Writer>);

impl Drop for Handed {
    fn drop(&mut self) {
        self.0.handed.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Stores events, on the writer's thread or on the thread of the caller that records an event.
pub(super) struct Writer {
    connections: Arc<Connections>,
    checkpoints: Checkpoints,
    health: Health,
    /// The number of events that were handed to the thread and are not stored yet. No other event may overtake them.
    handed: AtomicUsize,
    /// The number of transactions in a row that had one event. With many callers, one transaction for many events costs less.
    alone: AtomicUsize,
    opened: Instant,
    /// The time until which events go to the thread, in microseconds since `opened`.
    slow_until: AtomicU64,
    /// The longest time that a transaction may take on a caller's thread. `None` if callers store nothing themselves.
    quick: Option<Duration>,
}

impl Writer {
    /// Creates a writer. `quick` is the longest time that a transaction may take on a caller's thread, or `None` if every transaction waits
    /// for the disk: then the writer's thread stores all events.
    pub(super) fn new(
        connections: Arc<Connections>,
        checkpoints: Checkpoints,
        quick: Option<Duration>,
    ) -> Self {
        Self {
            connections,
            checkpoints,
            health: Health::default(),
            handed: AtomicUsize::new(0),
            // The first transaction creates the write-ahead log, which waits for the disk: the thread runs it.
            alone: AtomicUsize::new(LONE - 1),
            opened: Instant::now(),
            slow_until: AtomicU64::new(0),
            quick,
        }
    }

    /// Refuses a call while events cannot be stored, and counts the refusal.
    pub(super) fn admit(&self) -> Result<(), AuditError> {
        self.health.admit()
    }

    #[cfg(test)]
    pub(super) fn is_failing(&self) -> bool {
        self.health.is_failing()
    }

    /// Reads from the file. Blocks on the disk.
    pub(super) fn read<T>(&self, read: impl FnOnce(Reader<'_>) -> rusqlite::Result<T>) -> Result<T, String> {
        self.connections.read(read)
    }

    /// Counts an event as handed to the thread until the returned mark is dropped.
    pub(super) fn hand(self: &Arc<Self>) -> Handed {
        self.handed.fetch_add(1, Ordering::AcqRel);
        Handed(self.clone())
    }

    /// Stores an event on the caller's thread, if nothing else is about to be stored and no wait is to be expected. Returns `None` if the
    /// event must go to the writer's thread, also after a failure: that thread can wait for other processes.
    pub(super) fn store_alone(&self, row: &Row) -> Option<()> {
        let quick = self.quick?;
        if self.alone.load(Ordering::Acquire) < LONE
            || self.handed.load(Ordering::Acquire) > 0
            || self.micros() < self.slow_until.load(Ordering::Acquire)
            || self.health.is_untold()
            || self.checkpoints.may_wait()
        {
            return None;
        }
        let mut writing = self.connections.writing.try_lock()?;
        // Read again under the lock: an event that was handed over before the lock was taken goes first.
        if self.handed.load(Ordering::Acquire) > 0 {
            return None;
        }
        let began = Instant::now();
        let stored = writing.insert(Duration::ZERO, None, std::iter::once(row));
        if began.elapsed() > quick || matches!(&stored, Err(error) if is_busy(error)) {
            let until = self.micros().saturating_add(micros(A_WHILE));
            self.slow_until.store(until, Ordering::Release);
        }
        stored.ok()?;
        if !self.connections.is_current(&writing) {
            // The file is gone, and the event with it: the thread stores the event in the file that is there now.
            return None;
        }
        writing.stored(1);
        self.checkpoints.count(pages(std::iter::once(row)));
        Some(())
    }

    /// Stores events until every handle is dropped. Runs on a thread of its own.
    pub(super) fn run(&self, mut jobs: mpsc::Receiver<Job>, group: usize) {
        let group = group.max(1);
        let mut waiting = Vec::with_capacity(group);
        while self.take(&mut jobs, &mut waiting, group) {
            let outcome = self.store(&waiting);
            for job in waiting.drain(..) {
                let done = match job {
                    Job::Store(_, done, handed) => {
                        // Dropped before the answer, so that the caller's next event need not go through this thread.
                        drop(handed);
                        done
                    }
                    Job::Flush(done) => done,
                };
                // The caller may have gone away without waiting for the answer.
                let _ = done.send(outcome.clone());
            }
        }
        if self.health.is_untold() && self.store(&[]).is_err() {
            let outage = self.health.untold();
            tracing::error!(?outage, "the audit trail ends without the events that failed to be stored");
        }
    }

    /// Waits for jobs. Returns `false` when every handle is dropped.
    fn take(&self, jobs: &mut mpsc::Receiver<Job>, waiting: &mut Vec<Job>, group: usize) -> bool {
        if !self.health.is_untold() {
            return jobs.blocking_recv_many(waiting, group) > 0;
        }
        // Every round is an attempt to write, even if there is nothing to store.
        if self.health.is_failing() {
            thread::sleep(PROBE_PAUSE);
        }
        while waiting.len() < group {
            match jobs.try_recv() {
                Ok(job) => waiting.push(job),
                Err(mpsc::error::TryRecvError::Empty) => break,
                Err(mpsc::error::TryRecvError::Disconnected) => return !waiting.is_empty(),
            }
        }
        true
    }

    fn store(&self, jobs: &[Job]) -> Result<(), AuditError> {
        let rows =
            || jobs.iter().filter_map(|job| if let Job::Store(row, ..) = job { Some(row) } else { None });
        let count = rows().count();
        let mut writing = self.connections.writing.lock();
        let stored =
            if count > 0 || self.health.is_untold() { self.write(&mut writing, rows) } else { Ok(()) };
        if count > 0 {
            let before = self.alone.load(Ordering::Acquire);
            let alone = if count == 1 { before.saturating_add(1) } else { 0 };
            self.alone.store(alone, Ordering::Release);
            self.checkpoints.count(pages(rows()));
            self.checkpoints.bound(&self.connections, alone >= LONE);
        }
        stored
    }

    /// Stores events, and notes success or failure in the health of the trail.
    fn write<'a, I>(&self, writing: &mut Writing, rows: impl Fn() -> I) -> Result<(), AuditError>
    where
        I: Iterator<Item = &'a Row>,
    {
        let failing = self.health.is_failing();
        let patience = if failing { Duration::ZERO } else { STALL };
        let stored = match self.try_write(writing, patience, &rows) {
            Err(Failure { busy: true, reason }) if !failing => {
                // Calls that arrive during the wait are refused, because their events might never be stored.
                self.health.fails(&reason, 0);
                self.try_write(writing, BUSY.saturating_sub(STALL), &rows)
            }
            stored => stored,
        };
        stored.map_err(|failure| {
            self.health.fails(&failure.reason, rows().count());
            AuditError::new(&failure.reason)
        })
    }

    fn try_write<'a, I>(
        &self,
        writing: &mut Writing,
        busy: Duration,
        rows: &impl Fn() -> I,
    ) -> Result<(), Failure>
    where
        I: Iterator<Item = &'a Row>,
    {
        // A second time if the file is replaced while it is written.
        for _ in 0..2 {
            self.connections.renew(writing)?;
            // Read after the file was opened again, which may take long: calls that are refused later need an event of their own.
            let outage = self.health.untold();
            let told = outage.as_ref().filter(|outage| outage.says_something());
            let told = told.map(notes::interrupted).transpose()?;
            if let Err(error) = writing.insert(busy, told.as_ref(), rows()) {
                if is_broken(&error) {
                    writing.close();
                }
                return Err(error.into());
            }
            if self.connections.is_current(writing) {
                writing.stored(usize::from(told.is_some()) + rows().count());
                if let Some(outage) = outage {
                    self.health.works(&outage);
                }
                return Ok(());
            }
        }
        Err("its file is replaced again and again".to_owned().into())
    }

    fn micros(&self) -> u64 {
        micros(self.opened.elapsed())
    }
}

/// The failure of a write.
struct Failure {
    /// True if another process holds the file.
    busy: bool,
    reason: String,
}

impl From<String> for Failure {
    fn from(reason: String) -> Self {
        Self { busy: false, reason }
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self { busy: is_busy(&error), reason: error.to_string() }
    }
}

/// Returns `true` if the connection is of no further use after this error.
fn is_broken(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::SystemIoFailure
                | ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
        )
    )
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

/// Returns the approximate number of pages that a transaction writes: of the table, and of each index.
fn pages<'a>(rows: impl Iterator<Item = &'a Row>) -> usize {
    let (count, bytes) = rows.fold((0, 0), |(count, bytes), row| (count + 1, bytes + row.len()));
    5 + count / 2 + bytes / PAGE
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{
        EventDraft,
        log::{checkpoints::Checkpointer, file::TrailFile},
    };
    use mgp_store::sqlite::Synchronous;
    use mgp_types::{audit::AuditEventType, context::Principal};
    use rusqlite::Connection;
    use std::path::Path;

    /// A time limit that even a slow machine keeps.
    const ANY: Option<Duration> = Some(Duration::MAX);

    /// Returns a writer, and the work of its thread of checkpoints, which the tests do themselves.
    fn writer(folder: &Path, quick: Option<Duration>) -> (Arc<Writer>, Checkpointer) {
        let file = TrailFile::new(&folder.join("audit.sqlite3"), Synchronous::Normal);
        let connections = Arc::new(Connections::open(file).unwrap());
        let (checkpoints, checkpointer) = Checkpoints::new();
        (Arc::new(Writer::new(connections, checkpoints, quick)), checkpointer)
    }

    /// Runs a checkpoint if one is due. Returns whether it was.
    fn checkpoint_if_due(writer: &Writer, checkpointer: &Checkpointer) -> bool {
        let due = checkpointer.due.try_recv().is_ok();
        if due {
            checkpointer.checkpoint(&writer.connections).unwrap();
        }
        due
    }

    fn row() -> Row {
        let event = EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent("a")).finish();
        Row::new(&event).unwrap()
    }

    /// Stores events that come together, as the writer's thread does.
    fn by_the_thread(writer: &Arc<Writer>, events: usize) {
        let jobs: Vec<_> =
            (0..events).map(|_| Job::Store(row(), oneshot::channel().0, writer.hand())).collect();
        writer.store(&jobs).unwrap();
    }

    /// Returns a writer whose log is begun and has had its first checkpoint.
    fn begun(folder: &Path) -> (Arc<Writer>, Checkpointer) {
        let (writer, checkpointer) = writer(folder, ANY);
        for _ in 0..2 {
            assert_eq!(writer.store_alone(&row()), None);
            by_the_thread(&writer, 1);
            checkpoint_if_due(&writer, &checkpointer);
        }
        (writer, checkpointer)
    }

    fn stored(writer: &Writer) -> i64 {
        let count = "SELECT count(*) FROM events";
        writer.read(|reader| reader.connection.query_row(count, [], |row| row.get(0))).unwrap()
    }

    /// Returns the length of the write-ahead log, in bytes.
    fn log_length(folder: &Path) -> u64 {
        std::fs::metadata(folder.join("audit.sqlite3-wal")).map_or(0, |file| file.len())
    }

    #[test]
    fn an_event_that_comes_alone_is_stored_at_once_and_overtakes_none() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, _) = begun(folder.path());
        assert_eq!((writer.store_alone(&row()), stored(&writer)), (Some(()), 3));
        let handed = writer.hand();
        assert_eq!((writer.store_alone(&row()), stored(&writer)), (None, 3));
        drop(handed);
        assert_eq!((writer.store_alone(&row()), stored(&writer)), (Some(()), 4));
    }

    #[test]
    fn many_share_a_transaction_and_the_next_of_them_wait_for_the_thread() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, _) = begun(folder.path());
        by_the_thread(&writer, 2);
        for _ in 0..LONE {
            assert_eq!(writer.store_alone(&row()), None);
            by_the_thread(&writer, 1);
        }
        assert_eq!(writer.store_alone(&row()), Some(()));
    }

    #[test]
    fn who_would_wait_for_another_process_or_the_disk_leaves_it_to_the_thread() {
        let folder = tempfile::tempdir().unwrap();
        let (quick, _) = begun(folder.path());
        let other = Connection::open(folder.path().join("audit.sqlite3")).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let began = Instant::now();
        assert_eq!(quick.store_alone(&row()), None);
        assert!(began.elapsed() < BUSY, "it waited");
        other.execute_batch("COMMIT").unwrap();
        // Not tried again at once: the other process may go on.
        assert_eq!((quick.store_alone(&row()), stored(&quick)), (None, 2));
        for slow in [None, Some(Duration::ZERO)] {
            let (writer, _) = writer(folder.path(), slow);
            by_the_thread(&writer, 1);
            by_the_thread(&writer, 1);
            assert_eq!(writer.store_alone(&row()), slow.map(|_| ()));
            assert_eq!(writer.store_alone(&row()), None);
        }
    }

    #[test]
    fn the_log_of_the_file_stays_small_whoever_stores() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, checkpointer) = writer(folder.path(), ANY);
        let mut moved = 0;
        for _ in 0..1000 {
            if writer.store_alone(&row()).is_none() {
                by_the_thread(&writer, 1);
            }
            moved += usize::from(checkpoint_if_due(&writer, &checkpointer));
        }
        let length = log_length(folder.path());
        assert!(moved >= 4 && length < 8 * 1024 * 1024, "moved {moved} times, {length} bytes");
    }

    #[test]
    fn many_short_processes_beside_a_long_one_leave_no_long_log() {
        let folder = tempfile::tempdir().unwrap();
        let (_long, _) = begun(folder.path());
        for _ in 0..100 {
            let (short, checkpointer) = writer(folder.path(), ANY);
            for _ in 0..50 {
                if short.store_alone(&row()).is_none() {
                    by_the_thread(&short, 1);
                }
                checkpoint_if_due(&short, &checkpointer);
            }
        }
        let length = log_length(folder.path());
        assert!(length < 8 * 1024 * 1024, "{length} bytes");
    }

    #[test]
    fn a_log_that_is_too_long_is_emptied_once_nobody_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, _checkpointer) = begun(folder.path());
        let store = || {
            if writer.store_alone(&row()).is_none() {
                by_the_thread(&writer, 1);
            }
        };
        let reader = Connection::open(folder.path().join("audit.sqlite3")).unwrap();
        reader.execute_batch("BEGIN; SELECT count(*) FROM events").unwrap();
        let began = Instant::now();
        (0..600).for_each(|_| store());
        assert!(began.elapsed() < 4 * BUSY, "every event waited for the reader");
        let long = log_length(folder.path());
        assert!(long > 4 * 1024 * 1024, "{long} bytes: it is read");
        reader.execute_batch("COMMIT").unwrap();
        (0..300).for_each(|_| store());
        assert!(log_length(folder.path()) < long / 2);
        // Many callers wait only if the log is much longer.
        by_the_thread(&writer, 2);
        writer.checkpoints.count(2000);
        by_the_thread(&writer, 2);
        assert_ne!(log_length(folder.path()), 0);
        writer.checkpoints.count(16 * 1024);
        by_the_thread(&writer, 2);
        assert_eq!((log_length(folder.path()), stored(&writer)), (0, 908));
        // The next transaction begins the log and waits for the disk, so it is left to the thread.
        by_the_thread(&writer, 1);
        assert!(!writer.checkpoints.may_wait());
    }

    #[test]
    fn events_are_stored_while_a_checkpoint_runs() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, _checkpointer) = begun(folder.path());
        let running = writer.connections.checkpointing.lock();
        assert_eq!(writer.store_alone(&row()), Some(()));
        by_the_thread(&writer, 1000);
        assert_eq!(stored(&writer), 1003);
        drop(running);
    }

    #[test]
    fn a_checkpoint_that_fails_is_tried_again_and_one_more_runs_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, checkpointer) = begun(folder.path());
        let path = folder.path().join("audit.sqlite3");
        let unwritable =
            Connection::open_with_flags(&path, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        let usable = writer.connections.checkpointing.lock().replace(unwritable);
        assert!(checkpointer.checkpoint(&writer.connections).is_err());
        // By what another connection finds in the tables if it does not look into the log.
        let in_the_tables = || {
            let copy = folder.path().join("copy.sqlite3");
            std::fs::copy(&path, &copy).unwrap();
            let copy = Connection::open(copy).unwrap();
            // A copy that was made during a checkpoint may not be readable.
            copy.query_row("SELECT count(*) FROM events", [], |row| row.get::<_, i64>(0)).unwrap_or(-1)
        };
        let moves = |events| {
            let until = Instant::now() + Duration::from_secs(20);
            while in_the_tables() < events {
                assert!(Instant::now() < until, "{} of {events}", in_the_tables());
                thread::sleep(Duration::from_millis(20));
            }
        };
        let connections = writer.connections.clone();
        let thread = thread::spawn(move || checkpointer.run(&connections));
        writer.checkpoints.count(1000);
        thread::sleep(Duration::from_millis(50));
        *writer.connections.checkpointing.lock() = usable;
        moves(2);
        by_the_thread(&writer, 1);
        // The other connections stay open: SQLite itself moves the log when the last one is closed.
        let _open = writer.connections.clone();
        drop(writer);
        moves(3);
        thread.join().unwrap();
    }
}
