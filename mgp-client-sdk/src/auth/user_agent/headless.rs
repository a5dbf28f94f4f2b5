//! An agent that visits the authorization server itself, for tests with a server that redirects at once.

use super::{UserAgent, UserAgentError, Visit};
use async_trait::async_trait;
use mgp_transport::http::{
    fetch::{DocumentError, FetchLimits, Fetcher},
    zone::Zone,
};
use url::Url;

/// The maximum number of pages requested from the authorization server.
const MAX_PAGES: usize = 5;

/// An agent that follows redirects from the authorization server until one leads to the redirect URI. No user is asked, and no
/// program listens at the redirect URI.
#[derive(Debug, Clone)]
pub struct HeadlessAgent {
    fetcher: Fetcher,
    redirect_uri: Url,
}

impl HeadlessAgent {
    /// Creates an agent with a redirect URI, such as `http://127.0.0.1:3000/callback`.
    ///
    /// # Errors
    /// [`DocumentError::Client`].
    pub fn new(redirect_uri: Url) -> Result<Self, DocumentError> {
        Ok(Self { fetcher: Fetcher::new(FetchLimits::default(), Zone::Local)?, redirect_uri })
    }
}

#[async_trait]
impl UserAgent for HeadlessAgent {
    async fn begin(&self, _: Option<&Url>) -> Result<Box<dyn Visit>, UserAgentError> {
        Ok(Box::new(self.clone()))
    }
}

#[async_trait]
impl Visit for HeadlessAgent {
    fn redirect_uri(&self) -> &Url {
        &self.redirect_uri
    }

    async fn authorize(self: Box<Self>, url: &Url) -> Result<Url, UserAgentError> {
        let mut url = url.clone();
        let mut status = 0;
        for _ in 0..MAX_PAGES {
            let fetched = self.fetcher.get_once(&url).await?;
            status = fetched.status.as_u16();
            match fetched.location.filter(|_| fetched.status.is_redirection()) {
                Some(target) if target.origin() == self.redirect_uri.origin() => return Ok(target),
                Some(target) => url = target,
                None => break,
            }
        }
        url.set_query(None);
        Err(UserAgentError::NoRedirect { url: url.into(), status })
    }
}
