//! Why a document could not be fetched.

use crate::http::zone::Zone;
use std::time::Duration;
use url::Url;

/// Why a document could not be fetched. URLs are shown without their query, which may hold a secret.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// What was to be fetched would have crossed a network in the clear.
    #[error("{url} is not safe: expected https, or http to this machine")]
    Insecure {
        /// Where to.
        url: String,
    },
    /// The address stands in a network that is closed to whoever named it.
    #[error("{url} leads to an address that is not {allowed}, which a {allowed} server may not name")]
    Zone {
        /// Where to.
        url: String,
        /// The network that the server itself stands in.
        allowed: Zone,
    },
    /// A proxy would look the name up, and here it has no address that could be judged.
    #[error(
        "{url} has no address here, and a proxy may find one that is not {allowed}: expected a name that can be looked up"
    )]
    NoAddress {
        /// Where to.
        url: String,
        /// The network that the server itself stands in.
        allowed: Zone,
    },
    /// A redirect that is not followed.
    #[error("{url} redirects, which is not followed: expected a path of the same origin, and few of them")]
    Redirect {
        /// From where.
        url: String,
    },
    /// The document is too long.
    #[error("{url} is longer than {max} bytes")]
    TooLong {
        /// Where it is.
        url: String,
        /// The bound, in bytes.
        max: usize,
    },
    /// It took too long.
    #[error("{url} did not answer within {limit:?}")]
    TimeLimit {
        /// Where it is.
        url: String,
        /// The limit.
        limit: Duration,
    },
    /// There was no answer.
    #[error("failed to reach {url}: {reason}")]
    Unreachable {
        /// Where it is.
        url: String,
        /// What went wrong.
        reason: String,
    },
    /// The HTTP client could not be set up.
    #[error("failed to set up the HTTP client: {0}")]
    Client(String),
}

/// A URL as it is shown: without query, fragment and user, which may hold a secret.
#[must_use]
pub fn shown_url(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.into()
}
