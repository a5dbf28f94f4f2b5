//! Opens the user's browser.

use super::{
    UserAgent, UserAgentError, Visit,
    listen::{Listen, wait},
};
use async_trait::async_trait;
use mgp_transport::http::redirect::RedirectListener;
use url::Url;

/// An agent that opens the user's browser, and listens on a loopback port for the redirect.
#[derive(Debug, Clone, Default)]
pub struct BrowserAgent {
    listen: Listen,
}

impl BrowserAgent {
    /// Sets the address to listen at; any free port by default. A fixed client id may need a fixed address.
    #[must_use]
    pub fn listen(mut self, listen: Listen) -> Self {
        self.listen = listen;
        self
    }
}

#[async_trait]
impl UserAgent for BrowserAgent {
    async fn begin(&self, earlier: Option<&Url>) -> Result<Box<dyn Visit>, UserAgentError> {
        Ok(Box::new(BrowserVisit(self.listen.begin(earlier).await?)))
    }
}

#[derive(Debug)]
struct BrowserVisit(RedirectListener);

#[async_trait]
impl Visit for BrowserVisit {
    fn redirect_uri(&self) -> &Url {
        self.0.uri()
    }

    async fn authorize(self: Box<Self>, url: &Url) -> Result<Url, UserAgentError> {
        let address = url.as_str().to_owned();
        let opened = tokio::task::spawn_blocking(move || open::that_detached(address)).await;
        opened.map_err(std::io::Error::other).and_then(|opened| opened).map_err(UserAgentError::Open)?;
        wait(self.0, url).await
    }
}
