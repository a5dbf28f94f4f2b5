//! The service that answers refusals.

use super::{
    layer::RefusalParts,
    report::{recommended, refusal_as_error, report, traced},
};
use crate::features::transactions::is_compensation;
use mgp_discovery::config::RefusalForm;
use mgp_transport::{
    connection::error_at_edge,
    seam::{BoxError, CallRecord, Reply, Session, ToolCall},
};
use mgp_types::context::Target;
use pin_project_lite::pin_project;
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tower_service::Service;

/// A mark on the session of a host that is a program and reads errors. Its refusals are errors, regardless of
/// the [form](mgp_discovery::config::RefusalForm) that is configured.
#[derive(Debug, Clone, Copy)]
pub struct RefusalsAsErrors;

/// The service that turns the refusal or the failure of a tool call into the answer for its caller. See
/// [`RefusalsLayer`](super::RefusalsLayer).
#[derive(Debug, Clone)]
pub(crate) struct Refusals<S> {
    pub(super) inner: S,
    pub(super) parts: Arc<RefusalParts>,
}

/// A tool call that may be refused.
#[derive(Debug)]
pub(super) struct OpenCall {
    pub(super) parts: Arc<RefusalParts>,
    pub(super) target: Arc<Target>,
    pub(super) record: CallRecord,
    pub(super) form: RefusalForm,
    /// True if the caller is a program that reads errors and not results.
    as_errors: bool,
    /// True if the call came over REST.
    pub(super) is_rest: bool,
}

impl<S> Refusals<S> {
    fn open(&self, call: &ToolCall<()>) -> OpenCall {
        // A caller that requests a task gets a task or an error.
        let asks_for_task = || {
            call.params.object().is_ok_and(|params| params.get("task").is_some_and(|task| !task.is_null()))
        };
        let is_rest = call.is_rest();
        // A rollback needs the error, which states whether the call was sent.
        let as_errors = is_rest || is_compensation(call);
        let reads_errors = || call.session().is_some_and(Session::has::<RefusalsAsErrors>);
        let form = match self.parts.form {
            RefusalForm::Result if !as_errors && !call.dry_run && !asks_for_task() && !reads_errors() => {
                RefusalForm::Result
            }
            _ => RefusalForm::Error,
        };
        let (target, record) = (call.target.clone(), call.record.clone());
        OpenCall { parts: self.parts.clone(), target, record, form, as_errors, is_rest }
    }
}

impl<S: Service<ToolCall<()>, Response = Reply, Error: Into<BoxError>>> Service<ToolCall<()>>
    for Refusals<S>
{
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: ToolCall<()>) -> Self::Future {
        let open = self.open(&call);
        ResponseFuture { inner: self.inner.call(call), call: open }
    }
}

pin_project! {
    /// The future of [`Refusals`].
    #[derive(Debug)]
    pub(in crate) struct ResponseFuture<F> {
        #[pin]
        inner: F,
        call: OpenCall,
    }
}

impl<F: Future<Output = Result<Reply, E>>, E: Into<BoxError>> Future for ResponseFuture<F> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        // An error of the infrastructure also names its call.
        let reply =
            ready!(this.inner.poll(cx)).unwrap_or_else(|error| Reply::error(error_at_edge(&error.into())));
        let answer = match reply.as_error() {
            Some(error) => {
                report(this.call, error).or_else(|| recommended(this.call, &reply)).unwrap_or(reply)
            }
            None if this.call.as_errors
                && let Some(refusal) = refusal_as_error(this.call, &reply) =>
            {
                refusal
            }
            None => recommended(this.call, &reply).unwrap_or(reply),
        };
        Poll::Ready(Ok(traced(this.call, answer)))
    }
}
