//! Errors of asking a registry.

use mgp_transport::seam::FetchError;
use thiserror::Error;

/// The error of a registry that could not be asked, or of an answer that could not be read.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum PublicRegistryError {
    /// The given text is not the address of a registry.
    #[error("{url:?} is not a registry: {reason}")]
    Url {
        /// The given text.
        url: String,
        /// The problem with the text.
        reason: String,
    },
    /// The text to search for, or the name of a server, is not valid.
    #[error("invalid {what} {found:?}: expected {expected}")]
    Asked {
        /// The parameter that is not valid.
        what: &'static str,
        /// The beginning of its value.
        found: String,
        /// The value that was expected.
        expected: &'static str,
    },
    /// The registry could not be reached.
    #[error("failed to read {url}: {source}")]
    Fetch {
        /// The requested address.
        url: String,
        /// The error of the request.
        source: FetchError,
    },
    /// The registry answered with a status other than 200.
    #[error("{url} answered with the status {status}: expected 200")]
    Status {
        /// The requested address.
        url: String,
        /// The status.
        status: u16,
    },
    /// The answer does not follow the API.
    #[error("the answer of {url} cannot be read: {reason}")]
    Answer {
        /// The requested address.
        url: String,
        /// The problem with the answer.
        reason: String,
    },
    /// The list of the registry is circular.
    #[error("the list of {url} does not end: the page after {cursor:?} leads to itself")]
    Circle {
        /// The requested address.
        url: String,
        /// The repeated cursor.
        cursor: String,
    },
    /// The registry does not have the server.
    #[error("the registry has no server {0:?}")]
    NotFound(String),
}
