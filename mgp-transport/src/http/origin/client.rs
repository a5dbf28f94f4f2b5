//! A client of one origin.

use super::OriginError;
use crate::http::{
    client::{Attempts, HttpClientConfig, HttpClientError},
    fetch::{DocumentError, shown_url},
    tls,
    zone::is_loopback,
};
use http::{
    HeaderMap, HeaderValue, Method, Response, StatusCode,
    header::{AUTHORIZATION, LOCATION},
};
use reqwest::{Client, redirect};
use std::{error::Error as _, time::Duration};
use url::Url;

/// The bounds of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OriginLimits {
    /// The longest response, in bytes.
    pub size: usize,
    /// The time limit, from connecting to the last byte, with redirects and repeated attempts.
    pub time: Duration,
    /// The most redirects of a GET or HEAD that are followed, each within the origin.
    pub redirects: usize,
}

impl Default for OriginLimits {
    fn default() -> Self {
        Self { size: 8 * 1024 * 1024, time: Duration::from_secs(60), redirects: 5 }
    }
}

/// One request.
#[derive(Debug, Clone)]
pub struct OriginRequest {
    /// The method.
    pub method: Method,
    /// The path below the base URL, and the query: empty, or begun by `/` or `?`.
    pub path_and_query: String,
    /// The headers, without the credentials.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

/// A client of one origin, with its credentials.
///
/// ```no_run
/// use http::{HeaderMap, Method};
/// use mgp_transport::http::{client::HttpClientConfig, origin::{OriginClient, OriginLimits, OriginRequest}};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let config = HttpClientConfig { bearer: Some("secret".to_owned()), ..HttpClientConfig::default() };
/// let client = OriginClient::new("https://api.example.com/v1", config, OriginLimits::default())?;
/// let path_and_query = "/users?page=2".to_owned();
/// let (method, headers, body) = (Method::GET, HeaderMap::new(), Vec::new());
/// let response = client.send(OriginRequest { method, path_and_query, headers, body }).await?;
/// # let _ = response; Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct OriginClient {
    /// The base URL, without a slash at its end.
    base: String,
    origin: Url,
    client: Client,
    /// The headers of every request.
    headers: HeaderMap,
    config: HttpClientConfig,
    limits: OriginLimits,
}

impl OriginClient {
    /// Creates a client of the origin of `base_url`. Of `config`, the credentials, their attempts and the time limit of connecting
    /// are used.
    ///
    /// # Errors
    /// [`HttpClientError`] for a URL that is not one of HTTP or has a user, a query or a fragment, and for a token that is not a
    /// valid header.
    pub fn new(
        base_url: &str,
        config: HttpClientConfig,
        limits: OriginLimits,
    ) -> Result<Self, HttpClientError> {
        let invalid = |problem: String| HttpClientError::Url(problem);
        let origin = Url::parse(base_url).map_err(|error| invalid(error.to_string()))?;
        if !matches!(origin.scheme(), "http" | "https") {
            return Err(invalid(format!("expected http or https, found {:?}", origin.scheme())));
        }
        let has_user = !origin.username().is_empty() || origin.password().is_some();
        if has_user || origin.query().is_some() || origin.fragment().is_some() {
            return Err(invalid("expected a base URL without user, query and fragment".to_owned()));
        }
        let mut headers = config.headers.clone();
        if let Some(bearer) = &config.bearer {
            let mut value =
                HeaderValue::from_str(&format!("Bearer {bearer}")).map_err(|_| HttpClientError::Bearer)?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let tls = tls::client_config().map_err(|error| HttpClientError::Client(error.to_string()))?;
        let mut client = Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .pool_idle_timeout(Duration::from_secs(4))
            .connect_timeout(config.connect_timeout);
        if is_loopback(&origin) {
            client = client.no_proxy();
        }
        let client =
            client.build().map_err(|error| HttpClientError::Client(error.without_url().to_string()))?;
        let base = origin.as_str().trim_end_matches('/').to_owned();
        Ok(Self { base, origin, client, headers, config, limits })
    }

    /// Returns the base URL, without a slash at its end.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base
    }

