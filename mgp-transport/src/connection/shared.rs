//! The state that the tasks of a connection share with its peers.

use super::{
    Config, ConnectionError, Outbound, inbox_warnings::InboxWarnings, pending::PendingCalls,
    running::RunningRequests,
};
use crate::seam::{CallError, CancelCause, CancelToken, CancelledFuture, LogLimit, Session};
use mgp_types::mcp::{
    LoggingLevel,
    stateless::{EnvelopeMembers, RequestEnvelope},
};
use parking_lot::Mutex;
use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicI64, AtomicU64, Ordering},
};
use tokio_util::sync::CancellationToken;

/// The state that the tasks of a connection share with its peers.
#[derive(Debug)]
pub(crate) struct ConnectionState {
    pub(crate) outbound: Arc<dyn Outbound>,
    pub(crate) config: Config,
    pub(crate) session: Session,
    pub(crate) pending: PendingCalls,
    pub(crate) running: RunningRequests,
    /// The envelope of this side's requests, and its serialized members, if the other side speaks a stateless revision.
    pub(crate) envelope: OnceLock<(RequestEnvelope, EnvelopeMembers)>,
    /// The number of messages received.
    pub(crate) received: AtomicU64,
    /// The number of texts that were not messages.
    pub(crate) unreadable: AtomicU64,
    pub(crate) warnings: InboxWarnings,
    /// The rate limit on warnings about handlers of notifications.
    pub(crate) failed: LogLimit,
    /// The least level of the log messages that this side's requests ask for.
    pub(crate) log_level: Mutex<Option<LoggingLevel>>,
    next_id: AtomicI64,
    reason: OnceLock<ConnectionError>,
    /// Cancelled once there is a reason.
    closed: CancelToken,
    draining: CancellationToken,
}

impl ConnectionState {
    pub(crate) fn new(outbound: Arc<dyn Outbound>, config: Config, session: Session) -> Self {
        Self {
            outbound,
            session,
            pending: PendingCalls::new(config.pending, config.call_queue, config.held_bytes),
            running: RunningRequests::new(config.running, config.held_bytes),
            envelope: OnceLock::new(),
            received: AtomicU64::new(0),
            unreadable: AtomicU64::new(0),
            warnings: InboxWarnings::default(),
            failed: LogLimit::default(),
            log_level: Mutex::default(),
            next_id: AtomicI64::new(1),
            reason: OnceLock::new(),
            closed: CancelToken::new(),
            draining: CancellationToken::new(),
            config,
        }
    }

    pub(crate) fn next_id(&self) -> i64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Ends the connection. The first reason is kept.
    pub(crate) fn close(&self, reason: ConnectionError) {
        if self.reason.set(reason.clone()).is_err() {
            return;
        }
        self.closed.cancel(CancelCause::Disconnected);
        self.outbound.close(&reason);
        self.pending.fail_all(&CallError::Lost(reason));
        self.running.cancel_all(CancelCause::Disconnected);
        for (limit, about) in self.warnings.all().into_iter().chain([(&self.failed, "failed handlers")]) {
            if let Some(left_out) = limit.rest() {
                tracing::warn!(session = self.session.id(), left_out, "warnings of {about} were left out");
            }
        }
    }

    pub(crate) fn closed(&self) -> CancelledFuture {
        self.closed.cancelled()
    }

    /// Announces that no more requests are taken, and that running ones should end.
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

    /// Returns the reason why nothing more can be sent.
    pub(crate) fn error(&self) -> ConnectionError {
        self.closed_reason().unwrap_or(ConnectionError::Closed)
    }
}
