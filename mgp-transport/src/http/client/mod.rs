//! Streamable HTTP, the client's end: one connection to one endpoint.
//!
//! Each message that is sent is a POST; what comes back on it, and on the session's own stream, is read as it comes.
//! Messages leave in the order in which they were sent: `initialize` is let through alone, `notifications/initialized` is
//! waited for, and each later one starts once the one before it is on its way.

mod answer;
mod config;
mod connection;
mod driver;
mod failure;
mod link;
mod listen;
mod outbox;
mod post;
mod sse;

// The servers of these tests are made with axum.
#[cfg(test)]
#[cfg(feature = "http-server")]
mod tests;

pub use config::HttpClientConfig;
pub use connection::{HttpClient, HttpClientError, HttpConnection};
