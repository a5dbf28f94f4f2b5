//! A request that was sent and awaits its reply.

use super::{CallError, CallEvent, Peer, slot::Slot};
use crate::{
    era::{self, INITIALIZE},
    outbound::send_cancelled,
};
use mgp_types::rpc::RawResult;
use std::{
    fmt,
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll, ready},
};

/// A request that was sent. Dropping it before its reply cancels the request on the other side.
pub struct PendingCall {
    peer: Peer,
    id: i64,
    slot: Arc<Slot>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Registered,
    Sent,
    /// Sent, but must not be cancelled. MCP forbids it for `initialize`, and a server that was only asked for its revisions may
    /// not support the notification yet.
    SentForGood,
    Done,
}

impl PendingCall {
    pub(super) fn register(peer: Peer, id: i64) -> Result<Self, CallError> {
        if let Some(reason) = peer.connection.closed_reason() {
            return Err(reason.into());
        }
        let slot = peer.connection.register(id)?;
        Ok(Self { peer, id, slot, state: State::Registered })
    }

    pub(super) fn sent(&mut self, method: &str) {
        self.state =
            if matches!(method, INITIALIZE | "server/discover") { State::SentForGood } else { State::Sent };
        // A connection that closed between registering and sending has failed only the calls that were registered.
        if let Some(reason) = self.peer.connection.closed_reason() {
            self.slot.finish(Err(CallError::Lost(reason)));
        }
    }

    /// Returns the id under which the request was sent.
    #[must_use]
    pub fn id(&self) -> i64 {
        self.id
    }

    /// Returns the peer that was called.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Waits for the next event. After the reply there are no more events.
    pub async fn next(&mut self) -> CallEvent {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// Polls for the next event.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<CallEvent> {
        let event = ready!(self.slot.poll(cx));
        if let CallEvent::Reply(reply) = &event {
            if let (State::SentForGood, Ok(result)) = (self.state, reply)
                && let Some(agreed) = era::agreed_revision(result)
            {
                self.peer.connection.session().set(agreed);
            }
            self.state = State::Done;
        }
        Poll::Ready(event)
    }

    /// Returns whether the other side certainly did not run the call: it was not reached, or its transport refused the message up
    /// front. Meaningful after the reply, which is then an error. No answer of the other side can set it.
    #[must_use]
    pub fn is_unrun(&self) -> bool {
        self.slot.is_unrun()
    }

    /// Waits for the reply and drops the notifications before it.
    ///
    /// # Errors
    /// Returns the peer's own error, or the reason why no reply was received.
    pub async fn reply(mut self) -> Result<RawResult, CallError> {
        loop {
            if let CallEvent::Reply(reply) = self.next().await {
                return reply;
            }
        }
    }
}

impl Drop for PendingCall {
    fn drop(&mut self) {
        if self.state == State::Done {
            return;
        }
        let Peer { connection, route, .. } = &self.peer;
        if connection.remove(self.id) && self.state == State::Sent {
            send_cancelled(connection.outbound(), route, self.id, "the caller no longer waits");
        }
    }
}

impl fmt::Debug for PendingCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingCall")
            .field("id", &self.id)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
