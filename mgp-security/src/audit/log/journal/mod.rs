//! The journals of writers: the events that are stored and that are not in the tables yet, in segments of bounded size.
//!
//! A segment is a file with a header and records. Each record carries a hash that covers its event, its number, and the hash of the record
//! before it, so a reader accepts only a record that the writer appended at this place. A writer's row in the store holds the last record
//! whose event is in the tables. The transaction that inserts events also advances that row, so each event is inserted exactly once, whichever
//! process inserts it.

mod append;
mod batch;
mod end;
mod file;
mod index;
mod others;
mod own;
mod record;
mod segment;

use super::{chain::Hash, connections::Connections};
use std::{path::Path, time::Duration};

pub(super) use append::{AppendError, Journal, Segment};
pub(super) use batch::{Batch, End};
pub(super) use end::{Damage, damaged};
pub(super) use index::{Head, IndexedBy, Registration, index, register};
pub(super) use others::index_others;
pub(super) use own::OwnJournal;
pub(super) use segment::{Header, WriterId, folder};

/// A place in the chain of a writer: the number of a record, and its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) seq: i64,
    pub(super) hash: Hash,
}

/// The store that events are moved to, and the folder of the journals that they are in.
pub(super) struct Index<'a> {
    pub(super) connections: &'a Connections,
    pub(super) folder: &'a Path,
    /// The longest time to wait for other processes.
    pub(super) busy: Duration,
}

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
