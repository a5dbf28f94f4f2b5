//! A record of a journal: its length in four bytes, its hash, and an event.

use super::{
    super::{chain::Hash, row::Row},
    Place,
};
use sha2::{Digest, Sha256};

/// The bytes before the event.
pub(super) const PREFIX: usize = LENGTH + HASH;
const LENGTH: usize = 4;
const HASH: usize = 32;

/// Appends the record of an event after a place. Returns the record's own place; `None` if the event is too long for a record, and then
/// leaves the bytes as they are.
pub(super) fn encode(out: &mut Vec<u8>, row: &Row, before: &Place) -> Option<Place> {
    let start = out.len();
    out.resize(start + PREFIX, 0);
    let place = row.encode(out).and_then(|()| {
        let event = &out[start + PREFIX..];
        let length = u32::try_from(event.len()).ok()?;
        let place = next(before, event);
        out[start..start + LENGTH].copy_from_slice(&length.to_le_bytes());
        out[start + LENGTH..start + PREFIX].copy_from_slice(&place.hash);
        Some(place)
    });
    if place.is_none() {
        out.truncate(start);
    }
    place
}

/// The first record of some bytes.
#[derive(Debug)]
pub(super) enum First<'a> {
    /// An event that was appended after the given place.
    Record { row: Row, place: Place, rest: &'a [u8] },
    /// A record of this many bytes, of which some are missing.
    Cut { length: usize },
    /// Bytes that the writer did not append after the given place.
    Foreign,
}

/// Reads the first record of some bytes, which must follow a place.
pub(super) fn first<'a>(bytes: &'a [u8], before: &Place) -> First<'a> {
    let Some((length, rest)) = bytes.split_first_chunk::<LENGTH>() else {
        return First::Cut { length: PREFIX };
    };
    let Some(length) = usize::try_from(u32::from_le_bytes(*length)).ok() else { return First::Foreign };
    let Some((hash, rest)) = rest.split_first_chunk::<HASH>().filter(|(_, rest)| rest.len() >= length) else {
        return First::Cut { length: PREFIX.saturating_add(length) };
    };
    let (event, rest) = rest.split_at(length);
    let place = next(before, event);
    match Row::decode(event) {
        Some(row) if place.hash == *hash => First::Record { row, place, rest },
        _ => First::Foreign,
    }
}

/// Returns the place of an event that follows another place.
fn next(before: &Place, event: &[u8]) -> Place {
    let seq = before.seq.wrapping_add(1);
    let hash: Hash = Sha256::new()
        .chain_update(before.hash)
        .chain_update(seq.to_le_bytes())
        .chain_update(event)
        .finalize()
        .into();
    Place { seq, hash }
}
