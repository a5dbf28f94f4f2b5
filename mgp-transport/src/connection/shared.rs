//! What the tasks of a connection and the peers handed out share.

use super::{Config, ConnectionError, Outbound, pending::Pending, running::Running};
use crate::seam::{CallError, CancelCause, Session};
use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicI64, Ordering},
};
use tokio_util::sync::CancellationToken;

/// What the tasks of a connection and the peers handed out share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) outbound: Arc<dyn Outbound>,
    pub(crate) config: Config,
    pub(crate) session: Session,
    pub(crate) pending: Pending,
    pub(crate) running: Running,
    next_id: AtomicI64,
    reason: OnceLock<ConnectionError>,
    closed: CancellationToken,
}

impl Shared {
    pub(crate) fn new(outbound: Arc<dyn Outbound>, config: Config, session: Session) -> Self {
        Self {
            outbound,
            session,
            pending: Pending::new(config.pending, config.call_queue, config.held_bytes),
            running: Running::new(config.running, config.held_bytes),
            next_id: AtomicI64::new(1),
            reason: OnceLock::new(),
            closed: CancellationToken::new(),
            config,
        }
    }

    pub(crate) fn next_id(&self) -> i64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Ends the connection; the first reason stays.
    pub(crate) fn close(&self, reason: ConnectionError) {
        if self.reason.set(reason.clone()).is_err() {
            return;
        }
        self.closed.cancel();
        self.outbound.close(&reason);
        self.pending.fail_all(&CallError::Connection(reason));
        self.running.cancel_all(CancelCause::Disconnected);
    }

    pub(crate) async fn closed(&self) {
        self.closed.cancelled().await;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.reason.get().is_some()
    }

    pub(crate) fn closed_reason(&self) -> Option<ConnectionError> {
        self.reason.get().cloned()
    }

    /// Why nothing more can be sent.
    pub(crate) fn error(&self) -> ConnectionError {
        self.closed_reason().unwrap_or(ConnectionError::Closed)
    }
}
