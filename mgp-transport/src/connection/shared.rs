//! What the tasks of a connection and the peers handed out share.

use super::{
    Config, ConnectionError, Outbound, inbox_warnings::InboxWarnings, pending::Pending, running::Running,
};
use crate::seam::{CallError, CancelCause, LogLimit, Session};
use mgp_types::mcp::{
    LoggingLevel,
    stateless::{EnvelopeMembers, RequestEnvelope},
};
use std::sync::{
    Arc, Mutex, OnceLock,
    atomic::{AtomicI64, AtomicU64, Ordering},
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
    /// What this side says in each of its requests, where the other side speaks a stateless revision; and as it is written.
    pub(crate) envelope: OnceLock<(RequestEnvelope, EnvelopeMembers)>,
    /// How many texts were no messages.
    pub(crate) unreadable: AtomicU64,
    pub(crate) warnings: InboxWarnings,
    /// The warnings of handlers of notifications.
    pub(crate) failed: LogLimit,
    /// From which level on this side wants log messages of its requests there.
    pub(crate) log_level: Mutex<Option<LoggingLevel>>,
    next_id: AtomicI64,
    reason: OnceLock<ConnectionError>,
    closed: CancellationToken,
    draining: CancellationToken,
}

impl Shared {
    pub(crate) fn new(outbound: Arc<dyn Outbound>, config: Config, session: Session) -> Self {
        Self {
            outbound,
            session,
            pending: Pending::new(config.pending, config.call_queue, config.held_bytes),
            running: Running::new(config.running, config.held_bytes),
            envelope: OnceLock::new(),
            unreadable: AtomicU64::new(0),
            warnings: InboxWarnings::default(),
            failed: LogLimit::default(),
            log_level: Mutex::default(),
            next_id: AtomicI64::new(1),
            reason: OnceLock::new(),
            closed: CancellationToken::new(),
            draining: CancellationToken::new(),
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
        self.pending.fail_all(&CallError::Lost(reason));
        self.running.cancel_all(CancelCause::Disconnected);
        for (limit, about) in self.warnings.all().into_iter().chain([(&self.failed, "failed handlers")]) {
            if let Some(left_out) = limit.rest() {
                tracing::warn!(session = self.session.id(), left_out, "warnings of {about} were left out");
            }
        }
    }

    pub(crate) async fn closed(&self) {
        self.closed.cancelled().await;
    }

    /// Says that nothing more is asked for: what runs is to come to its end.
    pub(crate) fn drain(&self) {
        self.draining.cancel();
    }

    pub(crate) async fn draining(&self) {
        self.draining.cancelled().await;
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
