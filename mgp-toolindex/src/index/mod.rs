//! §16.4 The index: every tool of every server, searched by words, by meaning, or by both.
//!
//! A search reads the last committed state and never waits for an update. An update is visible to every search that starts after
//! its future resolved. Everything is held in memory. Scores are computed only from the tools that the caller may see, so they
//! depend neither on other tools nor on the order in which tools were added.

mod background;
mod blocking;
mod browse;
mod builder;
mod document;
mod equals;
mod error;
mod fields;
mod filter;
mod fusion;
mod hit;
mod keyword;
mod meaning;
mod near;
mod query;
mod ranking;
mod relevance;
mod search;
mod selection;
mod slots;
mod snapshot;
mod tool_index;
mod writer;

#[cfg(test)]
mod tests;

pub use builder::ToolIndexBuilder;
pub(crate) use equals::behind_equals;
pub use error::IndexError;
pub use fields::Field;
pub use filter::SearchFilter;
pub use fusion::{Fusion, Signs};
pub use hit::Hit;
pub use query::{MAX_QUERY, Query, QueryError};
pub use relevance::{Evidence, FLOOR};
pub use search::{Search, SearchMode, SearchResult};
pub use tool_index::{IndexStats, ToolIndex};
pub use writer::MAX_TOOLS;
