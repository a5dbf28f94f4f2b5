//! The reasons why a connection could not be made.

use std::fmt;

/// The reason why a connection could not be made.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum HttpClientError {
    /// The URL is invalid, or not one of HTTP.
    #[error("invalid URL of an MCP endpoint: {0}")]
    Url(String),
    /// The bearer token is not a valid header value.
    #[error("invalid bearer token: expected visible ASCII characters")]
    Bearer,
    /// The TLS or HTTP client could not be set up.
    #[error("failed to set up the HTTP client: {0}")]
    Client(String),
}

// A `main` that returns the error prints this form.
impl fmt::Debug for HttpClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
