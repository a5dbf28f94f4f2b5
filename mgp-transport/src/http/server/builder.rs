//! Puts an HTTP server together.

use super::{
    ApiKey, Denial, HttpServerConfig, ResourceUrl,
    auth::{Authority, Gate, Origins},
    backend::{Backend, MakeService},
    denial::DenialObserver,
    endpoint,
    forwarded::ForwardedMark,
    paths::{HttpSsePaths, Paths, Rest},
    replicas::{ForwardToReplica, Replicas},
    request::BodyReader,
    session::{HttpSession, Sessions},
    state::{ReadyCheck, ServerState},
    stateless::StatelessRequests,
};
use crate::{
    connection::ConnectionError,
    seam::{Authenticate, BoxPeerService, KeyRing, ReplicaStore, Session},
};
use axum::{Extension, Router};
use futures_core::future::BoxFuture;
use futures_util::future::join_all;
use mgp_types::context::Principal;
use parking_lot::Mutex;
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// The number of pauses before a reconnection for which a server that ends waits for clients to return.
const RETURNS: u32 = 3;

/// A Streamable HTTP server; a clone is the same server.
///
/// ```
/// use mgp_transport::{http::server::HttpServer, seam::{BoxError, Incoming, Reply, Session, boxed}};
/// use mgp_types::json::RawJson;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
/// let empty = tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::ok(RawJson::empty_object())) });
/// let server = HttpServer::builder(move |_: &Session| (boxed(empty), None)).build();
/// let serving = server.bind("127.0.0.1:0").await?;
/// println!("http://{}/mcp", serving.address());
/// serving.shutdown().await;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct HttpServer(pub(super) Arc<ServerState>);

/// A builder of an [`HttpServer`]. Start with [`HttpServer::builder`].
pub struct HttpServerBuilder {
    make_service: Box<MakeService>,
    paths: Paths,
    config: HttpServerConfig,
    origins: Origins,
    authority: Authority,
    open_to_all: bool,
    replicas: Option<Arc<Replicas>>,
    ready: Option<Box<ReadyCheck>>,
    on_denial: Option<Box<DenialObserver>>,
    stop_signals: Mutex<Vec<BoxFuture<'static, ()>>>,
}

impl HttpServer {
    /// Returns a builder of a server. `make_service` creates the service that handles a session: build the stack once, and clone
    /// it there. The session already holds the [`Principal`]. Without keys and tokens, it also holds
    /// [`UnauthenticatedMark`](crate::seam::UnauthenticatedMark).
    pub fn builder(
        make_service: impl Fn(&Session) -> (BoxPeerService, Option<BoxPeerService>) + Send + Sync + 'static,
    ) -> HttpServerBuilder {
        HttpServerBuilder {
            make_service: Box::new(make_service),
            paths: Paths { endpoint: "/mcp".to_owned(), http_sse: None, rest: None },
            config: HttpServerConfig::default(),
            origins: Origins::default(),
            authority: Authority::new(Principal::agent("local")),
            open_to_all: false,
            replicas: None,
            ready: None,
            on_denial: None,
            stop_signals: Mutex::default(),
        }
    }

    /// Returns the endpoint as a router, to be served by other means than [`bind`](Self::bind). Host, Origin, API key and token are
    /// checked there too; the caller must then check who can reach the address.
    ///
    /// # Panics
    /// Panics if the endpoint or HTTP+SSE cannot be served at its path. For these paths, [`bind`](Self::bind) returns
    /// [`ServeError::Path`](crate::http::server::ServeError::Path).
    pub fn router(&self) -> Router {
        endpoint::router(&self.0)
    }

    /// Returns the endpoint as a router for other replicas. Their requests pass the checks of API key and token again. Host and Origin are not
    /// checked again. Only replicas may reach the router.
    ///
    /// # Panics
    /// Like [`router`](Self::router).
    pub fn replica_router(&self) -> Router {
        endpoint::router(&self.0).layer(Extension(ForwardedMark))
    }

