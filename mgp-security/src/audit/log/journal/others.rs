//! The journals of other writers: those of other processes, and those that a killed process left.

use super::{
    Batch, Damage, End, Head, Header, Index, IndexedBy, Registration, WriterId, batch, file, index,
    segment::{self, HEADER},
};
use crate::audit::log::{connections::WriteConnection, failure::Failure, row::Row};
use std::{
    collections::BTreeSet,
    fs::{self, File, TryLockError},
    io,
    path::Path,
};

/// The most events that one transaction moves into the store.
pub(super) const BATCH: usize = 1024;

/// A segment of another writer.
struct Other {
    file: File,
    /// True if the writer may still append to its journal.
    is_live: bool,
}

/// Moves the complete records of other writers' journals into the store, and ends the journals of writers that are gone. Journals that
/// cannot be read do not keep the others from being read. Blocks on the disk.
pub(crate) fn index_others(
    index: &Index<'_>,
    own: Option<WriterId>,
    mut indexed: impl FnMut(&[Row]),
) -> Result<(), Failure> {
    let segments = segment::list(index.folder).map_err(|error| Failure::of_journal(&error))?;
    let mut writers: BTreeSet<_> = segments.into_keys().collect();
    writers.extend(index.read(index::writers)?);
    let mut outcome = Ok(());
    for writer in writers.into_iter().filter(|writer| Some(*writer) != own) {
        outcome = outcome.and(index.other(writer, &mut indexed));
    }
    outcome
}

impl Index<'_> {
    fn read<T>(&self, read: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<T>) -> Result<T, Failure> {
        let mut writing = self.connections.writing.lock();
        self.connections.renew(&mut writing)?;
        let read = writing.connection(self.busy).and_then(read);
        read.map_err(|error| Failure::of(&error, &mut writing))
    }

    fn other(&self, writer: WriterId, indexed: &mut impl FnMut(&[Row])) -> Result<(), Failure> {
        loop {
            match self.read(|store| Registration::read(store, writer))? {
                None => return self.refuse(writer),
                Some(Registration { ended: true, .. }) => {
                    return self.remove(&mut self.connections.writing.lock(), writer);
                }
                Some(Registration { head, .. }) => {
                    if !self.advance(writer, head, indexed)? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Moves the next events after a head into the store, or ends the journal if there are none and its writer is gone. Returns `false` if
    /// nothing is left to do.
    fn advance(
        &self,
        writer: WriterId,
        mut head: Head,
        indexed: &mut impl FnMut(&[Row]),
    ) -> Result<bool, Failure> {
        loop {
            let path = segment::path(self.folder, writer, head.segment);
            let end = |damage| {
                let mut writing = self.connections.writing.lock();
                self.end(&mut writing, writer, &head, damage, IndexedBy::Other).map(|ended| !ended)
            };
            let other = match open(&path) {
                Ok(Some(other)) => other,
                Ok(None) => return Ok(true),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return end(Some(Damage::Missing)),
                Err(error) => return Err(Failure::of_journal(&error)),
            };
            if cfg!(windows) && other.is_live {
                // There, a lock keeps others from reading too. The writer itself moves its events into the store.
                return Ok(false);
            }
            // Looked for before the records are read: a segment gets no further records once the next one exists.
            let has_next = self.has_segment_after(writer, head.segment)?;
            let batch = read(&other.file, writer, &head).map_err(|error| Failure::of_journal(&error))?;
            if !batch.rows.is_empty() {
                let mut writing = self.connections.writing.lock();
                if self.insert(&mut writing, writer, &head, &batch, IndexedBy::Other)? {
                    indexed(&batch.rows);
                }
                return Ok(true);
            }
            match batch.end {
                End::Complete if has_next => {
                    head = Head { segment: head.segment + 1, position: HEADER as u64, ..head };
                }
                _ if other.is_live => return Ok(false),
                End::Complete => return end(None),
                End::Cut if !has_next => return end(Some(Damage::Torn)),
                _ => return end(Some(Damage::Changed)),
            }
        }
    }

    fn has_segment_after(&self, writer: WriterId, number: u64) -> Result<bool, Failure> {
        let segments = segment::list(self.folder).map_err(|error| Failure::of_journal(&error))?;
        Ok(segments.get(&writer).is_some_and(|numbers| numbers.range(number + 1..).next().is_some()))
    }

    /// Keeps aside the segments of a writer that the store does not know.
    fn refuse(&self, writer: WriterId) -> Result<(), Failure> {
        let segments = segment::list(self.folder).map_err(|error| Failure::of_journal(&error))?;
        for number in segments.get(&writer).into_iter().flatten() {
            let path = segment::path(self.folder, writer, *number);
            let other = match open(&path) {
                Ok(Some(other)) => other,
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Failure::of_journal(&error));
                }
                _ => continue,
            };
            // A live writer is about to register. One that is gone may have done so before its lock ended.
            if other.is_live || self.read(|store| Registration::read(store, writer))?.is_some() {
                continue;
            }
            let mut writing = self.connections.writing.lock();
            self.refuse_segment(&mut writing, &path, &other.file)?;
        }
        Ok(())
    }

    fn refuse_segment(
        &self,
        writing: &mut WriteConnection,
        path: &Path,
        segment: &File,
    ) -> Result<(), Failure> {
        let is_empty = || -> io::Result<bool> {
            Ok(segment.metadata()?.len() == HEADER as u64 && Header::read(segment)?.is_some())
        };
        // A writer that was killed before it registered has no events.
        if is_empty().map_err(|error| Failure::of_journal(&error))? {
            return file::remove(path).map_err(|error| Failure::of_journal(&error));
        }
        Damage::Unregistered.keep_aside(path).map_err(|error| Failure::of_journal(&error))?;
        Damage::Unregistered.tell(self, writing, path)
    }
}

/// Opens a segment. Returns `None` if it was removed or replaced meanwhile.
fn open(path: &Path) -> io::Result<Option<Other>> {
    // Opening anything other than a file could wait for ever.
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other(format!("{} is not a file", path.display())));
    }
    let file = File::open(path)?;
    let is_live = match file.try_lock() {
        Ok(()) => false,
        Err(TryLockError::WouldBlock) => true,
        Err(TryLockError::Error(error)) => return Err(error),
    };
    Ok((is_live || file::is_at(&file, path)).then_some(Other { file, is_live }))
}

/// Reads the next events of a writer from a segment. There are none if the segment is another one.
fn read(segment: &File, writer: WriterId, head: &Head) -> io::Result<Batch> {
    let begins = |header: &Header| head.position != HEADER as u64 || header.base == head.place;
    let header = Header::read(segment)?;
    let is_next = header.filter(begins).is_some_and(|it| (it.writer, it.number) == (writer, head.segment));
    if is_next {
        return batch::read(segment, head.place, head.position, u64::MAX, BATCH);
    }
    Ok(Batch { rows: Vec::new(), place: head.place, position: head.position, end: End::Foreign })
}
