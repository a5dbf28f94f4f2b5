//! The journal of this process.

use super::{
    AppendError, Batch, Damage, Head, Index, IndexedBy, Journal, Place, Segment, WriterId, batch, file,
    others::BATCH,
    register,
    segment::{self, HEADER},
};
use crate::audit::log::{connections::WriteConnection, failure::Failure, row::Row};
use parking_lot::{Mutex, MutexGuard};
use sha2::{Digest, Sha256};
use std::{path::Path, time::Duration};

/// The most segments with events that are not in the store, 256 MiB in all.
const MOST_SEGMENTS: usize = 16;

/// The journal of this process, which is created for its first event.
#[derive(Debug)]
pub(crate) struct OwnJournal {
    /// True if events must survive a loss of power.
    flush: bool,
    /// Locked after the store's writing connection. All changes except for appended events need that lock too.
    slot: Mutex<Slot>,
}

/// The journal, once there is one.
#[derive(Debug)]
pub(crate) struct Slot(Option<OpenJournal>);

#[derive(Debug)]
struct OpenJournal {
    journal: Journal,
    /// The last event that is in the store.
    head: Head,
}

impl OwnJournal {
    pub(crate) fn new(flush: bool) -> Self {
        Self { flush, slot: Mutex::new(Slot(None)) }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock()
    }

    /// Waits for the journal up to a limit. Other callers have it for microseconds, unless the disk is slow.
    pub(crate) fn try_lock_for(&self, limit: Duration) -> Option<MutexGuard<'_, Slot>> {
        self.slot.try_lock_for(limit)
    }

    /// Returns the number of the last event, once there is a journal.
    pub(crate) fn last_seq(&self) -> Option<i64> {
        self.slot.lock().0.as_ref().map(|owned| owned.journal.last().seq)
    }

    /// Returns the id of the writer, once there is a journal.
    pub(crate) fn writer(&self) -> Option<WriterId> {
        self.slot.lock().0.as_ref().map(|owned| owned.journal.writer())
    }

    /// Creates the journal if there is none, and registers it in the store.
    pub(crate) fn create(&self, index: &Index<'_>, writing: &mut WriteConnection) -> Result<(), Failure> {
        if self.slot.lock().0.is_some() {
            return Ok(());
        }
        let random = "SELECT randomblob(16)";
        let id =
            writing.connection(index.busy).and_then(|store| store.query_row(random, [], |row| row.get(0)));
        let id: [u8; 16] = id.map_err(|error| Failure::of(&error, writing))?;
        let (writer, place) = (WriterId(id), Place { seq: 0, hash: Sha256::digest(id).into() });
        let journal = Journal::create(index.folder, writer, place, self.flush);
        let journal = journal.map_err(|error| Failure::of_journal(&error))?;
        let head = Head { place, segment: 0, position: HEADER as u64 };
        let registered = writing.connection(index.busy).and_then(|store| register(store, writer, &head));
        if let Err(error) = registered {
            // Without events, it may also stay.
            let _ = file::remove(&segment::path(index.folder, writer, 0));
            return Err(Failure::of(&error, writing));
        }
        self.slot.lock().0 = Some(OpenJournal { journal, head });
        Ok(())
    }

    /// Moves a batch of events into the store. Returns the batch, or `None` if all events are there.
    pub(crate) fn index_next(
        &self,
        index: &Index<'_>,
        writing: &mut WriteConnection,
    ) -> Result<Option<Batch>, Failure> {
        // A second attempt is for a store that is replaced while it is written.
        for _ in 0..2 {
            index.connections.renew(writing)?;
            let Some((writer, head, segment)) = self.slot.lock().next() else { return Ok(None) };
            let batch = batch::read(&segment.file, head.place, head.position, segment.end, BATCH);
            let batch = batch.map_err(|error| Failure::of_journal(&error))?;
            if batch.rows.is_empty() {
                self.end_damaged(index, writing, writer, &head)?;
                return Ok(None);
            }
            if index.insert(writing, writer, &head, &batch, IndexedBy::Owner)? {
                let head = Head { place: batch.place, position: batch.position, ..head };
                self.slot.lock().set_head(head);
                self.remove_before(index.folder, writer, head.segment);
                return Ok(Some(batch));
            }
        }
        Err("its file is replaced again and again".to_owned().into())
    }

    /// Ends a journal all of whose events are in the store.
    pub(crate) fn finish(&self, index: &Index<'_>, writing: &mut WriteConnection) -> Result<(), Failure> {
        let own = self.slot.lock().0.as_ref().map(|owned| (owned.journal.writer(), owned.head));
        if let Some((writer, head)) = own
            && index.end(writing, writer, &head, None, IndexedBy::Owner)?
        {
            self.slot.lock().0 = None;
        }
        Ok(())
    }

    /// Ends a journal whose segments are not as they were written. Its events after the head are kept aside.
    fn end_damaged(
        &self,
        index: &Index<'_>,
        writing: &mut WriteConnection,
        writer: WriterId,
        head: &Head,
    ) -> Result<(), Failure> {
        if let Some(owned) = &mut self.slot.lock().0 {
            owned.journal.refuse_events();
        }
        if index.end(writing, writer, head, Some(Damage::Changed), IndexedBy::Owner)? {
            self.slot.lock().0 = None;
        }
        Ok(())
    }

    /// Removes the segments before a number, all of whose events are in the store.
    fn remove_before(&self, folder: &Path, writer: WriterId, number: u64) {
        let take = || self.slot.lock().0.as_mut().and_then(|owned| owned.journal.take_before(number));
        while let Some(finished) = take() {
            let path = segment::path(folder, writer, finished.number);
            if let Err(error) = file::remove(&path) {
                tracing::debug!(%error, "a segment of the audit trail's journal is left until the journal ends");
            }
        }
    }
}

