//! The service that records calls.

use super::{AuditSink, ResponseFuture, open_call::OpenCall, open_event::OpenEvent};
use mgp_transport::seam::{BoxError, Reply, ToolCall};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// The service that records one event for each tool call, and holds the reply back until the event is stored.
#[derive(Debug, Clone)]
pub struct Audit<S> {
    pub(super) inner: S,
    pub(super) sink: Arc<dyn AuditSink>,
}

impl<P, S> Service<ToolCall<P>> for Audit<S>
where
    S: Service<ToolCall<P>, Response = Reply, Error: Into<BoxError>>,
{
    type Response = Reply;
    type Error = BoxError;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, call: ToolCall<P>) -> Self::Future {
        if let Err(error) = self.sink.admit() {
            return ResponseFuture::refused(Reply::error(error.refusal()));
        }
        if !self.sink.keeps() {
            return ResponseFuture::new(Ok(self.inner.call(call)), None);
        }
        let open = OpenEvent::begin(&self.sink, OpenCall::begin(&call));
        ResponseFuture::new(catch_unwind(AssertUnwindSafe(|| self.inner.call(call))), Some(open))
    }
}
