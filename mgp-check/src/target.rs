//! The server that is checked.

use futures_util::future::{BoxFuture, FutureExt, ready};
use mgp_transport::{
    child::ChildCommand,
    http::fetch::shown_url,
    raw::{RawConnection, RawHttpConfig},
};
use std::{fmt, sync::Arc, time::Duration};
use url::Url;

/// The longest message that is read, in bytes.
const MAX_MESSAGE: usize = 8 * 1024 * 1024;
/// The revision that is offered.
pub(crate) const VERSION: &str = "2025-11-25";

type Open = dyn Fn(Duration) -> BoxFuture<'static, Result<RawConnection, String>> + Send + Sync;

/// A server, as a way to open connections to it. Several checks need a separate connection.
#[derive(Clone)]
pub struct CheckTarget {
    name: String,
    open: Arc<Open>,
}

impl CheckTarget {
    /// Creates a target whose connections are new processes.
    #[must_use]
    pub fn child(command: ChildCommand) -> Self {
        let name = std::iter::once(command.program().to_owned()).chain(command.arguments().iter().cloned());
        let name = name.collect::<Vec<_>>().join(" ");
        let command = Arc::new(command);
        let open = move |_| {
            let command = command.clone();
            let started = async move { RawConnection::child(&command, MAX_MESSAGE).await };
            started.map(|started| started.map_err(|error| error.to_string())).boxed()
        };
        Self { name, open: Arc::new(open) }
    }

    /// Creates a target at a Streamable HTTP endpoint: over https, or over http to this machine.
    ///
    /// # Errors
    /// Returns the reason if the text is not a URL, or if the URL is not safe.
    pub fn http(url: &str, headers: http::HeaderMap) -> Result<Self, String> {
        let url = Url::parse(url).map_err(|error| format!("{url:?} is not a URL: {error}"))?;
        let name = shown_url(&url);
        let open = move |timeout: Duration| {
            let config = RawHttpConfig { headers: headers.clone(), timeout, max: MAX_MESSAGE };
            RawConnection::http(&url, config).map_err(|error| error.to_string())
        };
        // Opens no connection yet, and only checks the URL.
        open(Duration::from_secs(1)).map(|_| ())?;
        Ok(Self { name, open: Arc::new(move |timeout| ready(open(timeout)).boxed()) })
    }

    /// Creates a target whose connections are opened by a function.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        open: impl Fn() -> Result<RawConnection, String> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), open: Arc::new(move |_| ready(open()).boxed()) }
    }

    /// Returns the command or the URL.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) async fn open(&self, timeout: Duration) -> Result<RawConnection, String> {
        (self.open)(timeout).await
    }
}

impl fmt::Debug for CheckTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckTarget").field("name", &self.name).finish_non_exhaustive()
    }
}
