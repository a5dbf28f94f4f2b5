//! One HTTP request to somebody who is no peer, such as an authorization server.

use async_trait::async_trait;
use http::{Request, Response};
use std::{fmt::Debug, time::Duration};

/// Sends single HTTP requests. The feature `http-client` has an implementation, `http::fetch::HttpFetch`.
///
/// Who needs something from the network, such as an authorization server's keys, asks for it through this, so that the
/// transport stays the only crate that connects.
#[async_trait]
pub trait Fetch: Debug + Send + Sync {
    /// Sends a request and reads the whole answer, whatever its status. Follows no redirect. Nothing of the request may go
    /// into a log: it may hold secrets.
    ///
    /// # Errors
    /// [`FetchError`]; an answer of more than `max_body` bytes is one.
    async fn fetch(&self, request: Request<String>, max_body: usize)
    -> Result<Response<Vec<u8>>, FetchError>;
}

/// Why there is no answer.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// Secrets and keys go over TLS, or stay on this machine.
    #[error("refused to fetch: expected a URL of https, or of http on this machine")]
    Insecure,
    /// The answer is too long.
    #[error("the answer is too long: expected at most {0} bytes")]
    TooLong(usize),
    /// The answer did not come in time.
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    /// The other side could not be reached or understood.
    #[error("{0}")]
    Failed(String),
}
