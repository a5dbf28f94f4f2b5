//! Errors of the index.

use super::MAX_TOOLS;
use thiserror::Error;

/// The error of an index that could not be changed or read.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The index would hold more than [`MAX_TOOLS`] tools.
    #[error("the index would hold {wanted} tools: expected at most {MAX_TOOLS}")]
    Full {
        /// The number of tools that it would hold.
        wanted: usize,
    },
    /// The thread that writes has ended.
    #[error("the index is closed")]
    Closed,
    /// The search engine failed. Searches continue over the tools before the change; every later change is
    /// [`Closed`](Self::Closed).
    #[error("the search engine failed")]
    Engine(#[from] tantivy::TantivyError),
}
