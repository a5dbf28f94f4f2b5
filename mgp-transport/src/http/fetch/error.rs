//! The errors of fetching a document.

use crate::http::zone::Zone;
use std::time::Duration;
use url::Url;

/// The reason why a document could not be fetched. URLs are shown without their query, which may hold a secret.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The document would have crossed a network unencrypted.
    #[error("{url} is not safe: expected https, or http to this machine")]
    Insecure {
        /// The URL of the request.
        url: String,
    },
    /// The address is in a network that is closed to the server that named it.
    #[error("{url} leads to an address that is not {allowed}, which a {allowed} server may not name")]
    Zone {
        /// The URL of the request.
        url: String,
        /// The network that the server itself is in.
        allowed: Zone,
    },
    /// The name does not resolve here, so its addresses cannot be checked, and a proxy would look it up itself.
    #[error(
        "{url} has no address here, and a proxy may find one that is not {allowed}: expected a name that can be looked up"
    )]
    NoAddress {
        /// The URL of the request.
        url: String,
        /// The network that the server itself is in.
        allowed: Zone,
    },
    /// A redirect that is not followed.
    #[error("{url} redirects, which is not followed: expected a path of the same origin, and few of them")]
    Redirect {
        /// The URL that redirects.
        url: String,
    },
    /// The document is too long.
    #[error("{url} is longer than {max} bytes")]
    TooLong {
        /// The URL of the document.
        url: String,
        /// The most bytes that are read.
        max: usize,
    },
    /// The fetch took too long.
    #[error("{url} did not answer within {limit:?}")]
    Timeout {
        /// The URL of the document.
        url: String,
        /// The time limit.
        limit: Duration,
    },
    /// There was no answer.
    #[error("failed to reach {url}: {reason}")]
    Unreachable {
        /// The URL of the document.
        url: String,
        /// The cause of the failure.
        reason: String,
    },
    /// The HTTP client could not be set up.
    #[error("failed to set up the HTTP client: {0}")]
    Client(String),
}

/// Returns a URL in the form that is shown: without query, fragment and user, which may hold a secret.
#[must_use]
pub fn shown_url(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.into()
}
