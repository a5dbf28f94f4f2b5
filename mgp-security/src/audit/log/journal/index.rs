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

/// Registers a writer before its first event. Journals of other writers are not indexed, so that neither a journal of another folder nor one
/// that was indexed and copied back is.
pub(crate) fn register(store: &Connection, writer: WriterId, head: &Head) -> rusqlite::Result<()> {
    let insert = "INSERT INTO writers (id, seq, hash, segment, position) VALUES (?, ?, ?, ?, ?)";
    let values =
        params![writer.0, head.place.seq, head.place.hash, signed(head.segment), signed(head.position)];
    store.prepare_cached(insert)?.execute(values).map(drop)
}

impl Head {
    /// Reads the head of a writer. Returns `None` if the writer is not registered, or if all its events are in the store.
    pub(crate) fn read(store: &Connection, writer: WriterId) -> rusqlite::Result<Option<Self>> {
        let select = "SELECT seq, hash, segment, position FROM writers WHERE id = ? AND NOT ended";
        let head = |row: &rusqlite::Row<'_>| {
            Ok(Self {
                place: Place { seq: row.get(0)?, hash: row.get(1)? },
                segment: unsigned(row.get(2)?),
                position: unsigned(row.get(3)?),
            })
        };
        store.prepare_cached(select)?.query_row([writer.0], head).optional()
    }

    fn advance(self, store: &Transaction<'_>, writer: WriterId) -> rusqlite::Result<()> {
        let update = "UPDATE writers SET seq = ?, hash = ?, segment = ?, position = ? WHERE id = ?";
        let Place { seq, hash } = self.place;
        let values = params![seq, hash, signed(self.segment), signed(self.position), writer.0];
        store.prepare_cached(update)?.execute(values).map(drop)
    }
}

/// Inserts the events of a batch that was read after a head, and advances the head, in one transaction. Events that another process indexed
/// meanwhile are left out, and so are all events of a writer that is not registered. Returns the number of inserted events.
pub(crate) fn index(
    store: &mut WriteConnection,
    busy: Duration,
    writer: WriterId,
    from: &Head,
    batch: &Batch,
) -> rusqlite::Result<usize> {
    let mut inserted = 0;
    store.insert_claimed(busy, None, |transaction| {
        let rows = match Head::read(transaction, writer)? {
            Some(stored) => unindexed(from, &stored, batch),
            None => &[],
        };
        if !rows.is_empty() {
            let head = Head { place: batch.place, position: batch.position, ..*from };
            head.advance(transaction, writer)?;
        }
        inserted = rows.len();
        Ok(rows.iter())
    })?;
    store.stored(inserted);
    Ok(inserted)
}

/// Returns the events of a batch after the stored head. There are none if the batch was read after an event that is not in the store, or
/// that is another one there.
fn unindexed<'a>(from: &Head, stored: &Head, batch: &'a Batch) -> &'a [Row] {
    let indexed = usize::try_from(stored.place.seq - from.place.seq).ok();
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
