//! An agent that shows the URL, for a user at this machine who opens it in a browser.

use super::{
    UserAgent, UserAgentError, Visit,
    listen::{Listen, wait},
};
use async_trait::async_trait;
use mgp_transport::http::redirect::RedirectListener;
use std::{
    fmt,
    io::{self, Write},
    sync::Arc,
};
use url::Url;

/// An agent that shows the URL, and listens on a loopback port for the redirect.
#[derive(Clone)]
pub struct PrintedAgent {
    show: Arc<dyn Fn(&Url) + Send + Sync>,
    listen: Listen,
}

impl PrintedAgent {
    /// Creates an agent that passes each URL to `show`, which prints or opens the URL.
    pub fn new(show: impl Fn(&Url) + Send + Sync + 'static) -> Self {
        Self { show: Arc::new(show), listen: Listen::default() }
    }

    /// Creates an agent that prints each URL on stderr.
    #[must_use]
    pub fn stderr() -> Self {
        Self::new(|url| {
            let text = format!("To authorize, open this address in a browser on this machine:\n\n  {url}\n");
            // Without a stderr nobody reads it, but the wait has its time limit.
            let _ = writeln!(io::stderr(), "{text}");
        })
    }

    /// Sets the address to listen at; any free port by default. A fixed client id may need a fixed address.
    #[must_use]
    pub fn listen(mut self, listen: Listen) -> Self {
        self.listen = listen;
        self
    }
}

impl fmt::Debug for PrintedAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrintedAgent").field("listen", &self.listen).finish_non_exhaustive()
    }
}

#[async_trait]
impl UserAgent for PrintedAgent {
    async fn begin(&self, earlier: Option<&Url>) -> Result<Box<dyn Visit>, UserAgentError> {
        let listener = self.listen.begin(earlier).await?;
        Ok(Box::new(PrintedVisit { show: self.show.clone(), listener }))
    }
}

struct PrintedVisit {
    show: Arc<dyn Fn(&Url) + Send + Sync>,
    listener: RedirectListener,
}

impl fmt::Debug for PrintedVisit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shown").field("listener", &self.listener).finish_non_exhaustive()
    }
}

#[async_trait]
impl Visit for PrintedVisit {
    fn redirect_uri(&self) -> &Url {
        self.listener.uri()
    }

    async fn authorize(self: Box<Self>, url: &Url) -> Result<Url, UserAgentError> {
        (self.show)(url);
        wait(self.listener, url).await
    }
}
