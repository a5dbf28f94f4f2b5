//! The service that asks the gate before each call.

use super::{Gate, Permit};
use mgp_transport::seam::{CallRecord, Incoming, RefusalKind, Reply};
use pin_project_lite::pin_project;
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};
use tower_service::Service;

/// Calls a server while the server's state allows it. See [`LifecycleLayer`](super::LifecycleLayer).
#[derive(Debug, Clone)]
pub struct Lifecycle<S> {
    inner: S,
    gate: Gate,
}

impl<S> Lifecycle<S> {
    pub(super) fn new(inner: S, gate: Gate) -> Self {
        Self { inner, gate }
    }
}

impl<S: Service<Incoming, Response = Reply>> Service<Incoming> for Lifecycle<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        let refused = match self.gate.enter() {
            Ok(permit) => {
                let future = self.inner.call(incoming);
                return ResponseFuture { state: State::Running { future, permit: Some(permit) } };
            }
            Err(refused) => refused,
        };
        if let Some(record) = incoming.ext.get::<CallRecord>() {
            record.refuse(RefusalKind::Lifecycle, refused.message());
        }
        let reply = if incoming.is_notification() {
            tracing::debug!(method = %incoming.method, reason = refused.message(), "notification dropped");
            Reply::none()
        } else {
            Reply::error(refused.to_error())
        };
        ResponseFuture { state: State::Refused { reply: Some(reply) } }
    }
}

pin_project! {
    /// The future of [`Lifecycle`]. Dropping it also ends its call for the count of calls in flight.
    #[derive(Debug)]
    pub struct ResponseFuture<F> {
        #[pin]
        state: State<F>,
    }
}

pin_project! {
    #[project = StateProj]
    #[derive(Debug)]
    enum State<F> {
        Running { #[pin] future: F, permit: Option<Permit> },
        Refused { reply: Option<Reply> },
    }
}

impl<F: Future<Output = Result<Reply, E>>, E> Future for ResponseFuture<F> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().state.project() {
            StateProj::Running { future, permit } => {
                let result = ready!(future.poll(cx));
                if let Some(permit) = permit.take() {
                    permit.answered();
                }
                Poll::Ready(result)
            }
            StateProj::Refused { reply } => Poll::Ready(Ok(reply.take().unwrap_or_else(Reply::none))),
        }
    }
}
