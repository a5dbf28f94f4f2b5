//! Streamable HTTP, the client's end: one connection to one endpoint.
//!
//! Each message is sent as a POST. Its response, and the session's own stream, are read as they arrive. Messages are sent in
//! order: only `initialize` is sent at first, later messages wait until the server has accepted `notifications/initialized`, and then
//! each starts once the previous one is on its way.
//!
//! A stream that breaks is resumed after its last event, if its events have ids. The session's own stream is kept open while the
//! connection lives. If it keeps failing, it is retried less often. Each new session gets its stream, unless the server offers
//! none (405).
//!
//! A session that the server has forgotten is reopened with its original handshake, and the refused message is sent once more.
//! The refusals that mean this are 404 and 410. If the server refuses a `ping` too, these also count: 400, a 401 without a
//! challenge, and errors that name the session. A second 404 or 410 in a row ends the connection. A call whose JSON-RPC answer
//! was such an error fails, because it may have run.
//!
//! [`ClientTransport`] selects whether to fall back to HTTP+SSE for a server that supports only that. A stream of HTTP+SSE cannot
//! be resumed, so the connection ends with it.

mod answer;
mod attempts;
mod authorize;
mod body;
mod challenge;
mod config;
mod connection;
mod driver;
mod error;
mod events;
mod failure;
mod handshake;
mod http_sse;
mod link;
mod listen;
mod lost_session;
mod outbox;
mod pace;
mod ping;
mod post;
mod response;
mod session;
pub(crate) mod sse;
pub(crate) mod stateless;
mod suspicion;

// The servers of these tests use axum.
#[cfg(test)]
#[cfg(feature = "http-server")]
mod tests;

pub(super) use attempts::Attempts;
pub use authorize::{Authorize, AuthorizeError};
pub use challenge::{AuthScheme, Challenge};
pub use config::{ClientTransport, HttpClientConfig};
pub use connection::{HttpClient, HttpConnection};
pub use error::HttpClientError;
pub use stateless::ToolHeaders;
