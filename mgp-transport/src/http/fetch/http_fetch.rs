//! Single HTTP requests for crates that must not connect by themselves.

use super::{DocumentError, FetchLimits, Fetcher};
use crate::{
    http::zone::Zone,
    seam::{Fetch, FetchError},
};
use async_trait::async_trait;
use http::{Request, Response};
use std::time::Duration;
use url::Url;

/// A sender of single HTTP requests to addresses that the operator named: over https, or over http to this machine. It has a time
/// limit and follows no redirects. This type is a [`Fetcher`] that reaches every network.
///
/// ```no_run
/// use mgp_transport::{http::fetch::HttpFetch, seam::{BoxError, Fetch}};
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
/// let fetch = HttpFetch::new(Duration::from_secs(10))?;
/// let request = http::Request::get("https://auth.example/jwks.json").body(String::new())?;
/// println!("{}", fetch.fetch(request, 64 * 1024).await?.status());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct HttpFetch(Fetcher);

impl HttpFetch {
    /// Creates a client. `timeout` is that of each request, from connecting to the last byte of the answer.
    ///
    /// # Errors
    /// [`DocumentError::Client`] if TLS cannot be set up.
    pub fn new(timeout: Duration) -> Result<Self, DocumentError> {
        let limits = FetchLimits { time: timeout, ..FetchLimits::default() };
        Ok(Self(Fetcher::new(limits, Zone::Local)?))
    }
}

#[async_trait]
impl Fetch for HttpFetch {
    async fn fetch(
        &self,
        request: Request<String>,
        max_body: usize,
    ) -> Result<Response<Vec<u8>>, FetchError> {
        let (parts, body) = request.into_parts();
        let url = Url::parse(&parts.uri.to_string()).map_err(|_| FetchError::Insecure)?;
        let request = (parts.method, parts.headers, body.into_bytes());
        Ok(self.0.send(&url, request, max_body).await?)
    }
}

impl From<DocumentError> for FetchError {
    fn from(error: DocumentError) -> Self {
        match error {
            DocumentError::Insecure { .. } => Self::Insecure,
            DocumentError::TooLong { max, .. } => Self::TooLong(max),
            DocumentError::Timeout { limit, .. } => Self::TimedOut(limit),
            other => Self::Failed(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn cleartext_requests_to_other_machines_are_not_sent() {
        let fetch = HttpFetch::new(Duration::from_secs(5)).unwrap();
        for url in ["http://auth.example/keys", "ftp://localhost/keys", "/keys"] {
            let request = Request::get(url).body(String::new()).unwrap();
            let error = fetch.fetch(request, 10).await.unwrap_err();
            assert!(matches!(error, FetchError::Insecure), "{url}: {error}");
        }
    }
}
