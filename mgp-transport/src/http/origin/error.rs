//! The reasons why a request got no response.

use crate::http::{client::AuthorizeError, fetch::DocumentError};

/// The reason why a request got no response.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum OriginError {
    /// The request could not be authorized.
    #[error(transparent)]
    Authorize(#[from] AuthorizeError),
    /// The path leads out of the origin.
    #[error("the path {path:?} leads out of {origin}: expected one that begins with a slash")]
    Path {
        /// The path of the request.
        path: String,
        /// The origin.
        origin: String,
    },
    /// There was no response, or none within the limits.
    #[error(transparent)]
    Exchange(#[from] DocumentError),
}
