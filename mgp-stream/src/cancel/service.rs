//! The service that drops a handler once its call is cancelled.

use crate::sink::{CallStream, StreamGuard};
use mgp_transport::seam::{CancelCause, CancelledFuture, Incoming, Reply};
use pin_project_lite::pin_project;
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};
use tower_service::Service;

/// The service that drops a handler once its call is cancelled. See [`CancelLayer`](super::CancelLayer).
#[derive(Debug, Clone)]
pub struct Cancel<S> {
    inner: S,
}

impl<S> Cancel<S> {
    pub(super) fn new(inner: S) -> Self {
        Self { inner }
    }
}

impl<S: Service<Incoming, Response = Reply>> Service<Incoming> for Cancel<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut incoming: Incoming) -> Self::Future {
        // A notification has no answer that could be cut short.
        let token = incoming.cancel_token().filter(|_| !incoming.is_notification()).cloned();
        let Some(token) = token else {
            return ResponseFuture { future: Some(self.inner.call(incoming)), cancelled: None, stream: None };
        };
        if token.is_cancelled() {
            // The call was cancelled while it waited outside: the handler never sees it.
            return ResponseFuture { future: None, cancelled: None, stream: None };
        }
        let stream = StreamGuard::new(&mut incoming);
        let future = Some(self.inner.call(incoming));
        ResponseFuture { future, cancelled: Some(token.cancelled()), stream }
    }
}

pin_project! {
    /// The future of [`Cancel`].
    #[derive(Debug)]
    pub struct ResponseFuture<F> {
        // The future of the handler; `None` once the call is cancelled.
        #[pin]
        future: Option<F>,
        #[pin]
        cancelled: Option<CancelledFuture>,
        stream: Option<StreamGuard>,
    }
}

impl<F: Future<Output = Result<Reply, E>>, E> Future for ResponseFuture<F> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        // The token is polled first: once a call is cancelled, its handler does nothing more, unless it ends by itself.
        let is_cancelled =
            this.cancelled.as_mut().as_pin_mut().is_some_and(|cancelled| cancelled.poll(cx).is_ready());
        let cause = this.cancelled.as_ref().as_pin_ref().and_then(|cancelled| cancelled.cause());
        // Nobody waits for the end of a call that was cancelled in another way.
        let may_end = |stream: &Option<StreamGuard>| {
            cause == Some(CancelCause::Method) && stream.as_ref().is_some_and(StreamGuard::is_held)
        };
        if (!is_cancelled || may_end(this.stream))
            && let Some(future) = this.future.as_mut().as_pin_mut()
        {
            if let Poll::Ready(result) = future.poll(cx) {
                // From here on the call cannot be cancelled, and nothing more is streamed.
                let is_partial = matches!(&result, Ok(reply) if reply.is_cancelled());
                match this.stream.take() {
                    Some(stream) if is_partial => drop(stream.cancelled()),
                    stream => drop(stream),
                }
                return Poll::Ready(result);
            }
            // The hold may have ended meanwhile.
            if !is_cancelled || may_end(this.stream) {
                return Poll::Pending;
            }
        }
        // Before the stream ends: chunks that the handler streams while it is dropped still count.
        this.future.set(None);
        let stream = this.stream.take().map_or_else(CallStream::new, StreamGuard::cancelled);
        Poll::Ready(Ok(Reply::cancelled(stream.cancelled_result())))
    }
}
