//! The layer of tools that the operator changed: it completes the arguments of calls, and selects parts of results.
//!
//! It is outside the gates on arguments, so that gates, validators and approvals judge the arguments that the server gets.

use crate::{catalog::tools::ToolEntry, upstream::ShapedTool};
use mgp_transport::seam::{CallRecord, Reply, ToolCall};
use pin_project_lite::pin_project;
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tower_layer::Layer;
use tower_service::Service;

/// The detail of a call whose result was changed.
pub(crate) const SHAPED: &str = "shaped";

/// The layer of tools that the operator changed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShapeLayer;

impl<S> Layer<S> for ShapeLayer {
    type Service = Shape<S>;

    fn layer(&self, inner: S) -> Shape<S> {
        Shape { inner }
    }
}

/// The service of tools that the operator changed. See [`ShapeLayer`].
#[derive(Debug, Clone)]
pub(crate) struct Shape<S> {
    inner: S,
}

/// A call whose result is changed.
#[derive(Debug)]
struct ShapedCall {
    shape: Arc<ShapedTool>,
    record: CallRecord,
}

impl<S: Service<ToolCall, Response = Reply>> Service<ToolCall> for Shape<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: ToolCall) -> Self::Future {
        let shape = ToolEntry::of(&call).and_then(|entry| entry.shape.clone());
        let mut shaped = None;
        if let Some(shape) = shape {
            shape.fill(&mut call);
            if shape.changes_results() && !call.dry_run {
                shaped = Some(Box::new(ShapedCall { shape, record: call.record.clone() }));
            }
        }
        ResponseFuture { inner: self.inner.call(call), call: shaped }
    }
}

pin_project! {
    /// The future of [`Shape`].
    #[derive(Debug)]
    pub(crate) struct ResponseFuture<F> {
        #[pin]
        inner: F,
        // Boxed, because few calls have one.
        call: Option<Box<ShapedCall>>,
    }
}

impl<F: Future<Output = Result<Reply, E>>, E> Future for ResponseFuture<F> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let reply = ready!(this.inner.poll(cx))?;
        let Some(call) = this.call else { return Poll::Ready(Ok(reply)) };
        if reply.is_cancelled() {
            return Poll::Ready(Ok(reply));
        }
        let (reply, is_changed) = call.shape.shape_result(reply);
        if is_changed {
            call.record.update(|record| record.details.push((SHAPED, true.into())));
        }
        Poll::Ready(Ok(reply))
    }
}
