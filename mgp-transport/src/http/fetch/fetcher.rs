//! A client that fetches documents, within bounds.

use super::{
    DocumentError,
    error::shown_url,
    resolver::{ClosedAddress, Reach},
    route::{Proxies, Routes},
};
use crate::http::{
    header::JSON,
    zone::{Zone, is_loopback, zone_of_host},
};
use http::{
    HeaderMap, HeaderValue, Method, Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE, LOCATION},
};
use std::{fmt, sync::Arc, time::Duration};
use url::Url;

/// The bounds of a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchLimits {
    /// The longest document, in bytes.
    pub size: usize,
    /// The time limit of one exchange, from looking up the name to the last byte.
    pub time: Duration,
    /// The most redirects of a GET that are followed, each within its origin.
    pub redirects: usize,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self { size: 256 * 1024, time: Duration::from_secs(10), redirects: 3 }
    }
}

/// The response to a fetch.
#[derive(Clone)]
#[non_exhaustive]
pub struct FetchResponse {
    /// The status: any, not only success.
    pub status: StatusCode,
    /// The URL that the response came from, after redirects.
    pub url: Url,
    /// The target of a redirect that was not followed.
    pub location: Option<Url>,
    /// The headers of the response.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

impl fmt::Debug for FetchResponse {
    /// Omits the body, the headers and the URLs: each may hold a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetchResponse")
            .field("status", &self.status)
            .field("length", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// A client that fetches documents, within bounds.
#[derive(Debug, Clone)]
pub struct Fetcher {
    routes: Routes,
    reach: Arc<Reach>,
    limits: FetchLimits,
}

impl Fetcher {
    /// Creates a client that reaches addresses of `zone` and of wider zones: `Public` is only the internet, `Local` every
    /// network. It uses the proxies of the environment.
    ///
    /// # Errors
    /// Returns [`DocumentError::Client`] if TLS cannot be set up.
    pub fn new(limits: FetchLimits, zone: Zone) -> Result<Self, DocumentError> {
        Self::behind(Proxies::of_environment(), limits, zone)
    }

    pub(super) fn behind(proxies: Proxies, limits: FetchLimits, zone: Zone) -> Result<Self, DocumentError> {
        let reach = Arc::new(Reach::new(zone));
        Ok(Self { routes: Routes::new(reach.clone(), proxies)?, reach, limits })
    }

    /// Extends the client's reach to a zone from now on.
    pub fn widen(&self, zone: Zone) {
        let mut reach = self.reach.lock();
        *reach = zone.max(*reach);
    }

    /// Checks that a URL may be requested, as far as possible without a look-up.
    ///
    /// # Errors
    /// Returns [`DocumentError::Insecure`] or [`DocumentError::Zone`].
    pub fn check(&self, url: &Url) -> Result<(), DocumentError> {
        if !(url.scheme() == "https" || url.scheme() == "http" && is_loopback(url)) {
            return Err(DocumentError::Insecure { url: shown_url(url) });
        }
        let allowed = *self.reach.lock();
        match zone_of_host(url) {
            Some(zone) if zone > allowed => Err(DocumentError::Zone { url: shown_url(url), allowed }),
            _ => Ok(()),
        }
    }

    /// Gets a document. Redirects within the same origin are followed.
    ///
    /// # Errors
    /// Returns a [`DocumentError`] if there is no response. A response with a status other than success is not an error.
    pub async fn get(&self, url: &Url) -> Result<FetchResponse, DocumentError> {
        let mut url = url.clone();
        for _ in 0..=self.limits.redirects {
            let fetched = self.get_once(&url).await?;
            if !fetched.status.is_redirection() {
                return Ok(fetched);
            }
            match fetched.location {
                Some(target) if target.origin() == url.origin() => url = target,
                _ => return Err(DocumentError::Redirect { url: shown_url(&url) }),
            }
        }
        Err(DocumentError::Redirect { url: shown_url(&url) })
    }

    /// Gets a document without following redirects.
    ///
    /// # Errors
    /// Returns the same errors as [`get`](Self::get).
    pub async fn get_once(&self, url: &Url) -> Result<FetchResponse, DocumentError> {
        self.exchange(Method::GET, url, HeaderMap::new(), Vec::new()).await
    }

    /// Posts a document without following redirects. `headers` are credentials: no log shows them.
    ///
    /// # Errors
    /// Returns the same errors as [`get`](Self::get).
    pub async fn post(
        &self,
        url: &Url,
        content_type: &'static str,
        mut headers: HeaderMap,
        body: Vec<u8>,
    ) -> Result<FetchResponse, DocumentError> {
        headers.values_mut().for_each(|value| value.set_sensitive(true));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        self.exchange(Method::POST, url, headers, body).await
    }

    async fn exchange(
        &self,
        method: Method,
        url: &Url,
        mut headers: HeaderMap,
        body: Vec<u8>,
    ) -> Result<FetchResponse, DocumentError> {
        headers.insert(ACCEPT, HeaderValue::from_static(JSON));
        let answer = self.send(url, (method, headers, body), self.limits.size).await?;
        let location = answer.headers().get(LOCATION).and_then(|location| location.to_str().ok());
        let location = location.and_then(|location| url.join(location).ok());
        let (parts, body) = answer.into_parts();
        Ok(FetchResponse { status: parts.status, url: url.clone(), location, headers: parts.headers, body })
    }

    /// Sends a request and reads an answer of at most `max` bytes.
    pub(crate) async fn send(
        &self,
        url: &Url,
        request: (Method, HeaderMap, Vec<u8>),
        max: usize,
    ) -> Result<Response<Vec<u8>>, DocumentError> {
        self.check(url)?;
        let limit = self.limits.time;
        let answer = tokio::time::timeout(limit, self.answer(url, request, max)).await;
        answer.unwrap_or_else(|_| Err(DocumentError::Timeout { url: shown_url(url), limit }))
    }

    async fn answer(
        &self,
        url: &Url,
        (method, headers, body): (Method, HeaderMap, Vec<u8>),
        max: usize,
    ) -> Result<Response<Vec<u8>>, DocumentError> {
        let request = self.routes.to(url).await?.request(method, url.clone()).headers(headers).body(body);
        let mut answer = request.send().await.map_err(|error| self.failure(url, error))?;
        let mut read = Vec::new();
        while let Some(piece) = answer.chunk().await.map_err(|error| self.failure(url, error))? {
            if read.len() + piece.len() > max {
                return Err(DocumentError::TooLong { url: shown_url(url), max });
            }
            read.extend_from_slice(&piece);
        }
        let mut response = Response::new(read);
        *response.status_mut() = answer.status();
        *response.headers_mut() = std::mem::take(answer.headers_mut());
        Ok(response)
    }

    fn failure(&self, url: &Url, error: reqwest::Error) -> DocumentError {
        let url = shown_url(url);
        let error = error.without_url();
        let mut reason = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            if cause.is::<ClosedAddress>() {
                return DocumentError::Zone { url, allowed: *self.reach.lock() };
            }
            reason = format!("{reason}: {cause}");
            source = cause.source();
        }
        DocumentError::Unreachable { url, reason }
    }
}
