//! Why another host's file cannot be read.

use mgp_types::json::JsonError;
use thiserror::Error;

/// Why another host's file cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// It is larger than a list of servers is.
    #[error("the file holds {size} bytes: expected at most {limit}")]
    TooLarge {
        /// How many bytes it has.
        size: usize,
        /// How many it may have.
        limit: usize,
    },
    /// It is no JSON, not even with comments.
    #[error("the file is not JSON")]
    Json(#[from] JsonError),
    /// It is JSON without a list of servers.
    #[error("the file has no list of servers: expected a member \"mcpServers\" or \"servers\"")]
    NoServers,
}
