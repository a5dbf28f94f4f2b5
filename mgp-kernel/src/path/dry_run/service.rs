//! The service that answers dry runs.

use super::answer::answer;
use crate::host::HostDialect;
use mgp_transport::seam::{CallRecord, Reply, ToolCall};
use mgp_types::call_options::DryRunForm;
use pin_project_lite::pin_project;
use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};
use tower_service::Service;

/// The service that turns the outcome of a dry run into the answer. See [`DryRunsLayer`](super::DryRunsLayer).
#[derive(Debug, Clone)]
pub(crate) struct DryRuns<S>(pub(super) S);

/// An unanswered dry run.
#[derive(Debug)]
pub(super) struct OpenDryRun {
    pub(super) form: DryRunForm,
    pub(super) dialect: HostDialect,
    pub(super) record: CallRecord,
}

impl<S: Service<ToolCall<()>, Response = Reply>> Service<ToolCall<()>> for DryRuns<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, call: ToolCall<()>) -> Self::Future {
        let form = call.options().dry_run.filter(|_| call.dry_run);
        let dry_run = form.map(|form| OpenDryRun {
            form,
            dialect: HostDialect::of(call.session()),
            record: call.record.clone(),
        });
        ResponseFuture { inner: self.0.call(call), dry_run }
    }
}

pin_project! {
    /// The future of [`DryRuns`].
    #[derive(Debug)]
    pub(in crate) struct ResponseFuture<F> {
        #[pin]
        inner: F,
        dry_run: Option<OpenDryRun>,
    }
}

impl<F: Future<Output = Result<Reply, E>>, E> Future for ResponseFuture<F> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let reply = ready!(this.inner.poll(cx))?;
        Poll::Ready(Ok(match this.dry_run {
            Some(check) => answer(check, reply),
            None => reply,
        }))
    }
}
