//! Errors of reading another host's file.

use mgp_types::json::JsonError;
use thiserror::Error;

/// The error of another host's file that cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file is larger than any real list of servers.
    #[error("the file holds {size} bytes: expected at most {limit}")]
    TooLarge {
        /// The size of the file, in bytes.
        size: usize,
        /// The largest size that is read, in bytes.
        limit: usize,
    },
    /// The file is not JSON, not even with comments.
    #[error("the file is not JSON")]
    Json(#[from] JsonError),
    /// The file does not have the syntax of its format, or the form that is read.
    #[error(transparent)]
    Content(#[from] super::EditError),
    /// The file is JSON without a list of servers.
    #[error("the file has no list of servers: expected a member \"mcpServers\" or \"servers\"")]
    NoServers,
}
