//! The service that holds messages back until the handshake is done.

use super::{HandshakePhase, HandshakeProgress, phase::AnswerGuard};
use mgp_transport::seam::{Incoming, Reply, ResponseFuture};
use mgp_types::{
    mcp::{Initialize, Initialized},
    rpc::{Call, ErrorObject, Lane, Notice},
};
use pin_project_lite::pin_project;
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};
use tower_service::Service;

/// The service that holds messages back until the handshake is done. See [`HandshakeLayer`](super::HandshakeLayer).
#[derive(Debug, Clone)]
pub struct HandshakeGate<S> {
    inner: S,
}

/// The decision on a message.
enum Admission {
    /// The message is passed on to the inner service.
    Pass,
    /// The message is the `initialize` that the session waits for.
    Initialize(AnswerGuard),
    /// The message is answered by the gate, with this error.
    Refuse(ErrorObject),
    /// The message is a notification that was sent too early.
    Drop,
}

impl<S> HandshakeGate<S> {
    pub(super) fn new(inner: S) -> Self {
        Self { inner }
    }
}

fn admit(incoming: &Incoming) -> Admission {
    let phase = incoming.session().and_then(|session| session.read(HandshakeProgress::phase));
    let phase = phase.unwrap_or(HandshakePhase::NotStarted);
    let handshake = || incoming.session().map(HandshakeProgress::of).unwrap_or_default();
    let open = phase >= HandshakePhase::Answered;
    if incoming.is_notification() {
        if incoming.method == *Initialized::METHOD && !handshake().initialized() {
            tracing::debug!(?phase, "notifications/initialized out of order: dropped");
            return Admission::Drop;
        }
        if open {
            return Admission::Pass;
        }
        tracing::debug!(method = %incoming.method, "notification before the handshake: dropped");
        return Admission::Drop;
    }
    if incoming.method == *Initialize::METHOD {
        return handshake().begin().map_or_else(
            || Admission::Refuse(ErrorObject::invalid_request("the session is initialized already")),
            Admission::Initialize,
        );
    }
    if open || Lane::of(&incoming.method) == Lane::Priority {
        return Admission::Pass;
    }
    let message = format!("server not initialized: expected initialize before {:?}", incoming.method);
    Admission::Refuse(ErrorObject::invalid_request(message))
}

impl<S: Service<Incoming, Response = Reply>> Service<Incoming> for HandshakeGate<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<AdmittedFuture<S::Future>, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        let answering = match admit(&incoming) {
            Admission::Pass => None,
            Admission::Initialize(answering) => Some(answering),
            Admission::Refuse(error) => return ResponseFuture::answered(Reply::error(error)),
            Admission::Drop => return ResponseFuture::answered(Reply::none()),
        };
        ResponseFuture::passing(AdmittedFuture { future: self.inner.call(incoming), answering })
    }
}

pin_project! {
    /// The future of a message that the gate has passed on. It updates the session when `initialize` is answered.
    #[derive(Debug)]
    pub struct AdmittedFuture<F> {
        #[pin]
        future: F,
        answering: Option<AnswerGuard>,
    }
}

impl<F: Future<Output = Result<Reply, E>>, E> Future for AdmittedFuture<F> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let result = ready!(this.future.poll(cx));
        if let Some(answering) = this.answering.take()
            && result.as_ref().is_ok_and(|reply| reply.result().is_some() && !reply.is_cancelled())
        {
            answering.answered();
        }
        Poll::Ready(result)
    }
}
