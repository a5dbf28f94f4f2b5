//! Single HTTP requests to somebody who is no peer, such as an authorization server.

use super::{HttpClientError, failure};
use crate::http::zone::is_loopback;
use crate::seam::{Fetch, FetchError};
use async_trait::async_trait;
use http::{Request, Response};
use reqwest::{Client, redirect};
use std::{fmt, time::Duration};
use url::Url;

/// Sends single HTTP requests: over https, or over http to this machine, within a time limit, and without following redirects.
///
/// ```no_run
/// use mgp_transport::{http::client::HttpFetch, seam::{BoxError, Fetch}};
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
/// let fetch = HttpFetch::new(Duration::from_secs(10))?;
/// let request = http::Request::get("https://auth.example/jwks.json").body(String::new())?;
/// println!("{}", fetch.fetch(request, 64 * 1024).await?.status());
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct HttpFetch {
    client: Client,
    /// For this machine: no proxy stands between us and ourselves.
    local: Client,
    time_limit: Duration,
}

impl HttpFetch {
    /// One whose requests may take so long, from connecting to the last byte of the answer.
    ///
    /// # Errors
    /// [`HttpClientError::Client`] where TLS cannot be set up.
    pub fn new(time_limit: Duration) -> Result<Self, HttpClientError> {
        // A provider that is installed already is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = || {
            Client::builder()
                .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
                .redirect(redirect::Policy::none())
                .pool_idle_timeout(Duration::from_secs(4))
        };
        let failed = |error: reqwest::Error| HttpClientError::Client(error.without_url().to_string());
        let client = builder().build().map_err(failed)?;
        let local = builder().no_proxy().build().map_err(failed)?;
        Ok(Self { client, local, time_limit })
    }

    async fn answer(
        &self,
        request: Request<String>,
        max_body: usize,
    ) -> Result<Response<Vec<u8>>, FetchError> {
        let (parts, body) = request.into_parts();
        let url = Url::parse(&parts.uri.to_string()).map_err(|_| FetchError::Insecure)?;
        let client = match (url.scheme(), is_loopback(&url)) {
            ("http" | "https", true) => &self.local,
            ("https", false) => &self.client,
            _ => return Err(FetchError::Insecure),
        };
        let failed = |error| FetchError::Failed(failure::of_transport(error).message);
        let sent = client.request(parts.method, url).headers(parts.headers).body(body).send();
        let mut answer = sent.await.map_err(failed)?;
        let mut read = Vec::new();
        while let Some(piece) = answer.chunk().await.map_err(failed)? {
            if read.len() + piece.len() > max_body {
                return Err(FetchError::TooLong(max_body));
            }
            read.extend_from_slice(&piece);
        }
        let mut response = Response::new(read);
        *response.status_mut() = answer.status();
        *response.headers_mut() = std::mem::take(answer.headers_mut());
        Ok(response)
    }
}

#[async_trait]
impl Fetch for HttpFetch {
    async fn fetch(
        &self,
        request: Request<String>,
        max_body: usize,
    ) -> Result<Response<Vec<u8>>, FetchError> {
        let limit = self.time_limit;
        let answer = tokio::time::timeout(limit, self.answer(request, max_body)).await;
        answer.unwrap_or(Err(FetchError::TimedOut(limit)))
    }
}

impl fmt::Debug for HttpFetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpFetch").field("time_limit", &self.time_limit).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_would_go_over_the_network_in_the_clear_is_not_sent() {
        let fetch = HttpFetch::new(Duration::from_secs(5)).unwrap();
        for url in ["http://auth.example/keys", "ftp://localhost/keys", "/keys"] {
            let request = Request::get(url).body(String::new()).unwrap();
            let error = fetch.fetch(request, 10).await.unwrap_err();
            assert!(matches!(error, FetchError::Insecure), "{url}: {error}");
        }
    }
}