impl Slot {
    /// Appends events, unless the writer's thread must prepare the journal first.
    pub(crate) fn append<'a>(&mut self, rows: impl IntoIterator<Item = &'a Row>) -> Result<(), AppendError> {
        match &mut self.0 {
            Some(owned) if !owned.is_full() => owned.journal.append(rows),
            _ => Err(AppendError::NotReady),
        }
    }

    #[cfg(test)]
    pub(crate) fn journal(&mut self) -> &mut Journal {
        &mut self.0.as_mut().unwrap().journal
    }

    /// Returns whether so many events are not in the store that some must be moved there first.
    pub(crate) fn is_full(&self) -> bool {
        self.0.as_ref().is_some_and(OpenJournal::is_full)
    }

    /// Returns whether there is a finished segment with events that are not in the store.
    pub(crate) fn is_long(&self) -> bool {
        self.0.as_ref().is_some_and(|owned| owned.journal.segments() > 1)
    }

    /// Returns whether the journal must be ended, because an append failed.
    pub(crate) fn is_broken(&self) -> bool {
        self.0.as_ref().is_some_and(|owned| owned.journal.is_broken())
    }

    /// Returns the head and the segment of the next event that is not in the store.
    fn next(&mut self) -> Option<(WriterId, Head, Segment)> {
        let owned = self.0.as_mut()?;
        loop {
            let segment = owned.journal.segment(owned.head.segment)?;
            if owned.head.position < segment.end {
                return Some((owned.journal.writer(), owned.head, segment));
            }
            if !segment.is_finished {
                return None;
            }
            owned.head = Head { segment: owned.head.segment + 1, position: HEADER as u64, ..owned.head };
        }
    }

    fn set_head(&mut self, head: Head) {
        if let Some(owned) = &mut self.0 {
            owned.head = head;
        }
    }
}

impl OpenJournal {
    fn is_full(&self) -> bool {
        self.journal.segments() > MOST_SEGMENTS
    }
}
