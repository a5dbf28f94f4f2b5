//! The traits of who asks the user.

use async_trait::async_trait;
use mgp_transport::http::fetch::DocumentError;
use std::{fmt, io};
use url::Url;

/// Brings the user to an authorization server.
#[async_trait]
pub trait UserAgent: fmt::Debug + Send + Sync {
    /// Gets ready for one visit, so that the redirect URI is known. `earlier` is the one that was registered before; an
    /// agent that can have it again should.
    ///
    /// # Errors
    /// [`UserAgentError`].
    async fn begin(&self, earlier: Option<&Url>) -> Result<Box<dyn Visit>, UserAgentError>;
}

/// One visit to an authorization server.
#[async_trait]
pub trait Visit: fmt::Debug + Send {
    /// Where the authorization server is to send the user back to.
    fn redirect_uri(&self) -> &Url;

    /// Brings the user to `url`, and returns the whole URL that the authorization server sent the user back to. There
    /// is a time limit around it.
    ///
    /// # Errors
    /// [`UserAgentError`].
    async fn authorize(self: Box<Self>, url: &Url) -> Result<Url, UserAgentError>;
}

/// Why the user could not be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UserAgentError {
    /// No port to listen on, or nobody came back.
    #[error("failed to wait for the redirect: {0}")]
    Listen(io::Error),
    /// The browser did not open.
    #[error("failed to open the browser: {0}")]
    Open(io::Error),
    /// The authorization server could not be reached.
    #[error("{0}")]
    Fetch(#[from] DocumentError),
    /// The authorization server did not send the user back.
    #[error("expected a redirect from {url}, found HTTP {status}")]
    NoRedirect {
        /// Its URL, without the query.
        url: String,
        /// What it answered.
        status: u16,
    },
    /// An agent of another kind.
    #[error("{0}")]
    Other(String),
}
