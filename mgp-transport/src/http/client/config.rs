//! The configuration of an HTTP client.

use super::Authorize;
use http::HeaderMap;
use std::{fmt, sync::Arc, time::Duration};

/// The configuration of an HTTP client: the way to its server, and bounds. The bounds of the connection itself, such as the longest
/// message, are those of its [`Config`](crate::connection::Config).
#[derive(Clone)]
pub struct HttpClientConfig {
    /// The transport that the server supports.
    pub transport: ClientTransport,
    /// The headers of every request.
    pub headers: HeaderMap,
    /// The token that is sent as `Authorization: Bearer` with every request.
    pub bearer: Option<String>,
    /// The source of each request's `Authorization`, which replaces the fields above and obtains new rights if the server demands
    /// them.
    pub authorize: Option<Arc<dyn Authorize>>,
    /// The number of times that one message is sent again after the server demanded authorization.
    pub authorize_attempts: u32,
    /// The time limit of connecting.
    pub connect_timeout: Duration,
    /// The time limit of the handshake: for the server to accept `notifications/initialized` before later messages go
    /// out, for a handshake that is repeated because the server forgot the session, and for the stream of HTTP+SSE to
    /// name the address for messages.
    pub handshake_timeout: Duration,
    /// The time limit of closing: for sending the messages that wait, and again for ending the session.
    pub close_timeout: Duration,
    /// The most requests that may be in flight.
    pub calls: usize,
    /// The most notifications and responses that may be in flight.
    pub others: usize,
    /// The time to wait before a lost stream is reopened, if the server requests no other; it doubles with each failure.
    pub reconnect_delay: Duration,
    /// The longest wait before a lost stream is reopened, even if the server requests a longer one.
    pub max_reconnect_delay: Duration,
    /// The shortest wait before a lost stream is reopened, even if the server requests a shorter one. A server that lets its
    /// clients poll gets this wait for the first polls. Polls that receive no message, or end within `reconnect_delay`, slow down
    /// step by step, to one per `reconnect_delay`.
    pub min_reconnect_delay: Duration,
    /// The number of failures in a row after which a lost stream is given up. The stream of a session is
    /// tried again after `given_up_delay`.
    pub reconnects: u32,
    /// The time to wait before the stream of a session is tried again after it was given up or the server refused it. A stream that
    /// the server does not offer (405) is tried again only in another session.
    pub given_up_delay: Duration,
}

/// A transport over HTTP that a server supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientTransport {
    /// Streamable HTTP, from 2025-03-26 on.
    Streamable,
    /// HTTP+SSE, the transport of 2024-11-05: the URL is that of the stream.
    HttpSse,
    /// Streamable HTTP; HTTP+SSE if the server answers `initialize` with 400, 404 or 405 and no error of the protocol.
    Auto,
}

impl Default for HttpClientConfig {
    fn default() -> Self {
        Self {
            transport: ClientTransport::Streamable,
            headers: HeaderMap::new(),
            bearer: None,
            authorize: None,
            authorize_attempts: 3,
            connect_timeout: Duration::from_secs(10),
            handshake_timeout: Duration::from_secs(30),
            close_timeout: Duration::from_secs(5),
            calls: 256,
            others: 256,
            reconnect_delay: Duration::from_secs(1),
            max_reconnect_delay: Duration::from_secs(30),
            min_reconnect_delay: Duration::from_millis(100),
            reconnects: 8,
            given_up_delay: Duration::from_secs(5 * 60),
        }
    }
}

#[cfg(all(test, feature = "http-server"))]
impl HttpClientConfig {
    /// Returns a configuration with time limits that even a slow machine keeps.
    pub(crate) fn patient() -> Self {
        let limit = Duration::from_secs(120);
        Self { connect_timeout: limit, handshake_timeout: limit, close_timeout: limit, ..Self::default() }
    }
}

impl fmt::Debug for HttpClientConfig {
    /// Shows no header's value: each may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClientConfig")
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("bearer", &self.bearer.as_ref().map(|_| ".."))
            .field("authorize", &self.authorize.as_ref().map(|_| ".."))
            .finish_non_exhaustive()
    }
}
