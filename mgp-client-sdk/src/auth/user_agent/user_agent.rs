//! The traits of agents that ask the user.

use async_trait::async_trait;
use mgp_transport::http::fetch::DocumentError;
use std::{fmt, io};
use url::Url;

/// An agent that sends the user to an authorization server.
#[async_trait]
pub trait UserAgent: fmt::Debug + Send + Sync {
    /// Prepares one visit and determines its redirect URI. `earlier` is the previously registered redirect URI; an agent that can
    /// reuse it should do so.
    ///
    /// # Errors
    /// [`UserAgentError`].
    async fn begin(&self, earlier: Option<&Url>) -> Result<Box<dyn Visit>, UserAgentError>;
}

/// One visit to an authorization server.
#[async_trait]
pub trait Visit: fmt::Debug + Send {
    /// Returns the URI to which the authorization server redirects the user.
    fn redirect_uri(&self) -> &Url;

    /// Sends the user to `url`, and returns the whole URL to which the authorization server redirected the user. The caller
    /// applies a time limit.
    ///
    /// # Errors
    /// [`UserAgentError`].
    async fn authorize(self: Box<Self>, url: &Url) -> Result<Url, UserAgentError>;
}

/// The error of an agent that could not ask the user.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UserAgentError {
    /// No port is free to listen on, or the user did not return.
    #[error("failed to wait for the redirect: {0}")]
    Listen(io::Error),
    /// The browser did not open.
    #[error("failed to open the browser: {0}")]
    Open(io::Error),
    /// The authorization server could not be reached.
    #[error("{0}")]
    Fetch(#[from] DocumentError),
    /// The authorization server did not redirect the user.
    #[error("expected a redirect from {url}, found HTTP {status}")]
    NoRedirect {
        /// The URL of the page, without the query.
        url: String,
        /// The HTTP status of the response.
        status: u16,
    },
    /// An error of another kind of agent.
    #[error("{0}")]
    Other(String),
}
