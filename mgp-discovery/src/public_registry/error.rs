//! Why a registry could not be asked.

use mgp_transport::seam::FetchError;
use thiserror::Error;

/// Why a registry could not be asked, or its answer not be read.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum PublicRegistryError {
    /// What was given is no address of a registry.
    #[error("{url:?} is no registry: {reason}")]
    Url {
        /// What was given.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// What is looked for is no name, or too much of one.
    #[error("invalid {what} {found:?}: expected {expected}")]
    Asked {
        /// What it is for.
        what: &'static str,
        /// The beginning of it.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// It could not be reached.
    #[error("failed to read {url}: {source}")]
    Fetch {
        /// Where.
        url: String,
        /// Why.
        source: FetchError,
    },
    /// It answered with another status than 200.
    #[error("{url} answered with the status {status}: expected 200")]
    Status {
        /// Where.
        url: String,
        /// The status.
        status: u16,
    },
    /// Its answer is not what the API says.
    #[error("the answer of {url} cannot be read: {reason}")]
    Answer {
        /// Where.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// Its list goes round in a circle.
    #[error("the list of {url} does not end: the page after {cursor:?} leads to itself")]
    Circle {
        /// Where.
        url: String,
        /// The cursor that came twice.
        cursor: String,
    },
    /// It has no such server.
    #[error("the registry has no server {0:?}")]
    NotFound(String),
}
