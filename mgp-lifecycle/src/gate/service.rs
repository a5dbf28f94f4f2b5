//! The service that checks the gate before each call.

use super::{Gate, Permit};
use mgp_transport::seam::{CallRecord, Incoming, RefusalKind, Reply, ResponseFuture};
use pin_project_lite::pin_project;
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};
use tower_service::Service;

/// The service that calls a server while the server's state allows it. See [`LifecycleLayer`](super::LifecycleLayer).
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
    type Future = ResponseFuture<PermittedFuture<S::Future>, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        let refused = match self.gate.enter() {
            Ok(permit) => {
                let future = self.inner.call(incoming);
                return ResponseFuture::passing(PermittedFuture { future, permit: Some(permit) });
            }
            Err(refused) => refused,
        };
        if let Some(record) = CallRecord::of(&incoming) {
            record.refuse(RefusalKind::Lifecycle, refused.message());
        }
        ResponseFuture::answered(if incoming.is_notification() {
            tracing::debug!(method = %incoming.method, reason = refused.message(), "notification dropped");
            Reply::none()
        } else {
            Reply::error(refused.to_error())
        })
    }
}

pin_project! {
    /// The future of a call that the gate admitted. Dropping it also removes the call from the count of calls in flight.
    #[derive(Debug)]
    pub struct PermittedFuture<F> {
        #[pin]
        future: F,
        permit: Option<Permit>,
    }
}

impl<F: Future<Output = Result<Reply, E>>, E> Future for PermittedFuture<F> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let result = ready!(this.future.poll(cx));
        if let Some(permit) = this.permit.take() {
            permit.answered();
        }
        Poll::Ready(result)
    }
}