    /// Returns the number of sessions.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.0.sessions.count()
    }

    /// Refuses new calls and sessions, gives running calls the time limit for draining to end, and ends all sessions. A client whose stream broke
    /// has three times [`retry`](super::ResumeConfig::retry) to return for its answer.
    pub async fn drain(&self) {
        self.0.draining.store(true, Ordering::Release);
        let sessions = self.0.sessions.all();
        for session in &sessions {
            session.peer().drain();
        }
        self.0.stateless.exchanges.drain();
        let limit = self.0.config.drain_timeout;
        let returning = self.0.config.resume.retry.unwrap_or_default().saturating_mul(RETURNS);
        let idle = async {
            let leaving = sessions.iter().map(|session| async move {
                let peer = session.peer();
                peer.connection().idle().await;
                peer.connection().outbound().flush().await;
                if tokio::time::timeout(returning, session.streams.collected()).await.is_err() {
                    tracing::debug!(session = peer.session().id(), "nobody returned for an answer");
                }
                self.hand_over(session).await;
            });
            join_all(leaving).await;
            self.0.stateless.exchanges.idle().await;
        };
        if tokio::time::timeout(limit, idle).await.is_err() {
            tracing::warn!(?limit, "calls were still running when the time limit for draining passed");
        }
        // Gives up the sessions that are still here with one question to the store, however many they are.
        if let Some(replicas) = &self.0.replicas {
            replicas.leave().await;
        }
        for session in self.0.sessions.all() {
            session.end(ConnectionError::Shutdown);
        }
        self.0.stateless.exchanges.close();
    }

    /// Gives up a session, which another replica may then continue, and ends it here. Without replicas, sessions end together later.
    async fn hand_over(&self, session: &HttpSession) {
        if let Some((replicas, replicated)) = self.0.replicas.as_ref().zip(session.replicated()) {
            replicas.release(replicated).await;
            session.end(ConnectionError::Shutdown);
        }
    }
}

impl HttpServerBuilder {
    /// Sets the path of the endpoint. The default is `/mcp`. The same path with, or without, a trailing slash is also the
    /// endpoint, unless another route has it.
    #[must_use]
    pub fn path(mut self, path: &str) -> Self {
        self.paths.endpoint = path.to_owned();
        self
    }

    /// Also serves HTTP+SSE, the transport of 2024-11-05, which is off by default. Its stream is at `path`, usually `/sse`. The
    /// address for messages is `messages` in the same folder. The rules of the endpoint apply: Host, Origin, keys, bounds, and
    /// the number of sessions.
    #[must_use]
    pub fn http_sse(mut self, path: &str) -> Self {
        self.paths.http_sse = Some(HttpSsePaths::new(path));
        self
    }

    /// Also serves the tools over REST, which is off by default: `POST /tools/{name}` and `GET /openapi.json`. The rules of the
    /// endpoint apply: Host, Origin, keys, tokens and bounds.
    #[must_use]
    pub fn rest(mut self) -> Self {
        self.paths.rest.get_or_insert(Rest::Tools);
        self
    }

    /// Serves the tools over REST as [`rest`](Self::rest) does, and a page at `/docs` that documents the tools and can call them.
    /// The files of the page need no key or token, because a browser sends none; the page asks its reader for one. Feature
    /// `http-docs`.
    #[cfg(feature = "http-docs")]
    #[must_use]
    pub fn docs(mut self) -> Self {
        self.paths.rest = Some(Rest::ToolsAndDocs);
        self
    }

    /// Sets the bounds. A time of more than a hundred years counts as a hundred years.
    #[must_use]
    pub fn config(mut self, config: HttpServerConfig) -> Self {
        self.config = config.with_finite_times();
        self
    }

    /// Adds a name that the server may be reached by, in addition to those of this machine: `host`, with any port, or
    /// `host:port`. Pages from that host may use the server.
    #[must_use]
    pub fn allow_host(self, host: &str) -> Self {
        self.origins.allow_host(host);
        self
    }

    /// Adds an origin whose pages may use the server, such as `https://app.example`. Browsers are informed of it (CORS) before a page
    /// sends credentials.
    #[must_use]
    pub fn allow_origin(mut self, origin: &str) -> Self {
        self.origins.allow_origin(origin);
        self
    }

    /// Adds a key for a principal. With the first key, every request needs a key, or a token if tokens are accepted.
    #[must_use]
    pub fn api_key(mut self, key: ApiKey, principal: Principal) -> Self {
        self.authority.keys.add(key, None, principal);
        self
    }

    /// Adds a key as [`api_key`](Self::api_key) does, with a name that limits refer to.
    #[must_use]
    pub fn named_api_key(mut self, name: &str, key: ApiKey, principal: Principal) -> Self {
        self.authority.keys.add(key, Some(name), principal);
        self
    }

    /// Sets keys that may change while the server runs, in addition to those that were added one by one. Callers need no key
    /// until the ring has had one, unless a key was added.
    #[must_use]
    pub fn key_ring(mut self, ring: impl KeyRing + 'static) -> Self {
        self.authority.keys.set_ring(Arc::new(ring));
        self
    }

