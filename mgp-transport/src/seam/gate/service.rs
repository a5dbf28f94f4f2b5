//! The service of every gate.

use super::{Decision, Judge, ResponseFuture};
use crate::seam::{Reply, ToolCall};
use mgp_types::tool_check::{CallQuestion, QuestionKind};
use std::{
    future::poll_fn,
    task::{Context, Poll},
};
use tower_service::Service;

/// The reason of a question that its gate did not note itself.
const WAITS: &str = "a gate of the kernel's program takes time for this call, and may ask somebody";

/// The service that passes on the calls that a [`Judge`] allows, and answers the others with their refusal.
#[derive(Debug, Clone)]
pub struct Gate<J, S> {
    pub(super) judge: J,
    pub(super) inner: S,
}

impl<J, S> Service<ToolCall> for Gate<J, S>
where
    J: Judge,
    S: Service<ToolCall, Response = Reply, Error: Send, Future: Send> + Clone + Send + 'static,
{
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: ToolCall) -> Self::Future {
        let decision = match self.judge.judge(&call) {
            Decision::Allow => return ResponseFuture::passing(self.inner.call(call)),
            Decision::Refuse(refusal) => return ResponseFuture::answered(refusal.recorded(&call.record)),
            Decision::Wait(_) if call.dry_run => {
                call.record.would_ask(CallQuestion::new(QuestionKind::Gate, WAITS));
                return ResponseFuture::passing(self.inner.call(call));
            }
            Decision::Wait(decision) | Decision::Read(decision) => decision,
        };
        // The ready service may hold a permit, and other calls should not wait for that permit while a human decides. So it is
        // dropped, and its clone is made ready after the decision.
        let mut inner = self.inner.clone();
        drop(std::mem::replace(&mut self.inner, inner.clone()));
        ResponseFuture::waiting(async move {
            if let Err(refusal) = decision.await {
                return Ok(refusal.recorded(&call.record));
            }
            call.waited = true;
            poll_fn(|cx| inner.poll_ready(cx)).await?;
            inner.call(call).await
        })
    }
}
