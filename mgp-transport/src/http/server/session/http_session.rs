//! One session: a connection whose messages are spread over many HTTP requests.

use crate::{
    connection::{Connection, ConnectionError, Inbox},
    http::server::{
        HttpServerConfig,
        backend::Backend,
        replicas::{Replicas, ReplicatedSession},
        stream::Streams,
    },
    seam::Peer,
};
use mgp_types::{context::Principal, rpc::RequestId};
use parking_lot::Mutex;
use std::{
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// The shortest time between two checks of the streams that are kept.
const MIN_TIDY_INTERVAL: Duration = Duration::from_secs(1);

/// One session.
pub(in crate::http::server) struct HttpSession {
    /// The text that the client names the session by. Anyone who knows it can use the session.
    pub(in crate::http::server) secret: String,
    /// The principal that opened the session. No other principal can use it.
    pub(super) principal: Principal,
    /// The transport of the session. The session is unknown on another transport.
    pub(super) transport: Transport,
    pub(in crate::http::server) inbox: Inbox,
    pub(in crate::http::server) streams: Arc<Streams>,
    /// The number of HTTP requests of the session that are in flight.
    active: AtomicUsize,
    last_active: Mutex<Instant>,
    /// The record of the session in the store, if the server has replicas.
    replicated: OnceLock<ReplicatedSession>,
    /// True if no more messages are accepted: the client is gone for good, and running calls may end.
    left: AtomicBool,
}

/// A transport over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http::server) enum Transport {
    /// One endpoint, a stream for each request.
    Streamable,
    /// One stream for everything, and an address for messages.
    HttpSse,
}

impl Transport {
    /// Returns whether each request has its own stream.
    pub(in crate::http::server) fn has_requests(self) -> bool {
        self == Self::Streamable
    }
}

impl HttpSession {
    /// Starts the connection of a session. `opening` is the request that opens the session; `None` if one stream carries
    /// everything.
    pub(super) fn start(
        secret: String,
        principal: Principal,
        opening: Option<RequestId>,
        backend: &Backend,
        config: &HttpServerConfig,
        replicas: Option<&Replicas>,
    ) -> Arc<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // Not the secret: this id appears in logs.
        let (session, service, lane) = backend.begin(&format!("http-{number}"), &principal);
        let transport = if opening.is_some() { Transport::Streamable } else { Transport::HttpSse };
        let stream_number = replicas.map_or(number, |replicas| replicas.stream_number(number));
        let streams = Streams::new(config, session.clone(), stream_number, opening);
        let mut builder = Connection::builder(service).session(session).config(config.session.clone());
        if let Some(lane) = lane {
            builder = builder.lane(lane);
        }
        let (inbox, _) = builder.start(streams.clone());
        let last_active = Mutex::new(Instant::now());
        Arc::new(Self {
            secret,
            principal,
            transport,
            inbox,
            streams,
            active: AtomicUsize::new(0),
            last_active,
            replicated: OnceLock::new(),
            left: AtomicBool::new(false),
        })
    }

    /// Returns the principal that opened the session.
    pub(in crate::http::server) fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Sets the record of the session in the store. Only the first call counts.
    pub(in crate::http::server) fn replicate(&self, session: ReplicatedSession) {
        self.replicated.get_or_init(|| session);
    }

    /// Returns the record of the session in the store.
    pub(in crate::http::server) fn replicated(&self) -> Option<&ReplicatedSession> {
        self.replicated.get()
    }

    /// Returns whether another replica had the session before.
    pub(in crate::http::server) fn was_taken_over(&self) -> bool {
        self.replicated().is_some_and(|replicated| replicated.epoch > 0)
    }

    pub(in crate::http::server) fn peer(&self) -> Peer {
        self.inbox.peer()
    }

    /// Accepts no more messages.
    pub(in crate::http::server) fn leave(&self) {
        self.left.store(true, Ordering::Release);
    }

    pub(super) fn takes_messages(&self) -> bool {
        !self.left.load(Ordering::Acquire) && !self.peer().is_closed()
    }

    /// Ends the session: its calls are cancelled, its streams end.
    pub(in crate::http::server) fn end(&self, reason: ConnectionError) {
        self.inbox.close(reason);
    }

    /// Counts an HTTP request of the session as in flight until the guard is dropped.
    pub(in crate::http::server) fn activity(self: &Arc<Self>) -> Activity {
        self.active.fetch_add(1, Ordering::AcqRel);
        Activity(self.clone())
    }

    /// Watches the session to its end: until it is closed, refused, or idle for too long.
    pub(super) async fn watch(self: Arc<Self>, config: &HttpServerConfig) {
        let peer = self.peer();
        let limit = config.idle_timeout;
        loop {
            let idle_at = if self.is_in_use() { Instant::now() } else { *self.last_active.lock() } + limit;
            // Streams that are kept for reconnections are dropped in time, even if nothing happens.
            let tidy_at = Instant::now() + config.resume.timeout.max(MIN_TIDY_INTERVAL);
            tokio::select! {
                () = peer.closed() => return,
                () = self.streams.refused.notified() => self.end(ConnectionError::Shutdown),
                () = tokio::time::sleep_until(idle_at.min(tidy_at)) => {
                    self.streams.tidy();
                    let idle = !self.is_in_use() && self.last_active.lock().elapsed() >= limit;
                    if idle {
                        tracing::info!(session = peer.session().id(), ?limit, "session expired");
                        self.end(ConnectionError::Transport("the session expired".into()));
                    }
                }
            }
        }
    }

    /// Returns the time since which nothing has happened on the session; `None` while a request runs or a stream is open.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        (!self.is_in_use()).then(|| *self.last_active.lock())
    }

    fn is_in_use(&self) -> bool {
        self.active.load(Ordering::Acquire) > 0 || self.peer().running_count() > 0
    }
}

impl fmt::Debug for HttpSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpSession").field("principal", &self.principal).finish_non_exhaustive()
    }
}

/// An HTTP request of a session that is in flight.
#[derive(Debug)]
pub(in crate::http::server) struct Activity(Arc<HttpSession>);

impl Drop for Activity {
    fn drop(&mut self) {
        *self.0.last_active.lock() = Instant::now();
        self.0.active.fetch_sub(1, Ordering::AcqRel);
    }
}
