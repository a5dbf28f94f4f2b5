//! The OAuth client of one server.

use super::{
    OAuthBuilder, OAuthError,
    core::{Core, Response},
};
use async_trait::async_trait;
use http::{HeaderMap, Method};
use mgp_transport::http::{
    client::{Authorize, AuthorizeError, Challenge},
    fetch::shown_url,
};
use std::{fmt, sync::Arc};
use url::Url;

/// The OAuth client of one MCP server.
///
/// Connecting may wait for a user, so its time limit has to be at least the time limit of the user's answer. If a connection is
/// given up, its authorization continues, and the next connection finds its token.
///
/// ```no_run
/// use mgp_client_sdk::{HttpClientConfig, auth::{BrowserAgent, OAuth}, client::Client};
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let url = "https://tools.example/mcp";
/// let oauth = OAuth::builder(url).user_agent(BrowserAgent::default()).build()?;
/// let config = HttpClientConfig { authorize: Some(oauth), ..Default::default() };
/// let client = Client::builder("example", "1.0.0").timeout(Duration::from_secs(330));
/// let client = client.connect_http(url, config).await?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct OAuth {
    core: Arc<Core>,
}

impl OAuth {
    /// Creates a builder of an OAuth client for the MCP endpoint `server`.
    #[must_use]
    pub fn builder(server: &str) -> OAuthBuilder {
        OAuthBuilder::new(server)
    }

    pub(super) fn new(core: Core) -> Self {
        Self { core: Arc::new(core) }
    }

    /// Removes the grant from memory and from the store. The authorization server is not notified.
    ///
    /// # Errors
    /// [`OAuthError::Store`].
    pub async fn forget(&self) -> Result<(), OAuthError> {
        self.core.forget().await
    }
}

impl fmt::Debug for OAuth {
    /// Shows none of its contents.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth").field("server", &shown_url(&self.core.server)).finish_non_exhaustive()
    }
}

#[async_trait]
impl Authorize for OAuth {
    async fn headers(&self, method: &Method, endpoint: &Url) -> Result<HeaderMap, AuthorizeError> {
        if !self.core.serves(endpoint) {
            return Ok(HeaderMap::new());
        }
        self.core.load().await.map_err(AuthorizeError::new)?;
        if let Some(flight) = self.core.renewal() {
            // If it fails, the request is sent anyway, and the server decides on it.
            let _ = flight.end().await;
        }
        self.core.headers(method, endpoint).map_err(AuthorizeError::new)
    }

    fn responded(&self, endpoint: &Url, headers: &HeaderMap) {
        if self.core.serves(endpoint) {
            self.core.note_nonce(headers);
        }
    }

    async fn challenged(&self, challenge: Challenge) -> Result<bool, AuthorizeError> {
        if !self.core.serves(&challenge.endpoint) {
            return Ok(false);
        }
        self.core.load().await.map_err(AuthorizeError::new)?;
        let flight = match self.core.respond(challenge) {
            Response::Now(answer) => return answer.map_err(AuthorizeError::new),
            Response::After(flight) => flight,
        };
        flight.end().await.map(|()| true).map_err(AuthorizeError::new)
    }
}
