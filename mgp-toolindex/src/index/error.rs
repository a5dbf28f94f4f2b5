//! Why the index failed.

use super::MAX_TOOLS;
use thiserror::Error;

/// Why the index could not be changed or read.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum IndexError {
    /// It would hold more than [`MAX_TOOLS`].
    #[error("the index would hold {wanted} tools: expected at most {MAX_TOOLS}")]
    Full {
        /// How many it would hold.
        wanted: usize,
    },
    /// The thread that writes has ended.
    #[error("the index is closed")]
    Closed,
    /// The search engine failed. Searches go on over what there was; every later change is [`Closed`](Self::Closed).
    #[error("the search engine failed")]
    Engine(#[from] tantivy::TantivyError),
}
