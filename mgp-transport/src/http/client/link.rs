//! What every HTTP request of a connection shares: where it goes, and what it says of the session.

use super::{HttpClientConfig, HttpClientError, failure};
use crate::{
    http::header::{JSON, PROTOCOL_VERSION, SESSION_ID, SSE},
    sync::lock,
};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, LOCATION},
};
use mgp_types::rpc::ErrorObject;
use reqwest::{Body, Client, RequestBuilder, Response, redirect};
use std::{convert::Infallible, sync::Mutex, time::Duration};
use tokio::sync::oneshot;
use url::{Host, Url};

/// How often a request may be sent on to another path of its server.
const REDIRECTS: usize = 3;

/// What every HTTP request of a connection shares.
#[derive(Debug)]
pub(super) struct Link {
    client: Client,
    headers: HeaderMap,
    state: Mutex<State>,
    pub(super) config: HttpClientConfig,
    /// The longest message that is read, in bytes.
    pub(super) max_frame: usize,
}

#[derive(Debug)]
struct State {
    endpoint: Url,
    session: Option<HeaderValue>,
    version: Option<HeaderValue>,
}

impl Link {
    pub(super) fn new(
        url: &str,
        config: HttpClientConfig,
        max_frame: usize,
    ) -> Result<Self, HttpClientError> {
        let endpoint = Url::parse(url).map_err(|error| HttpClientError::Url(error.to_string()))?;
        if !matches!(endpoint.scheme(), "http" | "https") {
            return Err(HttpClientError::Url(format!(
                "expected http or https, found {:?}",
                endpoint.scheme()
            )));
        }
        let mut headers = config.headers.clone();
        if let Some(bearer) = &config.bearer {
            let mut value =
                HeaderValue::from_str(&format!("Bearer {bearer}")).map_err(|_| HttpClientError::Bearer)?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        // A provider that is installed already is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder()
            .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            // Common servers close idle connections after five seconds; a POST must not meet one that is closing.
            .pool_idle_timeout(Duration::from_secs(4))
            .connect_timeout(config.connect_time_limit);
        if is_loopback(&endpoint) {
            client = client.no_proxy();
        }
        let client =
            client.build().map_err(|error| HttpClientError::Client(error.without_url().to_string()))?;
        let state = Mutex::new(State { endpoint, session: None, version: None });
        Ok(Self { client, headers, state, config, max_frame })
    }

    /// Sends a message. `on_its_way` is dropped once the message is handed to a TCP connection, or cannot be.
    pub(super) async fn post(
        &self,
        text: &Bytes,
        mut on_its_way: Option<oneshot::Sender<()>>,
    ) -> Result<Response, ErrorObject> {
        let mut redirects = 0;
        loop {
            let (text, signal, endpoint) = (text.clone(), on_its_way.take(), self.endpoint());
            let length = text.len();
            let body = futures_util::stream::once(async move {
                drop(signal);
                Ok::<_, Infallible>(text)
            });
            let request = self
                .with_session(self.client.post(endpoint.clone()))
                .header(ACCEPT, format!("{JSON}, {SSE}"))
                .header(CONTENT_TYPE, JSON)
                .header(CONTENT_LENGTH, length)
                .body(Body::wrap_stream(body));
            let response = request.send().await.map_err(failure::of_transport)?;
            if !response.status().is_redirection() {
                return Ok(response);
            }
            self.follow(&endpoint, &response)?;
            redirects += 1;
            if redirects > REDIRECTS {
                return Err(failure::of_content("the server redirects in circles"));
            }
        }
    }

    /// Opens the session's stream, or goes on with a stream after an event.
    pub(super) async fn get(&self, last_id: Option<&str>) -> reqwest::Result<Response> {
        let mut request = self.with_session(self.client.get(self.endpoint())).header(ACCEPT, SSE);
        if let Some(last_id) = last_id {
            request = request.header("last-event-id", last_id);
        }
        request.send().await
    }

    /// Ends the session, where there is one.
    pub(super) async fn delete(&self) {
        if lock(&self.state).session.is_none() {
            return;
        }
        let request = self.with_session(self.client.delete(self.endpoint()));
        match tokio::time::timeout(self.config.close_time_limit, request.send()).await {
            Ok(Ok(response)) => tracing::debug!(status = response.status().as_u16(), "session ended"),
            Ok(Err(error)) => tracing::debug!(error = %error.without_url(), "failed to end the session"),
            Err(_) => {
                tracing::debug!(limit = ?self.config.close_time_limit, "the server did not end the session in time");
            }
        }
    }

    pub(super) fn has_session(&self) -> bool {
        lock(&self.state).session.is_some()
    }

    /// Keeps the session that a response to `initialize` names.
    pub(super) fn keep_session(&self, headers: &HeaderMap) {
        if let Some(session) = headers.get(SESSION_ID) {
            let mut session = session.clone();
            session.set_sensitive(true);
            lock(&self.state).session = Some(session);
        }
    }

    /// Forgets a session that the server has ended.
    pub(super) fn forget_session(&self) {
        lock(&self.state).session = None;
    }

    /// Keeps the revision that was agreed on.
    pub(super) fn keep_version(&self, version: &str) {
        lock(&self.state).version = HeaderValue::from_str(version).ok();
    }

    fn endpoint(&self) -> Url {
        lock(&self.state).endpoint.clone()
    }

    fn with_session(&self, request: RequestBuilder) -> RequestBuilder {
        let mut headers = self.headers.clone();
        let state = lock(&self.state);
        for (name, value) in [(SESSION_ID, &state.session), (PROTOCOL_VERSION, &state.version)] {
            if let Some(value) = value {
                headers.insert(name, value.clone());
            }
        }
        drop(state);
        request.headers(headers)
    }

    /// Follows to another path of the same server. Headers and messages go to no other: they may hold secrets.
    fn follow(&self, from: &Url, response: &Response) -> Result<(), ErrorObject> {
        let status = response.status();
        let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
        let target = location.and_then(|location| from.join(location).ok());
        match target {
            Some(target)
                if target.origin() == from.origin()
                    && matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT) =>
            {
                lock(&self.state).endpoint = target;
                Ok(())
            }
            Some(target) => Err(failure::of_content(format!(
                "the server answered with HTTP {status} to {}, which is not followed",
                target.origin().ascii_serialization()
            ))),
            None => Err(failure::of_status(status, b"")),
        }
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_loopback() {
        let check = |url: &str| is_loopback(&Url::parse(url).unwrap());
        for url in ["http://localhost:1/mcp", "http://127.9.9.9", "https://[::1]/", "http://a.localhost"] {
            assert!(check(url), "{url}");
        }
        for url in ["http://localhost.example", "http://10.0.0.1", "https://[::2]"] {
            assert!(!check(url), "{url}");
        }
    }

    #[test]
    fn no_secret_is_shown() {
        let mut headers = HeaderMap::new();
        headers.insert("x-api-key", HeaderValue::from_static("hush-1"));
        let config = HttpClientConfig { headers, bearer: Some("hush-2".into()), ..Default::default() };
        assert!(!format!("{config:?}").contains("hush"));
        let link = Link::new("http://127.0.0.1:1/mcp", config, 1000).unwrap();
        let mut answer = HeaderMap::new();
        answer.insert(SESSION_ID, HeaderValue::from_static("hush-3"));
        link.keep_session(&answer);
        let shown = format!("{:?} {:?}", link.state, link.headers.get(AUTHORIZATION));
        assert!(!shown.contains("hush"), "{shown}");
    }

    #[test]
    fn a_url_that_is_not_http_is_refused() {
        for url in ["", "mcp", "ftp://x/", "file:///etc/passwd"] {
            assert!(Link::new(url, HttpClientConfig::default(), 1000).is_err(), "{url}");
        }
    }
}
