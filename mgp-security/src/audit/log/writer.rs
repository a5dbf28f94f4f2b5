//! The writer: takes the waiting events, stores them together, then answers their callers. A caller may store an event itself instead.

use super::{
    checkpoints::Checkpoints,
    connections::{Connections, Reader},
    failure::Failure,
    health::Health,
    journal::{self, OwnJournal},
    notes,
    row::Row,
    uncopied::LocalPart,
    verify::{self, AuditHead, AuditProblem, AuditVerification},
};
use crate::audit::AuditError;
use index_signal::IndexSignal;
use mgp_store::sqlite::{is_busy, lock_timeout};
use std::{
    fmt,
    path::PathBuf,
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
    Store(Row, oneshot::Sender<Result<(), AuditError>>, HandoverGuard),
    /// Answer once everything before this job is stored.
    Flush(oneshot::Sender<Result<(), AuditError>>),
}

/// The size of a page, in bytes; SQLite's own default.
const PAGE: usize = 4096;
/// The number of consecutive transactions with one event after which a caller is considered the only one.
const LONE: usize = 8;
/// The longest time that a transaction may take on a caller's thread, which is a thread of the runtime.
pub(super) const QUICK: Duration = Duration::from_millis(1);
/// The time for which events go to the writer's thread after a transaction that took longer. It is short enough that a single wait for
/// a checkpoint slows few calls down, and long enough that a slow disk takes little of a runtime thread's time.
const A_WHILE: Duration = Duration::from_millis(50);
/// The time for which another process may lock the file before calls are refused until it is unlocked.
const STALL: Duration = Duration::from_millis(500);
/// The pause before the next attempt to write if the last one failed.
const PROBE_PAUSE: Duration = Duration::from_millis(250);

/// The mark of an event that was handed to the writer's thread, until the mark is dropped.
pub(super) struct HandoverGuard(Arc<Writer>);