    /// Sends a request, and reads its response, of any status. A redirect that is not followed is returned as it is.
    ///
    /// # Errors
    /// [`OriginError`].
    pub async fn send(&self, request: OriginRequest) -> Result<Response<Vec<u8>>, OriginError> {
        let OriginLimits { time: limit, .. } = self.limits;
        let url = self.target(&request.path_and_query)?;
        let shown = shown_url(&url);
        let sent = tokio::time::timeout(limit, self.exchange(url, &request)).await;
        sent.unwrap_or(Err(DocumentError::Timeout { url: shown, limit }.into()))
    }

    fn target(&self, path_and_query: &str) -> Result<Url, OriginError> {
        let outside = || OriginError::Path {
            path: path_and_query.chars().take(200).collect(),
            origin: shown_url(&self.origin),
        };
        if !(path_and_query.is_empty() || path_and_query.starts_with(['/', '?'])) {
            return Err(outside());
        }
        let url = Url::parse(&format!("{}{path_and_query}", self.base)).map_err(|_| outside())?;
        if url.origin() == self.origin.origin() { Ok(url) } else { Err(outside()) }
    }

    async fn exchange(
        &self,
        mut url: Url,
        request: &OriginRequest,
    ) -> Result<Response<Vec<u8>>, OriginError> {
        let mut attempts = Attempts::new(&self.config);
        let mut redirects = 0;
        loop {
            let mut headers = self.headers.clone();
            headers.extend(request.headers.clone());
            // A header of the request does not replace a credential.
            headers.extend(self.headers.clone());
            headers.extend(attempts.headers(&request.method, &url).await?);
            let sent = self.client.request(request.method.clone(), url.clone());
            let sent = sent.headers(headers).body(request.body.clone()).send().await;
            let response = sent.map_err(|error| unreachable(&url, error))?;
            if attempts.again(&response, &url).await? {
                continue;
            }
            match self.redirect(request, &response, &url) {
                Some(target) if redirects < self.limits.redirects => {
                    redirects += 1;
                    url = target;
                }
                Some(_) => return Err(DocumentError::Redirect { url: shown_url(&url) }.into()),
                None => return self.read(&url, response).await,
            }
        }
    }

    /// Returns the target of a redirect that is followed.
    fn redirect(&self, request: &OriginRequest, response: &reqwest::Response, url: &Url) -> Option<Url> {
        let is_followed = matches!(
            response.status(),
            StatusCode::MOVED_PERMANENTLY
                | StatusCode::FOUND
                | StatusCode::SEE_OTHER
                | StatusCode::TEMPORARY_REDIRECT
                | StatusCode::PERMANENT_REDIRECT
        ) && matches!(request.method, Method::GET | Method::HEAD);
        let location = response.headers().get(LOCATION).filter(|_| is_followed)?;
        let target = url.join(location.to_str().ok()?).ok()?;
        (target.origin() == self.origin.origin()).then_some(target)
    }

    async fn read(
        &self,
        url: &Url,
        mut response: reqwest::Response,
    ) -> Result<Response<Vec<u8>>, OriginError> {
        let max = self.limits.size;
        let mut read = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| unreachable(url, error))? {
            if read.len() + piece.len() > max {
                return Err(DocumentError::TooLong { url: shown_url(url), max }.into());
            }
            read.extend_from_slice(&piece);
        }
        let mut whole = Response::new(read);
        *whole.status_mut() = response.status();
        *whole.headers_mut() = std::mem::take(response.headers_mut());
        Ok(whole)
    }
}

fn unreachable(url: &Url, error: reqwest::Error) -> OriginError {
    let error = error.without_url();
    let mut reason = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        reason = format!("{reason}: {cause}");
        source = cause.source();
    }
    DocumentError::Unreachable { url: shown_url(url), reason }.into()
}
