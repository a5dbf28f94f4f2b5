//! Reads the records of a segment in batches of bounded size.

use super::{
    super::row::Row,
    Place, file,
    record::{self, First},
};
use std::{fs::File, io};

/// The bytes that a batch reads at once. A batch with a single longer record reads as many as that record has.
const CHUNK: usize = 1024 * 1024;

/// Consecutive events of a segment.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) rows: Vec<Row>,
    /// The place of the last event, or the given one if there are no events.
    pub(crate) place: Place,
    /// The position after the last event, in bytes.
    pub(crate) position: u64,
    pub(crate) end: End,
}

/// The reason for which a batch has no further events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The segment has no bytes after the batch.
    Complete,
    /// There may be more events.
    More,
    /// The last record lacks bytes: it is being appended, or its writer ended meanwhile.
    Cut,
    /// The bytes after the batch were not appended there by the writer.
    Foreign,
}

/// Reads events from a position that follows a place, up to another position at most. Blocks on the disk.
pub(crate) fn read(segment: &File, before: Place, from: u64, to: u64, most: usize) -> io::Result<Batch> {
    let available = usize::try_from(to.saturating_sub(from)).unwrap_or(usize::MAX);
    let mut wanted = available.min(CHUNK);
    let mut bytes = file::read_at(segment, from, wanted)?;
    if let First::Cut { length } = record::first(&bytes, &before)
        && length > wanted
        && bytes.len() == wanted
    {
        wanted = available.min(length);
        bytes = file::read_at(segment, from, wanted)?;
    }
    let reached_end = bytes.len() < wanted || wanted == available;
    let mut batch = Batch { rows: Vec::new(), place: before, position: from, end: End::More };
    let mut rest = &*bytes;
    while batch.rows.len() < most {
        if rest.is_empty() {
            batch.end = if reached_end { End::Complete } else { End::More };
            break;
        }
        match record::first(rest, &batch.place) {
            First::Record { row, place, rest: behind } => {
                batch.position += (rest.len() - behind.len()) as u64;
                (batch.place, rest) = (place, behind);
                batch.rows.push(row);
            }
            First::Cut { .. } => {
                batch.end = if reached_end { End::Cut } else { End::More };
                break;
            }
            First::Foreign => {
                batch.end = End::Foreign;
                break;
            }
        }
    }
    Ok(batch)
}