impl Drop for HandoverGuard {
    fn drop(&mut self) {
        self.0.handed.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The writer of events, on its own thread or on the thread of the caller that records an event.
pub(super) struct Writer {
    connections: Arc<Connections>,
    checkpoints: Checkpoints,
    health: Health,
    /// The folder of the journals of all processes.
    journals: PathBuf,
    /// The journal that events are stored in, or `None` if they are stored in the file.
    own: Option<OwnJournal>,
    signal: IndexSignal,
    /// The number of events that were handed to the thread and are not stored yet. No other event may overtake them.
    handed: AtomicUsize,
    /// The number of consecutive transactions that had one event. With many callers, one transaction for many events costs less.
    alone: AtomicUsize,
    opened: Instant,
    /// The time until which events go to the thread, in microseconds since `opened`.
    slow_until: AtomicU64,
    /// The longest time that a transaction may take on a caller's thread. `None` if callers store nothing themselves.
    quick: Option<Duration>,
    /// The time for which events go to the thread after a transaction that took longer.
    pause: Duration,
}

impl Writer {
    /// Creates a writer. `quick` is the longest time that a transaction may take on a caller's thread, or `None` if every transaction waits
    /// for the disk. In that case the writer's thread stores all events.
    pub(super) fn new(
        connections: Arc<Connections>,
        checkpoints: Checkpoints,
        quick: Option<Duration>,
        journals: PathBuf,
        own: Option<OwnJournal>,
    ) -> Self {
        Self {
            connections,
            checkpoints,
            health: Health::default(),
            journals,
            own,
            signal: IndexSignal::default(),
            handed: AtomicUsize::new(0),
            // The first transaction creates the write-ahead log, which waits for the disk: the thread runs it.
            alone: AtomicUsize::new(LONE - 1),
            opened: Instant::now(),
            slow_until: AtomicU64::new(0),
            quick,
            pause: A_WHILE,
        }
    }

    /// Refuses a call while events cannot be stored, and counts the refusal.
    pub(super) fn admit(&self) -> Result<(), AuditError> {
        self.health.admit()
    }

    /// Removes the events past their retention, as the checkpoint thread does.
    #[cfg(test)]
    pub(super) fn shorten(&self, retention: &super::AuditRetention) -> Option<i64> {
        while self.connections.move_older(1).unwrap() {}
        self.connections.shorten(retention, jiff::Timestamp::now()).unwrap()
    }

    #[cfg(test)]
    pub(super) fn is_failing(&self) -> bool {
        self.health.is_failing()
    }

    /// Reads from the file, after the events of all journals were moved there. Blocks on the disk.
    pub(super) fn read<T>(&self, read: impl FnOnce(Reader<'_>) -> rusqlite::Result<T>) -> Result<T, String> {
        self.try_index_all(STALL);
        self.connections.read(read)
    }

    /// Checks the file and all journals. Blocks on the disk.
    pub(super) fn verify(&self, head: Option<&AuditHead>) -> Result<AuditVerification, String> {
        self.index_all(lock_timeout()).map_err(|failure| failure.reason)?;
        let mut verification = self.connections.read(|reader| verify::verify(reader, head))?;
        let damaged = journal::damaged(&self.journals).map_err(|error| error.to_string())?;
        damaged.into_iter().for_each(|file| verification.add(AuditProblem::Journal { file }));
        Ok(verification)
    }

    /// Notes the number of the last event that a receiver has received. Blocks on the disk.
    pub(super) fn received(&self, receiver: &str, seq: i64) -> Result<(), String> {
        self.connections.received(receiver, seq).map_err(|error| error.to_string())
    }

    /// Reads the first events after a number, for a copy. With `index`, the events of all journals are moved into the file first. Blocks on the
    /// disk.
    pub(super) fn local_part(&self, after: i64, index: bool) -> Result<LocalPart, String> {
        if index {
            self.try_index_all(STALL);
        }
        self.connections.read(|reader| LocalPart::read(reader, after))
    }

    /// Notes the number of the last event that is in the database. Blocks on the disk.
    pub(super) fn copied(&self, mark: &str, id: &str, seq: i64) -> Result<(), String> {
        self.connections.copied(mark, id, seq).map_err(|error| error.to_string())
    }

    /// Gives the trail another id in the database. Blocks on the disk.
    pub(super) fn rename_copy(&self, mark: &str, from: &str) -> Result<(), String> {
        self.connections.rename_copy(mark, from).map_err(|error| error.to_string())
    }

    /// Keeps retention from removing events that are not copied yet.
    pub(super) fn keep_uncopied(&self) {
        self.connections.keeps_uncopied.store(true, Ordering::Release);
    }

    /// Counts an event as handed to the thread until the returned mark is dropped.
    pub(super) fn hand(self: &Arc<Self>) -> HandoverGuard {
        self.handed.fetch_add(1, Ordering::AcqRel);
        HandoverGuard(self.clone())
    }

    /// Stores an event on the caller's thread, if nothing else is about to be stored and no wait is expected. Returns `None` if the
    /// event must go to the writer's thread. This includes failures: that thread can wait for other processes.
    pub(super) fn store_alone(&self, row: &Row) -> Option<()> {
        let quick = self.quick?;
        if self.handed.load(Ordering::Acquire) > 0
            || self.micros() < self.slow_until.load(Ordering::Acquire)
            || self.health.is_untold()
        {
            return None;
        }
        match &self.own {
            Some(own) => self.append_alone(own, quick, row),
            None => self.insert_alone(quick, row),
        }
    }

    fn insert_alone(&self, quick: Duration, row: &Row) -> Option<()> {
        if self.alone.load(Ordering::Acquire) < LONE || self.checkpoints.may_wait() {
            return None;
        }
        let mut writing = self.connections.writing.try_lock()?;
        // Read again under the lock: an event that was handed over before the lock was taken goes first.
        if self.handed.load(Ordering::Acquire) > 0 {
            return None;
        }
        let began = Instant::now();
        let stored = writing.insert_alone(row);
        if began.elapsed() > quick || matches!(&stored, Err(error) if is_busy(error)) {
            self.pause_callers();
        }
        stored.ok()?;
        if !self.connections.is_current(&writing) {
            // The file is gone, and the event with it: the thread stores the event in the file that now exists.
            return None;
        }
        writing.stored(1);
        self.checkpoints.count(pages(std::iter::once(row)));
        Some(())
    }

    /// Sends the events of the next moments to the writer's thread, because a write took too long for a caller's thread.
    fn pause_callers(&self) {
        let until = self.micros().saturating_add(micros(self.pause));
        self.slow_until.store(until, Ordering::Release);
    }

    /// Stores events until every handle is dropped. Runs on the writer's thread.
    pub(super) fn run(&self, mut jobs: mpsc::Receiver<Job>, group: usize) {
        let group = group.max(1);
        let mut waiting = Vec::with_capacity(group);
        while self.take(&mut jobs, &mut waiting, group) {
            let outcome = self.store(&waiting);
            if waiting.iter().any(|job| matches!(job, Job::Flush(_))) {
                self.try_index_all(lock_timeout());
            }
            for job in waiting.drain(..) {
                let done = match job {
                    Job::Store(_, done, handed) => {
                        // Dropped before the answer, so that the caller's next event need not go through this thread.
                        drop(handed);
                        done
                    }
                    Job::Flush(done) => done,
                };
                // The caller may no longer wait for the answer.
                let _ = done.send(outcome.clone());
            }
        }
        if self.health.is_untold() && self.store(&[]).is_err() {
            let outage = self.health.untold();
            tracing::error!(?outage, "the audit trail ends without the events that failed to be stored");
        }
        self.end_journal();
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
        let rows = jobs.iter().filter_map(|job| if let Job::Store(row, ..) = job { Some(row) } else { None });
        let rows: Vec<_> = rows.collect();
        let stored = if !rows.is_empty() || self.health.is_untold() { self.write(&rows) } else { Ok(()) };
        if !rows.is_empty() && self.own.is_none() {
            let before = self.alone.load(Ordering::Acquire);
            let alone = if rows.len() == 1 { before.saturating_add(1) } else { 0 };
            self.alone.store(alone, Ordering::Release);
            let _writing = self.connections.writing.lock();
            self.checkpoints.count(pages(rows.iter().copied()));
            self.checkpoints.bound(&self.connections, alone >= LONE);
        }
        stored
    }

    /// Stores events, and notes success or failure in the health of the trail.
    fn write(&self, rows: &[&Row]) -> Result<(), AuditError> {
        let failing = self.health.is_failing();
        let patience = if failing { Duration::ZERO } else { STALL };
        let stored = match self.try_write(patience, rows) {
            Err(Failure { busy: true, reason }) if !failing => {
                // Calls that arrive during the wait are refused, because their events might never be stored.
                self.health.fails(&reason, 0);
                self.try_write(lock_timeout().saturating_sub(STALL), rows)
            }
            stored => stored,
        };
        stored.map_err(|failure| {
            self.health.fails(&failure.reason, rows.len());
            AuditError::new(&failure.reason)
        })
    }

    fn try_write(&self, busy: Duration, rows: &[&Row]) -> Result<(), Failure> {
        match &self.own {
            Some(own) => self.append(own, busy, rows),
            None => self.insert(busy, rows),
        }
    }

    fn insert(&self, busy: Duration, rows: &[&Row]) -> Result<(), Failure> {
        let writing = &mut *self.connections.writing.lock();
        // A second attempt is for a file that is replaced while it is written.
        for _ in 0..2 {
            self.connections.renew(writing)?;
            // Read after the file was opened again, which may take long: calls that are refused later need another event.
            let outage = self.health.untold();
            let told = outage.as_ref().filter(|outage| outage.says_something());
            let told = told.map(notes::interrupted).transpose()?;
            if let Err(error) = writing.insert(busy, told.as_ref(), rows.iter().copied()) {
                return Err(Failure::of(&error, writing));
            }
            if self.connections.is_current(writing) {
                writing.stored(usize::from(told.is_some()) + rows.len());
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

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

/// Returns the approximate number of pages that a transaction writes.
fn pages<'a>(rows: impl Iterator<Item = &'a Row>) -> usize {
    1 + rows.map(Row::len).sum::<usize>().div_ceil(PAGE)
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

mod index_signal;
mod local;

#[cfg(test)]
mod tests;
