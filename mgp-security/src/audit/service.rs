//! The service that records calls.

use super::{AuditSink, ResponseFuture, open_call::OpenCall};
use mgp_transport::seam::{BoxError, Incoming, Reply};
use mgp_types::context::Target;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// Records one event for each tool call, and holds the reply back until the event is stored.
#[derive(Debug, Clone)]
pub struct Audit<S> {
    pub(super) inner: S,
    pub(super) sink: Arc<dyn AuditSink>,
}

impl<S> Service<Incoming> for Audit<S>
where
    S: Service<Incoming, Response = Reply, Error: Into<BoxError>>,
{
    type Response = Reply;
    type Error = BoxError;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, mut message: Incoming) -> Self::Future {
        if message.ext.get::<Target>().is_some()
            && let Err(error) = self.sink.admit()
        {
            let refused =
                if message.is_notification() { Reply::none() } else { Reply::error(error.refusal()) };
            return ResponseFuture::refused(refused);
        }
        let call = if self.sink.keeps() { OpenCall::begin(&mut message, &self.sink) } else { None };
        if call.is_none() {
            return ResponseFuture::new(Ok(self.inner.call(message)), None);
        }
        ResponseFuture::new(catch_unwind(AssertUnwindSafe(|| self.inner.call(message))), call)
    }
}
