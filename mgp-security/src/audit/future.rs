//! The response future of an audited call.

use super::{
    AuditError, StoreFuture,
    open_call::{CallEnd, OpenCall},
    open_event::OpenEvent,
};
use mgp_transport::seam::{BoxError, Reply};
use pin_project_lite::pin_project;
use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::Pin,
    task::{Context, Poll, ready},
    thread,
};

pin_project! {
    /// The response future of an audited call: the inner service's answer, once the call's event is stored.
    pub struct ResponseFuture<F> {
        // `None` if the inner service panicked before it returned a future.
        #[pin]
        inner: Option<F>,
        // `None` if the sink keeps no events.
        call: Option<OpenEvent<OpenCall>>,
        storing: Option<StoreTask>,
    }
}

struct StoreTask {
    stored: StoreFuture,
    answer: Option<Answer>,
    /// True if the call was sent to a server.
    was_sent: bool,
}

/// The outcome of the inner service. A panic is resumed once the call's event is stored.
type Answer = thread::Result<Result<Reply, BoxError>>;

impl<F> ResponseFuture<F> {
    pub(super) fn new(inner: thread::Result<F>, mut call: Option<OpenEvent<OpenCall>>) -> Self {
        match (inner, call.take()) {
            (Ok(inner), call) => Self { inner: Some(inner), call, storing: None },
            (Err(panic), None) => resume_unwind(panic),
            (Err(panic), Some(call)) => {
                Self { inner: None, call: None, storing: Some(StoreTask::of(call, Err(panic))) }
            }
        }
    }

    /// Creates the future of a call that is not made, because its event could not be stored.
    pub(super) fn refused(reply: Reply) -> Self {
        let (stored, answer) = (StoreFuture::ready(Ok(())), Some(Ok(Ok(reply))));
        let storing = StoreTask { stored, answer, was_sent: false };
        Self { inner: None, call: None, storing: Some(storing) }
    }
}

impl StoreTask {
    fn of(call: OpenEvent<OpenCall>, answer: Answer) -> Self {
        let end = match &answer {
            Ok(Ok(reply)) => CallEnd::Reply(reply),
            Ok(Err(error)) => CallEnd::Failed(error),
            Err(_) => CallEnd::Failed(&"the call panicked"),
        };
        let mut was_sent = false;
        let stored = call.close(|call| {
            was_sent = call.was_sent();
            call.event(&end)
        });
        Self { stored, answer: Some(answer), was_sent }
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
                let Some(inner) = this.inner.as_pin_mut() else { return Poll::Ready(Ok(Reply::none())) };
                if this.call.is_none() {
                    return inner.poll(cx).map_err(Into::into);
                }
                let answer = match catch_unwind(AssertUnwindSafe(|| inner.poll(cx))) {
                    Ok(polled) => Ok(ready!(polled).map_err(Into::into)),
                    Err(panic) => Err(panic),
                };
                let Some(call) = this.call.take() else { return Poll::Ready(Ok(Reply::none())) };
                this.storing.insert(StoreTask::of(call, answer))
            }
        };
        let outcome = ready!(Pin::new(&mut storing.stored).poll(cx));
        let answer = match storing.answer.take() {
            None => Ok(Reply::none()),
            Some(Ok(answer)) => answer,
            Some(Err(panic)) => resume_unwind(panic),
        };
        Poll::Ready(match outcome {
            Ok(()) => answer,
            Err(error) => unstored(&error, answer, storing.was_sent),
        })
    }
}

/// Returns the answer of a call whose event could not be stored: no result may leave without an event in the trail.
fn unstored(error: &AuditError, answer: Result<Reply, BoxError>, was_sent: bool) -> Result<Reply, BoxError> {
    tracing::error!(%error, "a call's result is withheld");
    let is_refusal = answer?.as_error().is_some() && !was_sent;
    Ok(Reply::error(if is_refusal { error.refusal() } else { error.withheld() }))
}

impl<F> fmt::Debug for ResponseFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}
