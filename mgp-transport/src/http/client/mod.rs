//! Streamable HTTP, the client's end: one connection to one endpoint.
//!
//! Each message that is sent is a POST; what comes back on it, and on the session's own stream, is read as it comes.
//! Messages leave in the order in which they were sent: `initialize` is let through alone, `notifications/initialized` is
//! waited for, and each later one starts once the one before it is on its way.
//!
//! A stream that breaks is gone on with after its last event, where its events have ids. The session's own stream is kept open for
//! as long as the connection lives: where it fails for long, it is tried less often, and each session that is opened has one, unless
//! the server offers none (405). A session that the server has forgotten (404) is opened again with the handshake that opened it
//! first, and what met the 404 is sent once more; a second 404 in a row ends the connection. Where a server speaks only HTTP+SSE,
//! [`ClientTransport`] says whether to look for that; nothing leads back to a stream of HTTP+SSE, so the connection ends with it.

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
mod outbox;
mod pace;
mod post;
mod session;
pub(crate) mod sse;
mod stateless;

// The servers of these tests are made with axum.
#[cfg(test)]
#[cfg(feature = "http-server")]
mod tests;

pub use authorize::{Authorize, AuthorizeError};
pub use challenge::{AuthScheme, Challenge};
pub use config::{ClientTransport, HttpClientConfig};
pub use connection::{HttpClient, HttpClientError, HttpConnection};
pub use stateless::ToolHeaders;
