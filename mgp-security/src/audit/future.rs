//! The answer of an audited call.

use super::{AuditError, Stored, open_call::OpenCall};
use mgp_transport::seam::{BoxError, Reply};
use mgp_types::rpc::ErrorObject;
use pin_project_lite::pin_project;
use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};

pin_project! {
    /// The answer of an audited call: the inner service's, once its event is stored.
    pub struct ResponseFuture<F> {
        #[pin]
        inner: F,
        // None for what is not audited.
        call: Option<OpenCall>,
        storing: Option<Storing>,
    }
}

struct Storing {
    stored: Stored,
    answer: Option<Result<Reply, BoxError>>,
    is_request: bool,
}

impl<F> ResponseFuture<F> {
    pub(super) fn new(inner: F, call: Option<OpenCall>) -> Self {
        Self { inner, call, storing: None }
    }
}

impl<F, E> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Reply, E>>,
    E: Into<BoxError>,
{
    type Output = Result<Reply, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let storing = match this.storing {
            Some(storing) => storing,
            None => {
                let answer = ready!(this.inner.poll(cx)).map_err(Into::into);
                let Some(mut call) = this.call.take() else { return Poll::Ready(answer) };
                let stored = match &answer {
                    Ok(reply) => call.answered(reply),
                    Err(error) => call.failed(error),
                };
                let is_request = call.is_request;
                this.storing.insert(Storing { stored, answer: Some(answer), is_request })
            }
        };
        let outcome = ready!(Pin::new(&mut storing.stored).poll(cx));
        let answer = storing.answer.take().unwrap_or_else(|| Ok(Reply::none()));
        Poll::Ready(match outcome {
            Ok(()) => answer,
            Err(error) => unstored(&error, answer, storing.is_request),
        })
    }
}

/// What is answered when the event could not be stored: nothing that is not in the trail may leave.
fn unstored(
    error: &AuditError,
    answer: Result<Reply, BoxError>,
    is_request: bool,
) -> Result<Reply, BoxError> {
    tracing::error!(%error, "a call's result is withheld");
    match answer {
        Ok(_) if is_request => Ok(Reply::error(ErrorObject::internal(error.to_string()))),
        other => other,
    }
}

impl<F> fmt::Debug for ResponseFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}
