//! The end of a writer's journal, with all its events in the store or with damage that an event reports.

use super::{
    super::{connections::WriteConnection, failure::Failure, notes},
    Batch, Head, Index, IndexedBy, Registration, WriterId, file, index, segment,
};
use std::{
    fs, io, iter,
    path::{Path, PathBuf},
};

/// The reason why the rest of a journal is not moved into the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Damage {
    /// The last record is incomplete: its writer was killed while it appended, or the end was cut off.
    Torn,
    /// The writer did not append these bytes at this place.
    Changed,
    /// The segment is missing.
    Missing,
    /// The store does not know the writer: the segment is of another trail, or it was copied back.
    Unregistered,
}

/// The ending of the names of segments whose events are not accepted.
const DAMAGED: &str = "damaged";
/// The same for segments that only lack the end of the last record.
const TORN: &str = "torn";

impl Damage {
    /// Returns the reason, as events name it.
    fn reason(self) -> &'static str {
        match self {
            Self::Torn => "torn",
            Self::Changed => "changed",
            Self::Missing => "missing",
            Self::Unregistered => "unregistered",
        }
    }

    /// Gives a segment another name, under which it is never moved into the store.
    pub(super) fn keep_aside(self, segment: &Path) -> io::Result<()> {
        let ending = if self == Self::Torn { TORN } else { DAMAGED };
        match fs::rename(segment, segment.with_extension(ending)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Stores the event of the damage of a segment.
    pub(super) fn tell(
        self,
        index: &Index<'_>,
        writing: &mut WriteConnection,
        segment: &Path,
    ) -> Result<(), Failure> {
        let told = notes::journal_damaged(segment, self.reason())?;
        let stored = writing.insert(index.busy, Some(&told), iter::empty());
        stored.map_err(|error| Failure::of(&error, writing))?;
        writing.stored(1);
        Ok(())
    }
}

/// Returns the segments in a folder whose events were not accepted, without those that only lacked the end of their last record.
pub(crate) fn damaged(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let is_damaged = |path: &PathBuf| path.extension().is_some_and(|ending| ending == DAMAGED);
    let mut paths =
        paths.filter(|path| path.as_ref().map_or(true, is_damaged)).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

impl Index<'_> {
    /// Moves a batch of events that was read after a head into the store. Returns `false` if the store was replaced meanwhile.
    pub(super) fn insert(
        &self,
        writing: &mut WriteConnection,
        writer: WriterId,
        from: &Head,
        batch: &Batch,
        by: IndexedBy,
    ) -> Result<bool, Failure> {
        let inserted = index(writing, self.busy, writer, from, batch, by);
        let inserted = inserted.map_err(|error| Failure::of(&error, writing))?;
        let is_current = self.connections.is_current(writing);
        if is_current {
            // Events of others are not lost with this process's part of a trail that is replaced.
            writing.stored(if by == IndexedBy::Owner { inserted } else { 0 });
        }
        Ok(is_current)
    }

    /// Ends a writer whose events up to a head are in the store, and removes its segments. Those with damage are kept aside, and an event
    /// reports them. Returns `false` if another process indexed or ended the journal meanwhile, or if the store was replaced.
    pub(super) fn end(
        &self,
        writing: &mut WriteConnection,
        writer: WriterId,
        head: &Head,
        damage: Option<Damage>,
        by: IndexedBy,
    ) -> Result<bool, Failure> {
        let damaged = segment::path(self.folder, writer, head.segment);
        let told = damage.map(|damage| notes::journal_damaged(&damaged, damage.reason())).transpose()?;
        let mut outcome = Ok(true);
        let ended = writing.insert_claimed(self.busy, told.as_ref(), |transaction| {
            let stored = Registration::read(transaction, writer)?.and_then(Registration::active);
            let is_unchanged = stored.is_some_and(|stored| stored.place == head.place);
            // The writer removes a segment only after its events are in the store, so under the store's lock the segment is really missing.
            let is_back = damage == Some(Damage::Missing) && damaged.exists();
            if by == IndexedBy::Other && (!is_unchanged || is_back) {
                outcome = Ok(false);
            } else if let Some(damage) = damage {
                outcome = self.keep_aside(writer, head, damage).map(|()| true);
            }
            if !matches!(outcome, Ok(true)) {
                // Undoes the transaction.
                return Err(rusqlite::Error::StatementChangedRows(0));
            }
            index::end(transaction, writer)?;
            Ok(iter::empty())
        });
        if !outcome.map_err(|error| Failure::of_journal(&error))? {
            return Ok(false);
        }
        ended.map_err(|error| Failure::of(&error, writing))?;
        if !self.connections.is_current(writing) {
            return Ok(false);
        }
        writing.stored(usize::from(told.is_some()));
        self.remove(writing, writer)?;
        Ok(true)
    }

    fn keep_aside(&self, writer: WriterId, head: &Head, damage: Damage) -> io::Result<()> {
        let segments = segment::list(self.folder)?.remove(&writer).unwrap_or_default();
        segments
            .range(head.segment..)
            .try_for_each(|number| damage.keep_aside(&segment::path(self.folder, writer, *number)))
    }

    /// Removes the segments of a writer that has ended, then the writer.
    pub(super) fn remove(&self, writing: &mut WriteConnection, writer: WriterId) -> Result<(), Failure> {
        let segments = segment::list(self.folder).map_err(|error| Failure::of_journal(&error))?;
        for number in segments.get(&writer).into_iter().flatten() {
            let path = segment::path(self.folder, writer, *number);
            file::remove(&path).map_err(|error| Failure::of_journal(&error))?;
        }
        let forgotten = writing.connection(self.busy).and_then(|store| index::forget(store, writer));
        forgotten.map_err(|error| Failure::of(&error, writing))
    }
}
