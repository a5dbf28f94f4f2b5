//! The service that counts tool calls.

use super::{CallCounters, open_call::OpenCall};
use mgp_transport::seam::{BoxError, Reply, ToolCall};
use pin_project_lite::pin_project;
use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};
use tower_service::Service;

/// The service that counts each tool call at its end, except dry runs. See [`CountCallsLayer`](super::CountCallsLayer).
#[derive(Debug, Clone)]
pub(crate) struct CountCalls<S> {
    pub(super) inner: S,
    pub(super) counters: CallCounters,
}

impl<P, S> Service<ToolCall<P>> for CountCalls<S>
where
    S: Service<ToolCall<P>, Response = Reply, Error = BoxError>,
{
    type Response = Reply;
    type Error = BoxError;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: ToolCall<P>) -> Self::Future {
        let open = (!call.dry_run).then(|| OpenCall::begin(&self.counters, &call));
        ResponseFuture { inner: self.inner.call(call), open }
    }
}

pin_project! {
    /// The future of [`CountCalls`]. A call whose future is dropped is counted, too.
    pub(in crate) struct ResponseFuture<F> {
        #[pin]
        inner: F,
        open: Option<OpenCall>,
    }
}

impl<F: Future<Output = Result<Reply, BoxError>>> Future for ResponseFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let reply = ready!(this.inner.poll(cx));
        if let Some(open) = this.open.take() {
            open.close(&reply);
        }
        Poll::Ready(reply)
    }
}
