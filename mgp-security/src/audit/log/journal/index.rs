//! Moves events of journals into the store, each exactly once.

use super::{
    super::{connections::WriteConnection, row::Row},
    Batch, Place, WriterId,
};
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use std::time::Duration;

/// The last record of a writer's journal whose event is in the store, and the position of the next record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) place: Place,
    /// The number of the segment with the next record.
    pub(crate) segment: u64,
    /// The position of the next record in its segment, in bytes.
    pub(crate) position: u64,
}

/// A row of the table of writers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Registration {
    pub(crate) head: Head,
    /// True once all events of the writer are in the store.
    pub(crate) ended: bool,
}

/// The process that indexes a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexedBy {
    /// The writer. It knows its own head, so it registers again in a store that replaced another one.
    Owner,
    /// Any other process. It indexes only the events of a writer that the store knows.
    Other,
}

/// Registers a writer before its first event. Journals of other writers are not indexed, so that neither a journal of another folder nor one
/// that was indexed and copied back is.
pub(crate) fn register(store: &Connection, writer: WriterId, head: &Head) -> rusqlite::Result<()> {
    let insert =
        "INSERT OR REPLACE INTO writers (id, seq, hash, segment, position, ended) VALUES (?, ?, ?, ?, ?, 0)";
    let values =
        params![writer.0, head.place.seq, head.place.hash, signed(head.segment), signed(head.position)];
    store.prepare_cached(insert)?.execute(values).map(drop)
}

/// Returns all registered writers.
pub(crate) fn writers(store: &Connection) -> rusqlite::Result<Vec<WriterId>> {
    let mut select = store.prepare_cached("SELECT id FROM writers")?;
    select.query_map([], |row| row.get(0).map(WriterId))?.collect()
}

/// Notes that all events of a writer are in the store, or that the others are lost.
pub(crate) fn end(store: &Connection, writer: WriterId) -> rusqlite::Result<()> {
    store.prepare_cached("UPDATE writers SET ended = 1 WHERE id = ?")?.execute([writer.0]).map(drop)
}

/// Removes a writer that has ended, once its segments are removed.
pub(crate) fn forget(store: &Connection, writer: WriterId) -> rusqlite::Result<()> {
    store.prepare_cached("DELETE FROM writers WHERE id = ? AND ended")?.execute([writer.0]).map(drop)
}

impl Registration {
    /// Reads the row of a writer.
    pub(crate) fn read(store: &Connection, writer: WriterId) -> rusqlite::Result<Option<Self>> {
        let select = "SELECT seq, hash, segment, position, ended FROM writers WHERE id = ?";
        let registration = |row: &rusqlite::Row<'_>| {
            let place = Place { seq: row.get(0)?, hash: row.get(1)? };
            let head = Head { place, segment: unsigned(row.get(2)?), position: unsigned(row.get(3)?) };
            Ok(Self { head, ended: row.get(4)? })
        };
        store.prepare_cached(select)?.query_row([writer.0], registration).optional()
    }

    /// Returns the head of the writer, unless all its events are in the store.
    pub(crate) fn active(self) -> Option<Head> {
        (!self.ended).then_some(self.head)
    }
}

impl Head {
    fn advance(self, store: &Transaction<'_>, writer: WriterId) -> rusqlite::Result<()> {
        let update =
            "UPDATE writers SET seq = ?, hash = ?, segment = ?, position = ?, ended = 0 WHERE id = ?";
        let Place { seq, hash } = self.place;
        let values = params![seq, hash, signed(self.segment), signed(self.position), writer.0];
        store.prepare_cached(update)?.execute(values).map(drop)
    }
}

/// Inserts the events of a batch that was read after a head, and advances the head, in one transaction. Events that another process indexed
/// meanwhile are left out. Returns the number of inserted events, which are not counted until [`WriteConnection::stored`] is called.
pub(crate) fn index(
    store: &mut WriteConnection,
    busy: Duration,
    writer: WriterId,
    from: &Head,
    batch: &Batch,
    by: IndexedBy,
) -> rusqlite::Result<usize> {
    let mut inserted = 0;
    store.insert_claimed(busy, None, |transaction| {
        let stored = Registration::read(transaction, writer)?;
        let stored = match by {
            IndexedBy::Other => stored.and_then(Registration::active),
            IndexedBy::Owner => match stored.filter(|stored| stored.head.place.seq >= from.place.seq) {
                Some(stored) => Some(stored.head),
                None => {
                    register(transaction, writer, from)?;
                    Some(*from)
                }
            },
        };
        let rows = stored.map_or(&[][..], |stored| unindexed(from, &stored, batch));
        if !rows.is_empty() {
            let head = Head { place: batch.place, position: batch.position, ..*from };
            head.advance(transaction, writer)?;
        }
        inserted = rows.len();
        Ok(rows.iter())
    })?;
    Ok(inserted)
}

/// Returns the events of a batch after the stored head. There are none if the batch was read after an event that is not in the store, or
/// that is another one there.
fn unindexed<'a>(from: &Head, stored: &Head, batch: &'a Batch) -> &'a [Row] {
    let indexed = stored.place.seq.checked_sub(from.place.seq).and_then(|count| usize::try_from(count).ok());
    let indexed = indexed.filter(|indexed| *indexed > 0 || stored.place.hash == from.place.hash);
    indexed.and_then(|indexed| batch.rows.get(indexed..)).unwrap_or_default()
}

/// Positions are lengths of files, which fit.
fn signed(position: u64) -> i64 {
    i64::try_from(position).unwrap_or(i64::MAX)
}

fn unsigned(position: i64) -> u64 {
    u64::try_from(position).unwrap_or_default()
}
