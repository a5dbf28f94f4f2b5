//! A page of text on a separate address, for example for metrics.

use super::{
    HttpServerConfig, ServeError,
    auth::Origins,
    limits::{Connections, Limits},
    listener::{self, ServedRouter},
};
use axum::{
    Router,
    extract::{Request, State},
    response::{IntoResponse, Response},
    routing,
};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// The most connections at once. The oldest connection without a request makes room for a new one.
const MAX_CONNECTIONS: usize = 16;
/// The most connections at once to the pages of a router: a browser has six, and one for each stream of events.
const MAX_PAGES: usize = 128;
/// The time limit for the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest time that a client may read nothing of the page.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// A page of text that is generated for each GET, on a separate address. Nothing else is served there.
///
/// ```
/// use mgp_transport::http::server::{ServeError, TextPage};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ServeError> {
/// let page = TextPage::new("/metrics", "text/plain", || "up 1\n".to_owned());
/// let serving = page.bind("127.0.0.1:0".parse().unwrap()).await?;
/// assert!(serving.url().ends_with("/metrics"));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct TextPage {
    path: &'static str,
    content_type: &'static str,
    write: Arc<dyn Fn() -> String + Send + Sync>,
    open_to_all: bool,
}

/// A page that is served. Dropping it ends its connections.
#[derive(Debug)]
pub struct RunningPage {
    address: SocketAddr,
    path: &'static str,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

/// The page, and the names under which it may be reached; `None` for any name.
struct PageSource {
    page: TextPage,
    origins: Option<Origins>,
}

/// Serves the pages of a router at a loopback address, with the bounds of connections that never authenticate: the router itself
/// decides who may see them. `router` is called with the address that was bound; `None` means that it cannot be used.
///
/// ```
/// use axum::{Router, routing::get};
/// use mgp_transport::http::server::{ServeError, serve_router};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ServeError> {
/// let router = Router::new().route("/", get(async || "hello"));
/// let serving = serve_router("127.0.0.1:0".parse().unwrap(), |_| Some(router)).await?;
/// assert!(serving.url().starts_with("http://127.0.0.1:"));
/// # Ok(()) }
/// ```
///
/// # Errors
/// Returns [`ServeError::OpenPage`] for an address that others can reach, or that the router cannot use, and [`ServeError::Bind`] if the
/// address cannot be bound.
pub async fn serve_router(
    address: SocketAddr,
    router: impl FnOnce(SocketAddr) -> Option<Router> + Send,
) -> Result<RunningPage, ServeError> {
    if !address.ip().is_loopback() {
        return Err(ServeError::OpenPage(address));
    }
    bind_router(address, None, router).await
}

/// Serves the pages of a router at any address, as [`serve_router`] does, for connections from these IP addresses only: those of a proxy. Other
/// connections are closed at once.
///
/// # Errors
/// As those of [`serve_router`].
pub async fn serve_router_to(
    peers: Vec<IpAddr>,
    address: SocketAddr,
    router: impl FnOnce(SocketAddr) -> Option<Router> + Send,
) -> Result<RunningPage, ServeError> {
    bind_router(address, Some(peers), router).await
}

async fn bind_router(
    address: SocketAddr,
    peers: Option<Vec<IpAddr>>,
    router: impl FnOnce(SocketAddr) -> Option<Router> + Send,
) -> Result<RunningPage, ServeError> {
    let listener = listen(address).await?;
    let address = listener.local_addr()?;
    let router = router(address).ok_or(ServeError::OpenPage(address))?;
    let served = ServedRouter { router, connections: connections(MAX_PAGES), gate: None, peers };
    Ok(RunningPage::start(listener, address, "/", served))
}

async fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
    let bound = TcpListener::bind(address).await;
    bound.map_err(|error| ServeError::Bind { address: address.to_string(), error })
}

impl TextPage {
    /// Creates a page with the path of its URL, its type, and the function that writes it, which must not wait.
    pub fn new(
        path: &'static str,
        content_type: &'static str,
        write: impl Fn() -> String + Send + Sync + 'static,
    ) -> Self {
        Self { path, content_type, write: Arc::new(write), open_to_all: false }
    }

    /// Allows the page to be bound to an address that others can reach, and to be requested under any name.
    #[must_use]
    pub fn open_to_all(mut self) -> Self {
        self.open_to_all = true;
        self
    }

    /// Binds an address and serves the page. Only a loopback address is accepted, unless the page is [open to
    /// all](Self::open_to_all). A loopback page refuses requests for other names than this machine's with 403. It also refuses
    /// requests from other machines' web pages, so that no page in a browser can read it under another name.
    ///
    /// # Errors
    /// Returns [`ServeError::OpenPage`] for an address that others can reach, or [`ServeError::Bind`] if the address cannot be
    /// bound.
    pub async fn bind(self, address: SocketAddr) -> Result<RunningPage, ServeError> {
        if !self.open_to_all && !address.ip().is_loopback() {
            return Err(ServeError::OpenPage(address));
        }
        let listener = listen(address).await?;
        let address = listener.local_addr()?;
        let origins = Origins::default();
        origins.allow_address(address.ip());
        let (path, open) = (self.path, self.open_to_all);
        let source = Arc::new(PageSource { page: self, origins: (!open).then_some(origins) });
        let router = Router::new().route(path, routing::get(get)).with_state(source);
        let served =
            ServedRouter { router, connections: connections(MAX_CONNECTIONS), gate: None, peers: None };
        Ok(RunningPage::start(listener, address, path, served))
    }
}

/// Returns the bounds of a page's connections, which never authenticate.
fn connections(most: usize) -> Arc<Connections> {
    let config = HttpServerConfig {
        connections: most + 1,
        unauthenticated_connections: Some(most),
        head_timeout: HEAD_TIMEOUT,
        ..HttpServerConfig::default()
    };
    Connections::new(Limits::of(&config, false))
}

async fn get(State(source): State<Arc<PageSource>>, request: Request) -> Response {
    let checked = source.origins.as_ref().map(|origins| origins.check(request.uri(), request.headers()));
    if let Some(Err(refusal)) = checked {
        return (refusal.status, [(CONTENT_TYPE, "text/plain")], refusal.error.message).into_response();
    }
    let headers = [
        (CONTENT_TYPE, source.page.content_type),
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, (source.page.write)()).into_response()
}

impl RunningPage {
    fn start(listener: TcpListener, address: SocketAddr, path: &'static str, served: ServedRouter) -> Self {
        let stop = CancellationToken::new();
        let accept = listener::accept(listener, served, WRITE_TIMEOUT, stop.clone());
        Self { address, path, stop, task: tokio::spawn(accept) }
    }

    /// Returns the address that is served.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL of the page.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.path)
    }
}

impl Drop for RunningPage {
    fn drop(&mut self) {
        self.stop.cancel();
        self.task.abort();
    }
}

impl fmt::Debug for TextPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextPage").field("path", &self.path).finish_non_exhaustive()
    }
}
