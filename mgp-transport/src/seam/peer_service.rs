//! A peer as a service: the innermost one of an outbound stack.

use super::{BoxError, CallError, CallEvent, Incoming, Peer, PendingCall, Reply};
use crate::outbound::{Body, Outgoing, SendError};
use futures_core::future::BoxFuture;
use mgp_types::rpc::RequestId;
use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};
use tower_service::Service;

impl Service<Incoming> for Peer {
    type Response = Reply;
    type Error = BoxError;
    type Future = PeerFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    /// Sends a request under a new id and answers with its reply; the caller's id is not sent.
    fn call(&mut self, incoming: Incoming) -> PeerFuture {
        start(self.clone(), incoming)
    }
}

/// Sends a message at once if there is room; otherwise, the returned future sends it.
fn start(peer: Peer, incoming: Incoming) -> PeerFuture {
    let Incoming { id, method, params, .. } = incoming;
    if id.is_none() {
        return PeerFuture::slow(async move { peer.notify(method, params).await.map(|()| None) });
    }
    let id = peer.next_id();
    let mut call = match PendingCall::register(peer.clone(), id) {
        Ok(call) => call,
        Err(error) => return PeerFuture::failed(error),
    };
    let request_id = RequestId::from(id);
    let body = Body::Request { id: &request_id, method: &method, params: &params };
    match peer.connection.outbound().try_send(&Outgoing { route: &peer.route, body, urgent: false }) {
        Ok(()) => {
            call.sent(&method);
            PeerFuture::waiting(call)
        }
        Err(SendError::Closed) => PeerFuture::failed(peer.error().into()),
        Err(SendError::Full) => PeerFuture::slow(async move {
            peer.send(Body::Request { id: &request_id, method: &method, params: &params }).await?;
            call.sent(&method);
            Ok(Some(call))
        }),
    }
}

/// The future of a call through [`Peer`] as a service.
pub struct PeerFuture(PeerState);

enum PeerState {
    Waiting(PendingCall),
    Sending(BoxFuture<'static, Result<Option<PendingCall>, CallError>>),
}

impl PeerFuture {
    fn waiting(call: PendingCall) -> Self {
        Self(PeerState::Waiting(call))
    }

    fn failed(error: CallError) -> Self {
        Self::slow(std::future::ready(Err(error)))
    }

    fn slow(sending: impl Future<Output = Result<Option<PendingCall>, CallError>> + Send + 'static) -> Self {
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
