//! §16.4 The index: every tool of every server, searched by words.
//!
//! A search reads the last committed state and never waits for an update; an update is seen by every search that starts
//! after its future ended. The index is held in memory and has one segment, so that scores depend on the tools alone
//! and not on the order in which they came.

mod collector;
mod error;
mod fields;
mod fuzzy;
mod hit;
mod query;
mod search;
mod snapshot;
mod words;
mod writer;

#[cfg(test)]
mod tests;

pub use error::IndexError;
pub use fields::Field;
pub use hit::Hit;
pub use query::{MAX_QUERY, Query, QueryError};
pub use search::{SearchFilter, SearchResult, ToolIndex};
pub use writer::MAX_TOOLS;
