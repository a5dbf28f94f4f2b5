//! The storing of events in the journal of this process, and the moving of events from all journals into the file.

use super::{PROBE_PAUSE, STALL, Writer, pages};
use crate::audit::log::{
    connections::WriteConnection,
    failure::Failure,
    journal::{self, AppendError, Index, OwnJournal},
    notes,
    row::Row,
};
use mgp_store::sqlite::lock_timeout;
use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

impl Writer {
    /// Appends an event on the caller's thread. Returns `None` if the event must go to the writer's thread.
    pub(super) fn append_alone(&self, own: &OwnJournal, quick: Duration, row: &Row) -> Option<()> {
        let began = Instant::now();
        let mut slot = own.try_lock_for(quick)?;
        // Read again under the lock: an event that was handed over before the lock was taken goes first.
        if self.handed.load(Ordering::Acquire) > 0 {
            return None;
        }
        let appended = slot.append([row]);
        drop(slot);
        if began.elapsed() > quick {
            self.pause_callers();
        }
        appended.ok()?;
        self.signal.set();
        Some(())
    }

    /// Appends events on the writer's thread.
    pub(super) fn append(&self, own: &OwnJournal, busy: Duration, rows: &[&Row]) -> Result<(), Failure> {
        if !self.health.is_untold() {
            let appended = own.lock().append(rows.iter().copied());
            match appended {
                Err(AppendError::NotReady | AppendError::Vanished) => {}
                appended => {
                    self.signal.set();
                    return appended.map_err(|error| Failure::of_journal(&error));
                }
            }
        }
        let writing = &mut *self.connections.writing.lock();
        let index = self.index(busy);
        // A second attempt is for a journal that is removed while it is written.
        for _ in 0..2 {
            self.prepare(own, &index, writing)?;
            // Read after the file was opened again, which may take long: calls that are refused later need another event.
            let outage = self.health.untold();
            let told = outage.as_ref().filter(|outage| outage.says_something());
            let told = told.map(notes::interrupted).transpose()?;
            let appended = own.lock().append(told.iter().chain(rows.iter().copied()));
            match appended {
                Err(AppendError::Vanished) => {}
                Err(error) => return Err(Failure::of_journal(&error)),
                Ok(()) => {
                    self.signal.set();
                    if let Some(outage) = outage {
                        self.health.works(&outage);
                    }
                    return Ok(());
                }
            }
        }
        Err("its journal is removed again and again".to_owned().into())
    }

    /// Makes the journal ready for events: moves events into the file if too many are in the journal, and replaces a journal that failed.
    /// During an outage all events are moved, because its reason may be the file.
    fn prepare(
        &self,
        own: &OwnJournal,
        index: &Index<'_>,
        writing: &mut WriteConnection,
    ) -> Result<(), Failure> {
        let all = self.health.is_untold() || own.lock().is_broken();
        while all || own.lock().is_full() {
            let Some(batch) = own.index_next(index, writing)? else { break };
            self.count_indexed(&batch.rows);
        }
        if own.lock().is_broken() {
            own.finish(index, writing)?;
        }
        own.create(index, writing)
    }

    /// Moves events from the journal into the file until every handle is dropped. Runs on the index thread.
    pub(in super::super) fn run_index(&self) {
        let Some(own) = &self.own else { return };
        while self.signal.wait(|| self.gathered(own)) {
            match self.index_own(own, STALL, i64::MAX) {
                Ok(()) => {}
                Err(Failure { busy: true, reason }) => {
                    tracing::debug!(reason, "another process writes the audit trail: the journal grows");
                    self.signal.set();
                }
                Err(failure) => self.health.fails(&failure.reason, 0),
            }
            if self.health.is_failing() {
                self.signal.set();
                self.signal.pause(PROBE_PAUSE);
                // Ends the outage once events can be moved again, even if no event is recorded.
                let _ = self.store(&[]);
            }
        }
    }

    /// Returns the number of the newest event, or `None` if no more may be gathered: the journal is long, or copied to a database.
    fn gathered(&self, own: &OwnJournal) -> Option<i64> {
        let is_copied = self.connections.keeps_uncopied.load(Ordering::Acquire);
        own.last_seq().filter(|_| !is_copied && !own.lock().is_long())
    }

    /// Moves the events that are in the journals of all processes into the file.
    pub(in super::super) fn index_all(&self, busy: Duration) -> Result<(), Failure> {
        let own = self.own.as_ref();
        if let Some((own, last)) = own.and_then(|own| own.last_seq().map(|last| (own, last))) {
            self.index_own(own, busy, last)?;
        }
        let own = own.and_then(OwnJournal::writer);
        journal::index_others(&self.index(busy), own, |rows| self.count_indexed(rows))
    }

    /// Moves the events like [`index_all`](Self::index_all), and logs a failure: the file can be read nevertheless.
    pub(in super::super) fn try_index_all(&self, busy: Duration) {
        if let Err(Failure { reason, .. }) = self.index_all(busy) {
            tracing::warn!(reason, "the newest events of the audit trail are only in its journals");
        }
    }

    /// Moves events into the file until the one with a number is there.
    fn index_own(&self, own: &OwnJournal, busy: Duration, through: i64) -> Result<(), Failure> {
        loop {
            let mut writing = self.connections.writing.lock();
            let Some(batch) = own.index_next(&self.index(busy), &mut writing)? else { return Ok(()) };
            self.count_indexed(&batch.rows);
            if batch.place.seq >= through {
                return Ok(());
            }
        }
    }

    /// Moves the rest of the journal into the file, and removes the journal.
    pub(super) fn end_journal(&self) {
        let Some(own) = &self.own else { return };
        self.signal.end();
        let ended = self
            .index_own(own, lock_timeout(), i64::MAX)
            .and_then(|()| own.finish(&self.index(lock_timeout()), &mut self.connections.writing.lock()));
        if let Err(Failure { reason, .. }) = ended {
            tracing::warn!(
                reason,
                "the journal of the audit trail is left to the next process that opens the trail"
            );
        }
    }

    fn index(&self, busy: Duration) -> Index<'_> {
        Index { connections: &self.connections, folder: &self.journals, busy }
    }

    /// Counts events that were moved into the file. Called while the writing connection is locked.
    fn count_indexed(&self, rows: &[Row]) {
        self.checkpoints.count(pages(rows.iter()));
        self.checkpoints.bound(&self.connections, false);
    }
}

#[cfg(test)]
mod tests;
