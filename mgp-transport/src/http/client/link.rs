//! The state that all HTTP requests of a connection share: the endpoint, and the headers of the session.

use super::{
    HttpClientConfig, HttpClientError,
    attempts::Attempts,
    authorize::AuthorizeError,
    body::peek,
    failure::{self, Failure},
    handshake::{Handshake, Renewal},
    lost_session::body_names_session,
    outbox::Kind,
    suspicion::{Check, Suspicions},
};
use crate::{
    era,
    http::{
        header::{JSON, LAST_EVENT_ID, PROTOCOL_VERSION, SESSION_ID, SSE},
        tls,
        zone::is_loopback,
    },
};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, LOCATION, WWW_AUTHENTICATE},
};
use mgp_types::rpc::{ErrorObject, Frame};
use parking_lot::Mutex;
use reqwest::{Body, Client, Response, redirect};
use std::{
    convert::Infallible,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use tokio::sync::{oneshot, watch};
use url::Url;

/// The most redirects that one request follows, each to another path of its server.
const REDIRECTS: usize = 3;

/// The state that all HTTP requests of a connection share.
#[derive(Debug)]
pub(super) struct Link {
    client: Client,
    headers: HeaderMap,
    state: Mutex<State>,
    pub(super) config: HttpClientConfig,
    /// The longest message that is read, in bytes.
    pub(super) max_frame: usize,
    /// The most messages in one batch.
    pub(super) max_batch: usize,
    /// The number of times that the session was reopened.
    pub(super) epoch: watch::Sender<u64>,
    /// True once the server has accepted a message of the session, or if the session was never reopened.
    is_proven: AtomicBool,
}

#[derive(Debug)]
struct State {
    endpoint: Url,
    session: Option<HeaderValue>,
    version: Option<HeaderValue>,
    handshake: Handshake,
    /// The renewal of the session, while one is under way.
    renewal: Option<Renewal>,
    suspicions: Suspicions,
    /// True if the endpoint is the address for messages that the stream of HTTP+SSE named.
    is_http_sse: bool,
}

impl Link {
    pub(super) fn new(
        url: &str,
        config: HttpClientConfig,
        (max_frame, max_batch): (usize, usize),
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
        let tls = tls::client_config().map_err(|error| HttpClientError::Client(error.to_string()))?;
        let mut client = Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            // Common servers close idle connections after five seconds; a POST must not use a closing connection.
            .pool_idle_timeout(Duration::from_secs(4))
            .connect_timeout(config.connect_timeout);
        if is_loopback(&endpoint) {
            client = client.no_proxy();
        }
        let client =
            client.build().map_err(|error| HttpClientError::Client(error.without_url().to_string()))?;
        let state = Mutex::new(State {
            endpoint,
            session: None,
            version: None,
            handshake: Handshake::default(),
            renewal: None,
            suspicions: Suspicions::default(),
            is_http_sse: false,
        });
        let (epoch, is_proven) = (watch::Sender::new(0), AtomicBool::new(true));
        Ok(Self { client, headers, state, config, max_frame, max_batch, epoch, is_proven })
    }

    /// Sends a message of the session, or a message that belongs to no session and has its own headers. `on_its_way` is dropped
    /// once the message is handed to a TCP connection, or cannot be. The server did nothing with a message that ends in a
    /// redirect or lacks authorization.
    pub(super) async fn post(
        &self,
        text: &Bytes,
        own: Option<&HeaderMap>,
        mut on_its_way: Option<oneshot::Sender<()>>,
    ) -> Result<Response, Failure> {
        let without_rights = |error: AuthorizeError| Failure::unrun(error.of_call());
        let mut redirects = 0;
        let mut attempts = Attempts::new(&self.config);
        loop {
            let (text, signal, endpoint) = (text.clone(), on_its_way.take(), self.endpoint());
            let length = text.len();
            let body = futures_util::stream::once(async move {
                drop(signal);
                Ok::<_, Infallible>(text)
            });
            let mut headers = own.map_or_else(|| self.session_headers(), |_| self.headers.clone());
            headers.extend(own.cloned().unwrap_or_default());
            let request = self
                .client
                .post(endpoint.clone())
                .headers(headers)
                .header(ACCEPT, format!("{JSON}, {SSE}"))
                .header(CONTENT_TYPE, JSON)
                .header(CONTENT_LENGTH, length)
                .body(Body::wrap_stream(body));
            let rights = attempts.headers(&Method::POST, &endpoint).await.map_err(without_rights)?;
            let mut response = request.headers(rights).send().await.map_err(failure::of_sending)?;
            if own.is_none() && self.may_hide_a_lost_session(&response) {
                let (again, body) = peek(response).await;
                if body_names_session(&body) {
                    return Ok(again);
                }
                response = again;
            }
            if attempts.again(&response, &endpoint).await.map_err(without_rights)? {
                continue;
            }
            if !response.status().is_redirection() {
                return Ok(response);
            }
            self.follow(&endpoint, &response).map_err(Failure::unrun)?;
            redirects += 1;
            if redirects > REDIRECTS {
                return Err(Failure::unrun(failure::of_redirect("the server redirects in a loop")));
            }
        }
    }

    /// Opens the session's stream, or resumes a stream after an event.
    pub(super) async fn get(&self, last_id: Option<&str>) -> reqwest::Result<Response> {
        let mut attempts = Attempts::new(&self.config);
        loop {
            let endpoint = self.endpoint();
            let mut request =
                self.client.get(endpoint.clone()).headers(self.session_headers()).header(ACCEPT, SSE);
            if let Some(last_id) = last_id {
                request = request.header(LAST_EVENT_ID, last_id);
            }
            let response =
                request.headers(attempts.headers_or_none(&Method::GET, &endpoint).await).send().await?;
            match attempts.again(&response, &endpoint).await {
                Ok(true) => {}
                Ok(false) => return Ok(response),
                Err(error) => {
                    tracing::warn!(%error, "the server's stream needs authorization");
                    return Ok(response);
                }
            }
        }
    }

    /// Ends the session, if there is one.
    pub(super) async fn delete(&self) {
        if self.state.lock().session.is_none() {
            return;
        }
        let deletion = async {
            let endpoint = self.endpoint();
            let request = self.client.delete(endpoint.clone()).headers(self.session_headers());
            let rights = Attempts::new(&self.config).headers_or_none(&Method::DELETE, &endpoint).await;
            request.headers(rights).send().await
        };
        match tokio::time::timeout(self.config.close_timeout, deletion).await {
            Ok(Ok(response)) => tracing::debug!(status = response.status().as_u16(), "session ended"),
            Ok(Err(error)) => tracing::debug!(error = %error.without_url(), "failed to end the session"),
            Err(_) => {
                tracing::debug!(limit = ?self.config.close_timeout, "the server did not end the session in time");
            }
        }
    }

    /// Returns whether the server may have forgotten the session, although its response demands authorization. The response then
    /// does not describe how to obtain rights, and new rights would not help.
    fn may_hide_a_lost_session(&self, response: &Response) -> bool {
        self.config.authorize.is_some()
            && response.status() == StatusCode::UNAUTHORIZED
            && !response.headers().contains_key(WWW_AUTHENTICATE)
            && self.has_session()
    }

    pub(super) fn has_session(&self) -> bool {
        self.state.lock().session.is_some()
    }

    /// Returns the header that names the session.
    pub(super) fn session(&self) -> Option<HeaderValue> {
        self.state.lock().session.clone()
    }

    /// Records that the server has accepted a message.
    pub(super) fn note_taken(&self) {
        self.is_proven.store(true, Ordering::Relaxed);
    }

    /// Returns whether to follow a suspicion that the session of the `epoch` is lost. A reopened session must first have one
    /// message accepted: otherwise, every message to a server that refuses everything would open a new session. After an
    /// unfounded suspicion, there is a pause.
    pub(super) fn may_be_lost(&self, epoch: u64) -> bool {
        let state = self.state.lock();
        if self.epoch() != epoch || state.renewal.is_some() {
            return true;
        }
        self.is_proven.load(Ordering::Relaxed) && !state.suspicions.are_paused()
    }

    /// Returns the check whether the session of the `epoch` is lost: the check under way, or the one that `start` creates.
    /// Returns `None` if the session is being reopened, or was since the `epoch`.
    pub(super) fn check(&self, epoch: u64, start: impl FnOnce() -> Check) -> Option<Check> {
        let mut state = self.state.lock();
        if self.epoch() != epoch || state.renewal.is_some() {
            return None;
        }
        Some(state.suspicions.check(start))
    }

    /// Records that a check found that the server knows the session of the `epoch`.
    pub(super) fn note_known(&self, epoch: u64) {
        let mut state = self.state.lock();
        if self.epoch() == epoch {
            state.suspicions.pause(&self.config);
        }
    }

    /// Stores the session that a response to `initialize` names.
    pub(super) fn keep_session(&self, headers: &HeaderMap) {
        if let Some(session) = headers.get(SESSION_ID) {
            let mut session = session.clone();
            session.set_sensitive(true);
            self.state.lock().session = Some(session);
        }
    }

    /// Drops a session that the server has forgotten.
    pub(super) fn forget_session(&self) {
        let mut state = self.state.lock();
        (state.session, state.version) = (None, None);
    }

    /// Stores the messages of the handshake, to repeat them if the server forgets the session.
    pub(super) fn remember(&self, kind: &Kind, text: &Bytes) {
        let handshake = &mut self.state.lock().handshake;
        match kind {
            Kind::Opening(id) => {
                *handshake = Handshake { opening: Some((id.clone(), text.clone())), opened: None }
            }
            Kind::Opened => handshake.opened = Some(text.clone()),
            Kind::Call(_) | Kind::Cancel(_) | Kind::Notice | Kind::Answer => {}
        }
    }

    pub(super) fn handshake(&self) -> Handshake {
        self.state.lock().handshake.clone()
    }

    /// Waits until the session is not being reopened.
    pub(super) async fn settled(&self) {
        let renewal = self.state.lock().renewal.clone();
        if let Some(renewal) = renewal {
            // If the renewal fails, the connection is closed.
            let _ = renewal.await;
        }
    }

    /// Returns the number of times that the session was reopened.
    pub(super) fn epoch(&self) -> u64 {
        *self.epoch.borrow()
    }

    /// Waits until the session has been reopened since the `epoch`.
    pub(super) async fn until_renewed(&self, epoch: u64) {
        // The sender lives as long as `self`.
        let _ = self.epoch.subscribe().wait_for(|now| *now != epoch).await;
    }

    /// Returns the renewal of the session: the renewal under way, or the one that `start` creates. Returns `None` if the session
    /// was reopened since the `epoch`.
    pub(super) fn renewal(&self, epoch: u64, start: impl FnOnce() -> Renewal) -> Option<Renewal> {
        let mut state = self.state.lock();
        if self.epoch() != epoch {
            return None;
        }
        Some(state.renewal.get_or_insert_with(start).clone())
    }

    /// Records that the renewal of the session has ended.
    pub(super) fn renewed(&self, ok: bool) {
        let mut state = self.state.lock();
        state.renewal = None;
        if ok {
            state.suspicions = Suspicions::default();
            self.is_proven.store(false, Ordering::Relaxed);
            self.epoch.send_modify(|epoch| *epoch += 1);
        } else {
            state.suspicions.pause(&self.config);
        }
    }

    /// Returns `true` if messages go to the address that the stream of HTTP+SSE named.
    pub(super) fn is_http_sse(&self) -> bool {
        self.state.lock().is_http_sse
    }

    /// Sends messages from now on to the address that the stream of HTTP+SSE named. The address must be on the same server:
    /// headers and messages may hold secrets.
    pub(super) fn post_to(&self, address: &str) -> Result<(), ErrorObject> {
        let mut state = self.state.lock();
        match state.endpoint.join(address) {
            Ok(url) if url.origin() == state.endpoint.origin() => {
                state.endpoint = url;
                state.is_http_sse = true;
                Ok(())
            }
            _ => Err(failure::of_content("invalid endpoint event: expected an address of the same server")),
        }
    }

    /// Stores the revision of a message that answers the request that opened the session.
    pub(super) fn look_for_version(&self, text: &[u8]) {
        let opening = self.state.lock().handshake.opening.clone();
        if let (Some((opening, _)), None) = (opening, self.version())
            && let Ok(Frame::Response { id: Some(id), outcome: Ok(result) }) =
                Frame::parse(&text.to_vec().into())
            && id.answers(&opening)
            && let Some(version) = era::agreed_version(&result)
        {
            self.keep_version(&version);
        }
    }

    /// Returns the agreed revision.
    pub(super) fn version(&self) -> Option<HeaderValue> {
        self.state.lock().version.clone()
    }

    /// Stores the agreed revision.
    pub(super) fn keep_version(&self, version: &str) {
        self.state.lock().version = HeaderValue::from_str(version).ok();
    }

    fn endpoint(&self) -> Url {
        self.state.lock().endpoint.clone()
    }

    fn session_headers(&self) -> HeaderMap {
        let mut headers = self.headers.clone();
        let state = self.state.lock();
        for (name, value) in [(SESSION_ID, &state.session), (PROTOCOL_VERSION, &state.version)] {
            if let Some(value) = value {
                headers.insert(name, value.clone());
            }
        }
        headers
    }

    /// Follows a redirect to another path of the same server. Headers and messages may hold secrets, so they go to no other server.
    fn follow(&self, from: &Url, response: &Response) -> Result<(), ErrorObject> {
        let status = response.status();
        let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
        let target = location.and_then(|location| from.join(location).ok());
        match target {
            Some(target)
                if target.origin() == from.origin()
                    && matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT) =>
            {
                self.state.lock().endpoint = target;
                Ok(())
            }
            Some(target) => Err(failure::of_redirect(format!(
                "the server answered with HTTP {status} to {}, which is not followed",
                target.origin().ascii_serialization()
            ))),
            None => Err(failure::of_status(status, None, b"")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_shown() {
        let mut headers = HeaderMap::new();
        headers.insert("x-api-key", HeaderValue::from_static("hush-1"));
        let config = HttpClientConfig { headers, bearer: Some("hush-2".into()), ..Default::default() };
        assert!(!format!("{config:?}").contains("hush"));
        let link = Link::new("http://127.0.0.1:1/mcp", config, (1000, 10)).unwrap();
        let mut answer = HeaderMap::new();
        answer.insert(SESSION_ID, HeaderValue::from_static("hush-3"));
        link.keep_session(&answer);
        let shown = format!("{:?} {:?}", link.state, link.headers.get(AUTHORIZATION));
        assert!(!shown.contains("hush"), "{shown}");
    }

    #[test]
    fn a_url_that_is_not_http_is_refused() {
        for url in ["", "mcp", "ftp://x/", "file:///etc/passwd"] {
            assert!(Link::new(url, HttpClientConfig::default(), (1000, 10)).is_err(), "{url}");
        }
    }
}
