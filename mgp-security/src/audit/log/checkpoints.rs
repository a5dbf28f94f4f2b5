//! The checkpoints of the trail. A checkpoint moves the write-ahead log into the tables and waits for the disk, so it runs on a separate
//! thread and connection, and events are stored meanwhile. If events arrive without a pause, a checkpoint never reaches the end of the log.
//! So a log that is too long is emptied while events wait.

use super::{AuditRetention, connections::Connections};
use jiff::Timestamp;
use mgp_store::sqlite::lock_timeout;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

/// The approximate number of pages after which a checkpoint is due; SQLite's own default.
const DUE_AFTER: usize = 1000;
/// The approximate length of the log, 64 MiB in pages, from which many callers wait until it is empty. It is reached so seldom that few
/// of them notice.
const LONGEST: usize = 16 * 1024;
/// The same for a single caller, of whose calls only one waits.
const LONGEST_ALONE: usize = 1500;
/// The pause before the next attempt if a checkpoint failed.
const RETRY: Duration = Duration::from_secs(1);
/// The pause after which events are considered few enough to move them to the table with indexes.
const QUIET: Duration = Duration::from_millis(500);
/// The interval at which the newest event is noted as the anchor, at the next checkpoint or pause. Not at every checkpoint, because
/// events wait meanwhile.
const ANCHOR: Duration = Duration::from_millis(250);
/// The number of events without an index that a query can read in a moment. No more are moved.
const KEPT: i64 = 1000;
/// The number of events without an index from which they are moved even while many are stored.
const KEPT_AT_MOST: i64 = 200_000;
/// The pause between two transactions that move events, so that others can write.
const BETWEEN_MOVES: Duration = Duration::from_millis(5);
/// The interval at which events past their retention are removed.
const RETENTION: Duration = Duration::from_secs(60);

/// The length of the log, and the signal to the checkpoint thread that a checkpoint is due. When this value is dropped, the thread runs
/// a last checkpoint and ends.
#[derive(Debug)]
pub(super) struct Checkpoints {
    due: SyncSender<()>,
    /// The approximate number of pages that were written since a checkpoint was last due.
    pages: AtomicUsize,
    /// The approximate number of pages in the log. 0 if the next transaction begins the log anew.
    length: Arc<AtomicUsize>,
    /// True if events were stored since the newest was noted as the anchor.
    unanchored: Arc<AtomicBool>,
}

/// The work of the checkpoint thread.
pub(super) struct Checkpointer {
    pub(super) due: Receiver<()>,
    length: Arc<AtomicUsize>,
    unanchored: Arc<AtomicBool>,
}

impl Checkpoints {
    pub(super) fn new() -> (Self, Checkpointer) {
        let ((due, receiver), length) = (sync_channel(1), Arc::new(AtomicUsize::new(0)));
        let unanchored = Arc::new(AtomicBool::new(false));
        // Another process may have left a long log: the first event makes a checkpoint due.
        let pages = AtomicUsize::new(DUE_AFTER);
        let checkpoints = Self { due, pages, length: length.clone(), unanchored: unanchored.clone() };
        (checkpoints, Checkpointer { due: receiver, length, unanchored })
    }

    /// Returns whether the next event may wait for the disk: it begins the log anew, or the log is emptied after it.
    pub(super) fn may_wait(&self) -> bool {
        matches!(self.length.load(Ordering::Acquire), 0 | LONGEST_ALONE..)
    }

    /// Counts pages that were written to the log.
    pub(super) fn count(&self, pages: usize) {
        self.length.fetch_add(pages, Ordering::AcqRel);
        self.unanchored.store(true, Ordering::Release);
        if self.pages.fetch_add(pages, Ordering::AcqRel) + pages >= DUE_AFTER {
            self.pages.store(0, Ordering::Release);
            // If the thread was already notified, its next checkpoint moves these pages too.
            let _ = self.due.try_send(());
        }
    }

