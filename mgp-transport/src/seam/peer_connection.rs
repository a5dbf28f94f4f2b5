//! The connection behind a peer, as its driver implements it.

use super::{CallError, CancelToken, CancelledFuture, Session, request_members::RequestMembers, slot::Slot};
use crate::outbound::{ConnectionError, Outbound};
use futures_core::future::BoxFuture;
use mgp_types::rpc::{RawResult, RequestId};
use std::{fmt, sync::Arc};
use tokio_util::sync::CancellationToken;

/// The connection behind a [`Peer`](super::Peer). The driver of connections implements it.
pub(crate) trait PeerConnection: fmt::Debug + Send + Sync {
    fn session(&self) -> &Session;

    /// Returns the destination of messages to the other side.
    fn outbound(&self) -> &dyn Outbound;

    /// Returns the members that each request of this side carries.
    fn members(&self) -> &RequestMembers;

    /// Returns an id for a call to the other side.
    fn next_id(&self) -> i64;

    /// Registers a call to the other side, which then waits for its reply.
    ///
    /// # Errors
    /// Returns [`CallError::TooManyCalls`] if too many calls wait.
    fn register(&self, id: i64) -> Result<Arc<Slot>, CallError>;

    /// Removes a call. Returns whether it was still waiting.
    fn remove(&self, id: i64) -> bool;

    /// Hands a reply to its call. Returns whether a call was waiting for it.
    fn finish(&self, id: i64, outcome: Result<RawResult, CallError>) -> bool;

    /// Returns the cancel token of a request of the other side that is running.
    fn running(&self, id: &RequestId) -> Option<CancelToken>;

    /// Returns the number of requests of the other side that are running.
    fn running_count(&self) -> usize;

    /// Waits until no request of the other side is running.
    fn idle(&self) -> BoxFuture<'_, ()>;

    /// Returns the number of messages received.
    fn received_count(&self) -> u64;

    /// Returns the number of texts that were not messages.
    fn unreadable_count(&self) -> u64;

    /// Returns the token that is cancelled once the connection accepts no more requests, and running ones should end.
    fn draining(&self) -> &CancellationToken;

    /// Waits until the connection is gone.
    fn closed(&self) -> CancelledFuture;

    /// Returns the reason for the end of the connection; `None` if it has not ended.
    fn closed_reason(&self) -> Option<ConnectionError>;

    /// Ends the connection. The first reason is kept.
    fn close(&self, reason: ConnectionError);
}
