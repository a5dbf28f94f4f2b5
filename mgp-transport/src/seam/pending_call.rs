//! A request that was sent and awaits its reply.

use super::{BoxError, CallError, Peer, Reply};
use crate::{
    connection::{Body, Outgoing, Route, Slot},
    era::{self, INITIALIZE},
};
use futures_core::future::BoxFuture;
use mgp_types::rpc::{Method, RawParams, RawResult};
use std::{
    fmt,
    future::{Future, poll_fn},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

/// A notification of the other side.
#[derive(Debug, Clone, PartialEq)]
pub struct Notification {
    /// The method of the notification.
    pub method: Method,
    /// The params, as text.
    pub params: RawParams,
}

/// An event of a call: its notifications in order, and then its reply.
#[derive(Debug)]
pub enum CallEvent {
    /// A notification that names this call: progress, a chunk, a callback.
    Notification(Notification),
    /// The end of the call.
    Reply(Result<RawResult, CallError>),
}

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
    pub(crate) fn register(peer: Peer, id: i64) -> Result<Self, CallError> {
        if let Some(reason) = peer.shared.closed_reason() {
            return Err(reason.into());
        }
        let slot = peer.shared.pending.register(id)?;
        Ok(Self { peer, id, slot, state: State::Registered })
    }

    pub(crate) fn sent(&mut self, method: &str) {
        self.state =
            if matches!(method, INITIALIZE | "server/discover") { State::SentForGood } else { State::Sent };
        // A connection that closed between registering and sending has failed only the calls that were registered.
        if let Some(reason) = self.peer.shared.closed_reason() {
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
            if let (State::SentForGood, Ok(result)) = (self.state, reply) {
                era::keep(&self.peer.shared.session, result);
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
        let shared = &self.peer.shared;
        if shared.pending.remove(self.id) && self.state == State::Sent {
            shared.send_cancelled(&self.peer.route, self.id, "the caller no longer waits");
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

impl crate::connection::ConnectionState {
    /// Sends the other side the cancellation of a call. There is always room for this notification.
    pub(crate) fn send_cancelled(&self, route: &Route, id: i64, reason: &str) {
        let params = format!(r#"{{"requestId":{id},"reason":"{reason}"}}"#);
        let Ok(params) = mgp_types::json::RawJson::parse(params) else { return };
        let method = Method::known("notifications/cancelled");
        let body = Body::Notification { method: &method, params: &params.into() };
        // A connection that is gone has no calls left to cancel.
        let _ = self.outbound.try_send(&Outgoing { route, body, urgent: true });
    }
}

/// The future of a call through [`Peer`] as a service.
pub struct PeerFuture(PeerState);

enum PeerState {
    Waiting(PendingCall),
    Sending(BoxFuture<'static, Result<Option<PendingCall>, CallError>>),
}

impl PeerFuture {
    pub(crate) fn waiting(call: PendingCall) -> Self {
        Self(PeerState::Waiting(call))
    }

    pub(crate) fn failed(error: CallError) -> Self {
        Self::slow(std::future::ready(Err(error)))
    }

    pub(crate) fn slow(
        sending: impl Future<Output = Result<Option<PendingCall>, CallError>> + Send + 'static,
    ) -> Self {
        Self(PeerState::Sending(Box::pin(sending)))
    }
}

impl Future for PeerFuture {
    type Output = Result<Reply, BoxError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            match &mut self.0 {
                PeerState::Sending(sending) => match ready!(sending.as_mut().poll(cx)) {
                    Ok(Some(call)) => self.0 = PeerState::Waiting(call),
                    Ok(None) => return Poll::Ready(Ok(Reply::none())),
                    Err(error) => return Poll::Ready(Err(error.into())),
                },
                PeerState::Waiting(call) => match ready!(call.poll_next(cx)) {
                    CallEvent::Notification(_) => {}
                    CallEvent::Reply(Ok(result)) => return Poll::Ready(Ok(Reply::ok(result))),
                    CallEvent::Reply(Err(CallError::Peer(error))) => {
                        return Poll::Ready(Ok(Reply::error(error)));
                    }
                    CallEvent::Reply(Err(error)) => return Poll::Ready(Err(error.into())),
                },
            }
        }
    }
}

impl fmt::Debug for PeerFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerFuture").finish_non_exhaustive()
    }
}
