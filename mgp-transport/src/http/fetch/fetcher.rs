//! Fetches, within bounds.

use super::{
    FetchError,
    error::shown,
    resolver::{Closed, Reach, Resolver},
};
use crate::http::{
    header::JSON,
    zone::{Zone, is_loopback},
};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, LOCATION},
};
use reqwest::{Client, Response, redirect};
use std::{fmt, sync::Arc, time::Duration};
use url::Url;

/// The bounds of a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchLimits {
    /// The longest document, in bytes.
    pub size: usize,
    /// How long one exchange may take, from looking up the name to the last byte.
    pub time: Duration,
    /// How many redirects of a GET are followed, each to its own origin.
    pub redirects: usize,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self { size: 256 * 1024, time: Duration::from_secs(10), redirects: 3 }
    }
}

/// What came back.
#[derive(Clone)]
#[non_exhaustive]
pub struct Fetched {
    /// The status, whatever it is.
    pub status: StatusCode,
    /// Where it came from, after redirects.
    pub url: Url,
    /// Where it says to go, of a redirect that was not followed.
    pub location: Option<Url>,
    /// The body.
    pub body: Vec<u8>,
}

impl fmt::Debug for Fetched {
    /// Shows neither the body nor where it leads: either may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetched")
            .field("status", &self.status)
            .field("length", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// Fetches documents within bounds.
#[derive(Debug, Clone)]
pub struct Fetcher {
    client: Client,
    reach: Arc<Reach>,
    limits: FetchLimits,
}

impl Fetcher {
    /// Reaches addresses of `zone` and of the wider ones: `Public` the internet alone, `Local` every network.
    ///
    /// # Errors
    /// [`FetchError::Client`].
    pub fn new(limits: FetchLimits, zone: Zone) -> Result<Self, FetchError> {
        // A provider that is installed already is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let reach = Arc::new(Reach::new(zone));
        let mut client = Client::builder()
            .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .dns_resolver(Arc::new(Resolver(reach.clone())))
            .pool_idle_timeout(Duration::from_secs(4))
            .timeout(limits.time);
        if zone == Zone::Local {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| FetchError::Client(error.without_url().to_string()))?;
        Ok(Self { client, reach, limits })
    }

    /// Lets it reach a zone from now on.
    pub fn widen(&self, zone: Zone) {
        self.reach.widen(zone);
    }

    /// Whether a URL may be spoken to, as far as it tells without a look-up.
    ///
    /// # Errors
    /// [`FetchError::Insecure`], [`FetchError::Zone`].
    pub fn check(&self, url: &Url) -> Result<(), FetchError> {
        if !(url.scheme() == "https" || url.scheme() == "http" && is_loopback(url)) {
            return Err(FetchError::Insecure { url: shown(url) });
        }
        let allowed = self.reach.zone();
        match Zone::of_host(url) {
            Some(zone) if zone > allowed => Err(FetchError::Zone { url: shown(url), allowed }),
            _ => Ok(()),
        }
    }

    /// Gets a document. Redirects to paths of the same origin are followed.
    ///
    /// # Errors
    /// [`FetchError`]. A status that is no success is none.
    pub async fn get(&self, url: &Url) -> Result<Fetched, FetchError> {
        let mut url = url.clone();
        for _ in 0..=self.limits.redirects {
            let fetched = self.get_once(&url).await?;
            if !fetched.status.is_redirection() {
                return Ok(fetched);
            }
            match fetched.location {
                Some(target) if target.origin() == url.origin() => url = target,
                _ => return Err(FetchError::Redirect { url: shown(&url) }),
            }
        }
        Err(FetchError::Redirect { url: shown(&url) })
    }

    /// Gets a document and follows no redirect.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub async fn get_once(&self, url: &Url) -> Result<Fetched, FetchError> {
        self.exchange(Method::GET, url, HeaderMap::new(), Vec::new()).await
    }

    /// Posts a document and follows no redirect.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub async fn post(
        &self,
        url: &Url,
        content_type: &'static str,
        authorization: Option<HeaderValue>,
        body: Vec<u8>,
    ) -> Result<Fetched, FetchError> {
        let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(content_type))]);
        headers.extend(authorization.map(|mut value| {
            value.set_sensitive(true);
            (AUTHORIZATION, value)
        }));
        self.exchange(Method::POST, url, headers, body).await
    }

    async fn exchange(
        &self,
        method: Method,
        url: &Url,
        mut headers: HeaderMap,
        body: Vec<u8>,
    ) -> Result<Fetched, FetchError> {
        self.check(url)?;
        headers.insert(ACCEPT, HeaderValue::from_static(JSON));
        let request = self.client.request(method, url.clone()).headers(headers).body(body);
        let response = request.send().await.map_err(|error| self.failure(url, error))?;
        let status = response.status();
        let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
        let location = location.and_then(|location| url.join(location).ok());
        let body = self.read(url, response).await?;
        Ok(Fetched { status, url: url.clone(), location, body })
    }

    async fn read(&self, url: &Url, mut response: Response) -> Result<Vec<u8>, FetchError> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.failure(url, error))? {
            if body.len() + chunk.len() > self.limits.size {
                return Err(FetchError::TooLong { url: shown(url), max: self.limits.size });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn failure(&self, url: &Url, error: reqwest::Error) -> FetchError {
        let url = shown(url);
        if error.is_timeout() {
            return FetchError::TimeLimit { url, limit: self.limits.time };
        }
        let error = error.without_url();
        let mut reason = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            if cause.is::<Closed>() {
                return FetchError::Zone { url, allowed: self.reach.zone() };
            }
            reason = format!("{reason}: {cause}");
            source = cause.source();
        }
        FetchError::Unreachable { url, reason }
    }
}
