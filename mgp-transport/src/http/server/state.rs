//! The state of a server, which its handlers share.

use super::{
    HttpServerConfig,
    auth::{Authority, Gate},
    limits::BodyLease,
    paths::Paths,
    refusal::Refusal,
    replicas::Replicas,
    request::BodyReader,
    session::{HttpSession, Sessions},
    stateless::StatelessRequests,
};
use crate::connection::ConnectionError;
use crate::seam::{Extensions, TokenGrant};
use futures_core::future::BoxFuture;
use mgp_types::rpc::{Frame, RequestId};
use parking_lot::Mutex;
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// A check whether a server can serve calls. The error is the reason, for the log.
pub(super) type ReadyCheck = dyn Fn() -> BoxFuture<'static, Result<(), String>> + Send + Sync;

/// The state of a server, which its handlers share.
pub(super) struct ServerState {
    pub(super) paths: Paths,
    pub(super) config: Arc<HttpServerConfig>,
    pub(super) gate: Arc<Gate>,
    pub(super) authority: Arc<Authority>,
    pub(super) open_to_all: bool,
    pub(super) bodies: BodyReader,
    pub(super) sessions: Arc<Sessions>,
    /// This replica, if the server has replicas.
    pub(super) replicas: Option<Arc<Replicas>>,
    pub(super) stateless: StatelessRequests,
    /// The check whether the server can serve calls.
    pub(super) ready: Option<Box<ReadyCheck>>,
    pub(super) stop_signals: Mutex<Vec<BoxFuture<'static, ()>>>,
    /// True once a shutdown is announced, so that balancers send no more requests.
    pub(super) is_leaving: AtomicBool,
    /// True if new calls and sessions are refused.
    pub(super) draining: AtomicBool,
}

impl ServerState {
    pub(super) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    /// Returns whether a shutdown was announced, or has begun.
    pub(super) fn is_leaving(&self) -> bool {
        self.is_leaving.load(Ordering::Acquire) || self.is_draining()
    }

    /// Returns whether a configured route is at `path`.
    pub(super) fn has_path(&self, path: &str) -> bool {
        self.paths.has(path, self.authority.takes_tokens())
    }

    /// Adds the record of a new session to the store of the replicas, if there are replicas. Ends the session if that fails.
    pub(super) async fn keep(
        &self,
        session: &HttpSession,
        initialize: Option<&Frame>,
    ) -> Result<(), Refusal> {
        let Some(replicas) = &self.replicas else { return Ok(()) };
        let named = (session.secret.as_str(), session.principal());
        let kept = replicas.open(&*self.sessions, named, initialize).await;
        session.replicate(kept.inspect_err(|_| session.end(ConnectionError::Shutdown))?);
        Ok(())
    }

    /// Records a message that changes what another replica needs to continue the session.
    pub(super) async fn note(&self, session: &HttpSession, frame: &Frame) -> Result<(), Refusal> {
        match self.replicas.as_ref().zip(session.replicated()) {
            Some((replicas, replicated)) => replicas.note(replicated, frame).await,
            None => Ok(()),
        }
    }

    /// Authorizes a message, and refuses a request if the server shuts down. Returns the request's id, and the context.
    pub(super) fn admit(
        &self,
        granted: Option<&TokenGrant>,
        frame: &Frame,
        lease: Option<&Arc<BodyLease>>,
    ) -> Result<(Option<RequestId>, Extensions), Refusal> {
        let context = self.authority.authorize(granted, frame, lease)?;
        let Frame::Request { id, .. } = frame else { return Ok((None, context)) };
        if self.is_draining() {
            return Err(Refusal::draining().of(Some(id)));
        }
        Ok((Some(id.clone()), context))
    }
}

impl fmt::Debug for ServerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServer")
            .field("path", &self.paths.endpoint)
            .field("sessions", &self.sessions.count())
            .finish_non_exhaustive()
    }
}
