//! One session: a connection whose messages come and go in many HTTP requests.

use super::{config::HttpServerConfig, queue::Limits, streams::Streams};
use crate::{
    connection::{Connection, ConnectionError, Inbox},
    seam::{BoxPeerService, Peer, Session},
    sync::lock,
};
use mgp_types::{context::Principal, rpc::RequestId};
use std::{
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// One session.
pub(super) struct HttpSession {
    /// What the client presents. Whoever knows it can speak on the session.
    pub(super) secret: String,
    /// Who opened it: nobody else can use it.
    pub(super) principal: Principal,
    pub(super) inbox: Inbox,
    pub(super) streams: Arc<Streams>,
    /// HTTP requests of the session that are under way.
    active: AtomicUsize,
    last_active: Mutex<Instant>,
}

impl HttpSession {
    /// Starts a session whose messages a service handles, made for it.
    pub(super) fn start(
        secret: String,
        principal: Principal,
        opening: RequestId,
        config: &HttpServerConfig,
        make_service: impl FnOnce(&Session) -> (BoxPeerService, Option<BoxPeerService>),
    ) -> Arc<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // Not the secret: this id stands in logs.
        let session = Session::new(&format!("http-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        session.set(principal.clone());
        let (service, lane) = make_service(&session);
        let limits = Limits {
            messages: config.stream_messages,
            bytes: config.stream_bytes,
            write_time_limit: config.write_time_limit,
        };
        let streams = Streams::new(limits, opening);
        let mut builder = Connection::builder(service).session(session).config(config.session.clone());
        if let Some(lane) = lane {
            builder = builder.lane(lane);
        }
        let (inbox, _) = builder.start(streams.clone());
        let last_active = Mutex::new(Instant::now());
        Arc::new(Self { secret, principal, inbox, streams, active: AtomicUsize::new(0), last_active })
    }

    pub(super) fn peer(&self) -> Peer {
        self.inbox.peer()
    }

    /// Ends the session: its calls are cancelled, its streams end.
    pub(super) fn end(&self, reason: ConnectionError) {
        self.inbox.close(reason);
    }

    /// Says that an HTTP request of the session is under way, for as long as what is returned lives.
    pub(super) fn activity(self: &Arc<Self>) -> Activity {
        self.active.fetch_add(1, Ordering::AcqRel);
        Activity(self.clone())
    }

    /// Ends when the session has: closed, refused, or idle for too long.
    pub(super) async fn watch(self: Arc<Self>, idle_time_limit: Duration) {
        let peer = self.peer();
        loop {
            let idle_at = if self.is_in_use() { Instant::now() } else { *lock(&self.last_active) };
            tokio::select! {
                () = peer.closed() => return,
                () = self.streams.refused.notified() => self.end(ConnectionError::Shutdown),
                () = tokio::time::sleep_until(idle_at + idle_time_limit) => {
                    self.streams.drop_stalled_readers();
                    let idle = !self.is_in_use() && lock(&self.last_active).elapsed() >= idle_time_limit;
                    if idle {
                        tracing::info!(session = peer.session().id(), limit = ?idle_time_limit, "session expired");
                        self.end(ConnectionError::Transport("the session expired".into()));
                    }
                }
            }
        }
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

/// An HTTP request of a session that is under way.
#[derive(Debug)]
pub(super) struct Activity(Arc<HttpSession>);

impl Drop for Activity {
    fn drop(&mut self) {
        *lock(&self.0.last_active) = Instant::now();
        self.0.active.fetch_sub(1, Ordering::AcqRel);
    }
}