    /// Empties the log if it is too long. `alone` is true if one caller waits, and false if many do. Called while the writing connection
    /// is locked.
    pub(super) fn bound(&self, connections: &Connections, alone: bool) {
        let longest = if alone { LONGEST_ALONE } else { LONGEST };
        if self.length.load(Ordering::Acquire) < longest {
            return;
        }
        let emptied = connections.empty_log().inspect_err(warn);
        // A log that is being read cannot be emptied, and is left for the next time.
        let length = if matches!(emptied, Ok(true)) { 0 } else { longest - DUE_AFTER };
        self.length.store(length, Ordering::Release);
    }
}

impl Checkpointer {
    /// Runs checkpoints when they are due, until the [`Checkpoints`] are dropped.
    pub(super) fn run(&self, connections: &Connections, retention: &AuditRetention) {
        let (mut ended, mut failing, mut moving) = (false, false, true);
        // Not at once: the events of the start are stored first.
        let mut shorten_at = Instant::now() + QUIET;
        let mut anchor_at = Instant::now();
        while !ended {
            let due = self.due.recv_timeout(if failing { RETRY } else { QUIET });
            ended = due == Err(RecvTimeoutError::Disconnected);
            if ended || Instant::now() >= anchor_at {
                // Events wait meanwhile, except at the end.
                self.anchor(connections, if ended { lock_timeout() } else { Duration::ZERO });
                anchor_at = Instant::now() + ANCHOR;
            }
            if !ended && Instant::now() >= shorten_at && *retention != AuditRetention::default() {
                shorten(connections, retention);
                shorten_at = Instant::now() + RETENTION;
            }
            if due == Err(RecvTimeoutError::Timeout) && !failing && !moving {
                continue;
            }
            moving = !ended && self.moves(connections, due.is_err());
            let checkpoint = self.checkpoint(connections);
            if let Err(error) = &checkpoint
                && !failing
            {
                warn(error);
            }
            failing = checkpoint.is_err();
        }
    }

    /// Moves events to the table with indexes. If it is quiet, all but a few are moved, and otherwise only those beyond the limit. Returns
    /// whether there may be more to move once it is quiet.
    pub(super) fn moves(&self, connections: &Connections, quiet: bool) -> bool {
        let some_are_left = || connections.move_older(if quiet { KEPT } else { KEPT_AT_MOST });
        loop {
            match some_are_left() {
                Ok(false) => return !quiet,
                Ok(true) if quiet => thread::sleep(BETWEEN_MOVES),
                // The rest is moved with the next checkpoints, or once it is quiet.
                Ok(true) => return true,
                Err(error) => {
                    tracing::debug!(%error, "events were not moved to the table with indexes; it is tried again");
                    return true;
                }
            }
        }
    }

    /// Notes the newest event as the anchor if events were stored since it was last noted. Waits up to `busy` for other processes.
    pub(super) fn anchor(&self, connections: &Connections, busy: Duration) {
        if self.unanchored.swap(false, Ordering::AcqRel)
            && let Err(error) = connections.anchor(busy)
        {
            self.unanchored.store(true, Ordering::Release);
            tracing::debug!(%error, "the newest event was not noted as the anchor of the trail; it is tried again");
        }
    }

    /// Moves the log into the tables.
    pub(super) fn checkpoint(&self, connections: &Connections) -> rusqlite::Result<()> {
        let before = self.length.load(Ordering::Acquire);
        let Some((length, moved)) = connections.checkpoint()? else { return Ok(()) };
        // Pages that were written meanwhile are still in the log, and keep it from beginning anew.
        let begins_anew = moved == length
            && self.length.compare_exchange(before, 0, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if !begins_anew {
            self.length.fetch_max(length, Ordering::AcqRel);
        }
        Ok(())
    }
}

fn shorten(connections: &Connections, retention: &AuditRetention) {
    if let Err(error) = connections.shorten(retention, Timestamp::now()) {
        tracing::warn!(%error, "the oldest events of the audit trail could not be removed; it is tried again in a minute");
    }
}

fn warn(error: &rusqlite::Error) {
    tracing::warn!(%error, "the log of the audit trail could not be moved into its tables; it is tried again");
}