    /// Requires a token with every request, and verifies it with `authenticate`. A request with a known API key needs no token.
    /// The metadata (RFC 9728) is served below `/.well-known/oauth-protected-resource`.
    ///
    /// ```
    /// use mgp_transport::{http::server::HttpServer, seam::{Authenticate, BoxError, Incoming, Reply, Session, boxed}};
    /// use mgp_types::json::RawJson;
    ///
    /// fn server(authenticate: impl Authenticate + 'static) -> Result<HttpServer, BoxError> {
    ///     let empty = tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::ok(RawJson::empty_object())) });
    ///     let builder = HttpServer::builder(move |_: &Session| (boxed(empty), None));
    ///     Ok(builder.authenticate(authenticate).resource("https://tools.example/mcp".parse()?).build())
    /// }
    /// ```
    #[must_use]
    pub fn authenticate(mut self, authenticate: impl Authenticate + 'static) -> Self {
        self.authority.authenticate = Some(Arc::new(authenticate));
        self
    }

    /// Sets the URL of the endpoint for clients, which tokens must name as their audience. The default is the URL of the first
    /// address that is bound. The server may also be reached by the host of the URL.
    #[must_use]
    pub fn resource(mut self, url: ResourceUrl) -> Self {
        self.origins.allow_host(url.host());
        self.authority.resource = url.into();
        self
    }

    /// Shares sessions with the replicas of a store: other servers with the same configuration, behind a balancer that sends any request to
    /// any of them. `network` forwards requests to the other replicas, which serve [`HttpServer::replica_router`] for it.
    #[must_use]
    pub fn replicas(mut self, store: Arc<dyn ReplicaStore>, network: Arc<dyn ForwardToReplica>) -> Self {
        self.replicas = Some(Arc::new(Replicas::new(store, network)));
        self
    }

    /// Sets the principal of every request if there are neither keys nor tokens. The default is an agent named `local`.
    #[must_use]
    pub fn principal(mut self, principal: Principal) -> Self {
        self.authority.principal = principal;
        self
    }

    /// Lets the server be bound to an address that others can reach, without keys and tokens: access must be restricted by other means.
    #[must_use]
    pub fn open_to_all(mut self) -> Self {
        self.open_to_all = true;
        self
    }

    /// Calls `observe` for every request that is refused for invalid credentials, for insufficient scope, for another host or
    /// from another origin. `observe` must not wait.
    #[must_use]
    pub fn on_denial(mut self, observe: impl Fn(Denial) + Send + Sync + 'static) -> Self {
        self.on_denial = Some(Box::new(observe));
        self
    }

    /// Sets the check of `/readyz`, which responds 200 only if the check succeeds and no shutdown has begun. The check should take no time, because
    /// anybody may cause it. Its error is logged, and not returned.
    #[must_use]
    pub fn ready_when<F: Future<Output = Result<(), String>> + Send + 'static>(
        mut self,
        check: impl Fn() -> F + Send + Sync + 'static,
    ) -> Self {
        self.ready = Some(Box::new(move || Box::pin(check())));
        self
    }

    /// Stops the server gracefully once `signal` resolves. May be called several times: the first signal counts.
    /// [`RunningServer::run`](super::RunningServer::run) and [`serve`](Self::serve) wait for the signals.
    #[must_use]
    pub fn stop_when(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.stop_signals.get_mut().push(Box::pin(signal));
        self
    }

    /// Builds the server.
    #[must_use]
    pub fn build(self) -> HttpServer {
        let (config, authority) = (Arc::new(self.config), Arc::new(self.authority));
        let replica = self.replicas.as_ref().map(|replicas| replicas.name());
        let backend = Arc::new(Backend::new(self.make_service, authority.clone(), replica));
        let gate = Gate {
            origins: self.origins,
            authority: authority.clone(),
            authenticate_timeout: config.authenticate_timeout,
            on_denial: self.on_denial,
        };
        HttpServer(Arc::new(ServerState {
            paths: self.paths,
            gate: Arc::new(gate),
            open_to_all: self.open_to_all,
            bodies: BodyReader::new(config.clone(), authority.clone()),
            sessions: Arc::new(Sessions::new(backend.clone(), config.clone(), self.replicas.clone())),
            replicas: self.replicas,
            ready: self.ready,
            stateless: StatelessRequests::new(backend, config.clone()),
            stop_signals: self.stop_signals,
            is_leaving: AtomicBool::new(false),
            draining: AtomicBool::new(false),
            config,
            authority,
        }))
    }
}

impl fmt::Debug for HttpServerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServerBuilder").field("paths", &self.paths).finish_non_exhaustive()
    }
}
