//! The state that the tasks of a connection share with its peers.

use super::{
    Config, ConnectionError, Outbound, inbox_warnings::InboxWarnings, pending::PendingCalls,
    running::RunningRequests,
};
use crate::seam::{
    CallError, CancelCause, CancelToken, CancelledFuture, LogLimit, PeerConnection, RequestMembers, Session,
    Slot,
};
use futures_core::future::BoxFuture;
use mgp_types::rpc::{RawResult, RequestId};
use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicI64, AtomicU64, Ordering},
};
use tokio_util::sync::CancellationToken;

/// The state that the tasks of a connection share with its peers.
#[derive(Debug)]
pub(super) struct ConnectionState {
    pub(super) outbound: Arc<dyn Outbound>,
    pub(super) config: Config,
    pub(super) session: Session,
    pub(super) pending: PendingCalls,
    pub(super) running: RunningRequests,
    /// The members that each request of this side carries.
    pub(super) members: RequestMembers,
    /// The number of messages received.
    pub(super) received: AtomicU64,
    /// The number of texts that were not messages.
    pub(super) unreadable: AtomicU64,
    pub(super) warnings: InboxWarnings,
    /// The rate limit on warnings about handlers of notifications.
    pub(super) failed: LogLimit,
    next_id: AtomicI64,
    reason: OnceLock<ConnectionError>,
    /// Cancelled once there is a reason.
    closed: CancelToken,
    draining: CancellationToken,
}

impl ConnectionState {
    pub(super) fn new(outbound: Arc<dyn Outbound>, config: Config, session: Session) -> Self {
        Self {
            outbound,
            session,
            pending: PendingCalls::new(config.pending, config.call_queue, config.held_bytes),
            running: RunningRequests::new(config.running, config.held_bytes),
            members: RequestMembers::new(config.request_members),
            received: AtomicU64::new(0),
            unreadable: AtomicU64::new(0),
            warnings: InboxWarnings::default(),
            failed: LogLimit::default(),
            next_id: AtomicI64::new(1),
            reason: OnceLock::new(),
            closed: CancelToken::new(),
            draining: CancellationToken::new(),
            config,
        }
    }

    /// Announces that no more requests are taken, and that running ones should end.
    pub(super) fn drain(&self) {
        self.draining.cancel();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.reason.get().is_some()
    }
}

impl PeerConnection for ConnectionState {
    fn session(&self) -> &Session {
        &self.session
    }

    fn outbound(&self) -> &dyn Outbound {
        &*self.outbound
    }

    fn members(&self) -> &RequestMembers {
        &self.members
    }

    fn next_id(&self) -> i64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    fn register(&self, id: i64) -> Result<Arc<Slot>, CallError> {
        self.pending.register(id)
    }

    fn remove(&self, id: i64) -> bool {
        self.pending.remove(id)
    }

    fn finish(&self, id: i64, outcome: Result<RawResult, CallError>) -> bool {
        self.pending.finish(id, outcome)
    }

    fn running(&self, id: &RequestId) -> Option<CancelToken> {
        self.running.token(id)
    }

    fn running_count(&self) -> usize {
        self.running.count()
    }

    fn idle(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.running.idle())
    }

    fn received_count(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    fn unreadable_count(&self) -> u64 {
        self.unreadable.load(Ordering::Relaxed)
    }

    fn draining(&self) -> &CancellationToken {
        &self.draining
    }

    fn closed(&self) -> CancelledFuture {
        self.closed.cancelled()
    }

    fn closed_reason(&self) -> Option<ConnectionError> {
        self.reason.get().cloned()
    }

    fn close(&self, reason: ConnectionError) {
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
}
