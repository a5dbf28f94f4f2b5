//! The journal of one writer: the events that it has stored and that are not in the store yet, in segments of bounded size.
//!
//! A segment is a file with a header and records. Each record carries a hash that covers its event, its number, and the hash of the record
//! before it, so a reader accepts only a record that the writer appended at this place.

mod append;
mod batch;
mod file;
mod index;
mod record;
mod segment;

pub(super) use append::{AppendError, Journal};
pub(super) use batch::{Batch, End};
pub(super) use index::{Head, index, register};
pub(super) use segment::{Header, WriterId};

/// A place in the chain of a writer: the number of a record, and its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) seq: i64,
    pub(super) hash: super::chain::Hash,
}

mod tests;
