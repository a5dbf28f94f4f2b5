//! Single HTTP requests to servers that are not peers, such as an authorization server.

use async_trait::async_trait;
use http::{Request, Response};
use std::{fmt::Debug, time::Duration};

/// A sender of single HTTP requests. The feature `http-client` has an implementation, `http::fetch::HttpFetch`.
///
/// Code that needs something from the network, such as an authorization server's keys, fetches it through this trait, so that the
/// transport stays the only crate that connects.
#[async_trait]
pub trait Fetch: Debug + Send + Sync {
    /// Sends a request and reads the whole answer, of any status. Follows no redirect. No part of the request may be logged:
    /// each may hold secrets.
    ///
    /// # Errors
    /// Returns a [`FetchError`], also for an answer of more than `max_body` bytes.
    async fn fetch(&self, request: Request<String>, max_body: usize)
    -> Result<Response<Vec<u8>>, FetchError>;
}

/// The reason why a request got no answer.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The URL is insecure: secrets and keys go over TLS, or stay on this machine.
    #[error("refused to fetch: expected a URL of https, or of http on this machine")]
    Insecure,
    /// The answer is too long.
    #[error("the answer is too long: expected at most {0} bytes")]
    TooLong(usize),
    /// The answer did not come in time.
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    /// The other side could not be reached, or its answer could not be read.
    #[error("{0}")]
    Failed(String),
}
