//! Streamable HTTP, the client's end: one connection to one endpoint.
//!
//! Each message is sent as a POST; the response to it, and the session's own stream, are read as they arrive. Messages leave in the
//! order in which they were sent: `initialize` is sent alone, later messages wait until the server has accepted
//! `notifications/initialized`, and then each starts once the one before it is on its way.
//!
//! A stream that breaks is resumed after its last event, if its events have ids. The session's own stream is kept open for as long as
//! the connection lives: if it keeps failing, it is tried less often, and each new session gets one, unless the server offers none
//! (405). A session that the server has forgotten is opened again with its original handshake, and the message that was refused is sent
//! once more: with 404 and 410; and with 400, a 401 that asks for no rights, and errors that name the session, if the server refuses a `ping`
//! too. A second 404 or 410 in a row ends the connection. A call that was answered with such an error of JSON-RPC fails, because it may have
//! run. [`ClientTransport`] tells whether to fall back to HTTP+SSE for a
//! server that speaks only that; a stream of HTTP+SSE cannot be resumed, so the connection ends with it.

mod answer;
mod authorize;
mod challenge;
mod config;
mod connection;
mod driver;
mod failure;
mod http_sse;
mod link;
mod listen;
mod lost_session;
mod outbox;
mod pace;
mod post;
mod session;
pub(crate) mod sse;
pub(crate) mod stateless;
mod suspicion;

// The servers of these tests are made with axum.
#[cfg(test)]
#[cfg(feature = "http-server")]
mod tests;

pub use authorize::{Authorize, AuthorizeError};
pub use challenge::{AuthScheme, Challenge};
pub use config::{ClientTransport, HttpClientConfig};
pub use connection::{HttpClient, HttpClientError, HttpConnection};
pub use stateless::ToolHeaders;
