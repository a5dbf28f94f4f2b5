//! How an HTTP client reaches its server, and the bounds of it.

use super::Authorize;
use http::HeaderMap;
use std::{fmt, sync::Arc, time::Duration};

/// How an HTTP client reaches its server, and the bounds of it. The bounds of the connection itself, the longest message
/// among them, are those of its [`Config`](crate::connection::Config).
#[derive(Clone)]
pub struct HttpClientConfig {
    /// Which transport the server is spoken to in.
    pub transport: ClientTransport,
    /// Headers of every request.
    pub headers: HeaderMap,
    /// Sent as `Authorization: Bearer` with every request.
    pub bearer: Option<String>,
    /// Gives each request its `Authorization`, in the place of one above, and gets new rights where the server asks.
    pub authorize: Option<Arc<dyn Authorize>>,
    /// How often one message is sent again after the server asked for rights.
    pub authorize_attempts: u32,
    /// How long connecting may take.
    pub connect_time_limit: Duration,
    /// How long a server may take to accept `notifications/initialized` before later messages go out; and for a handshake
    /// that is repeated because the server forgot the session, and until the stream of HTTP+SSE says where messages go.
    pub handshake_time_limit: Duration,
    /// How long closing may take: sending what waits, and ending the session.
    pub close_time_limit: Duration,
    /// How many requests may be under way.
    pub calls: usize,
    /// How many notifications and responses may be under way.
    pub others: usize,
    /// How long to wait before a lost stream is opened again, where the server does not say; it doubles with each failure.
    pub reconnect_delay: Duration,
    /// The longest such wait, also where the server asks for a longer one.
    pub max_reconnect_delay: Duration,
    /// The shortest such wait, also where the server asks for a shorter one.
    pub min_reconnect_delay: Duration,
    /// After how many failures in a row a lost stream is given up. That of a session is tried again after `given_up_delay`.
    pub reconnects: u32,
    /// How long to wait before the stream of a session is tried again that was given up, or that the server refused. One that the
    /// server does not offer (405) is not tried again before there is another session.
    pub given_up_delay: Duration,
}

/// Which transport over HTTP a server is spoken to in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientTransport {
    /// Streamable HTTP, from 2025-03-26 on.
    Streamable,
    /// HTTP+SSE, the one of 2024-11-05: the URL is that of the stream.
    HttpSse,
    /// Streamable HTTP; where the server answers `initialize` with 400, 404 or 405 and no error of the protocol, HTTP+SSE.
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
            connect_time_limit: Duration::from_secs(10),
            handshake_time_limit: Duration::from_secs(30),
            close_time_limit: Duration::from_secs(5),
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

impl fmt::Debug for HttpClientConfig {
    /// Shows no header's value: any of them may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClientConfig")
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("bearer", &self.bearer.as_ref().map(|_| ".."))
            .field("authorize", &self.authorize.as_ref().map(|_| ".."))
            .finish_non_exhaustive()
    }
}
