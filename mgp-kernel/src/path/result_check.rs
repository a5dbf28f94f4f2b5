//! Checks of results against the output schemas of their tools, for calls that request them.
//!
//! The tool has run when its result is checked. The check is therefore outside every layer that takes an error as a sign that the tool did
//! not do its work. Otherwise, transactions would not undo it, a fallback would repeat it, and an idempotency key would return the error to
//! calls without the check.

use crate::catalog::tools::ToolEntry;
use mgp_transport::seam::{CallRecord, Decision, Judge, Refusal, RefusalKind, Reply, ToolCall};
use mgp_types::{error::ErrorCode, rpc::ErrorObject};
use pin_project_lite::pin_project;
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tower_layer::Layer;
use tower_service::Service;

/// The gate that refuses a call whose result has to be checked against an unusable schema. Callers that request the check rely on it, and the
/// tool has not run yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResultCheck;

impl Judge for ResultCheck {
    fn judge(&self, call: &ToolCall) -> Decision {
        if !call.options().check_result {
            return Decision::Allow;
        }
        let reason = match ToolEntry::of(call) {
            Some(entry) => entry.result_fault(),
            None => Some("the tool has no definition"),
        };
        reason
            .map_or(Decision::Allow, |reason| Refusal::new(RefusalKind::Validation, unchecked(reason)).into())
    }
}

/// Returns the error of a call whose result cannot be checked.
fn unchecked(reason: &str) -> ErrorObject {
    ErrorCode::InvalidToolArgs.error(format!(
        "the result could not be checked against the tool's outputSchema: {reason}; expected a schema that can be checked against, or a call \
         without check_result"
    ))
}

/// The layer that answers with an error if the result of a call does not match its tool's output schema, if the host requests the check.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckedResultsLayer;

impl<S> Layer<S> for CheckedResultsLayer {
    type Service = CheckedResults<S>;

    fn layer(&self, inner: S) -> CheckedResults<S> {
        CheckedResults(inner)
    }
}

/// The service that checks results. See [`CheckedResultsLayer`].
#[derive(Debug, Clone)]
pub(crate) struct CheckedResults<S>(S);

/// A call whose result is checked.
#[derive(Debug)]
struct CheckedCall {
    record: CallRecord,
    entry: Arc<ToolEntry>,
}

impl CheckedCall {
    fn of(call: &ToolCall<()>) -> Option<Box<Self>> {
        if !call.options().check_result || call.dry_run {
            return None;
        }
        Some(Box::new(Self { record: call.record.clone(), entry: ToolEntry::shared(call)? }))
    }

    /// Returns the error of a reply whose result does not match.
    fn misfit(&self, reply: &Reply) -> Option<ErrorObject> {
        let result = reply.result().filter(|_| !reply.is_cancelled())?;
        let substitute = self.record.update(|record| record.substitute.clone());
        let entry = substitute.and_then(|route| route.downcast().ok());
        entry.as_ref().unwrap_or(&self.entry).check_result(result).err()
    }
}

impl<S: Service<ToolCall<()>, Response = Reply>> Service<ToolCall<()>> for CheckedResults<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, call: ToolCall<()>) -> Self::Future {
        let checked = CheckedCall::of(&call);
        ResponseFuture { inner: self.0.call(call), call: checked }
    }
}

pin_project! {
    /// The future of [`CheckedResults`].
    #[derive(Debug)]
    pub(in crate) struct ResponseFuture<F> {
        #[pin]
        inner: F,
        // Boxed, because few calls have one.
        call: Option<Box<CheckedCall>>,
    }
}

impl<F: Future<Output = Result<Reply, E>>, E> Future for ResponseFuture<F> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let reply = ready!(this.inner.poll(cx))?;
        let misfit = this.call.as_ref().and_then(|call| call.misfit(&reply));
        Poll::Ready(Ok(misfit.map_or(reply, Reply::error)))
    }
}
