//! The service that drops a handler once its call is cancelled.

use crate::sink::{CallStream, StreamGuard};
use mgp_transport::seam::{CancelCause, CancelToken, CancelledFuture, Incoming, Reply};
use pin_project_lite::pin_project;
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
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
            let future = Some(self.inner.call(incoming));
            return ResponseFuture { future, token: None, cancelled: None, stream: None };
        };
        if token.is_cancelled() {
            // The call was cancelled while it waited outside: the handler never sees it.
            return ResponseFuture { future: None, token: None, cancelled: None, stream: None };
        }
        let stream = StreamGuard::new(&mut incoming);
        let future = Some(self.inner.call(incoming));
        ResponseFuture { future, token: Some(token), cancelled: None, stream }
    }
}

pin_project! {
    /// The future of [`Cancel`].
    #[derive(Debug)]
    pub struct ResponseFuture<F> {
        // The future of the handler; `None` once the call is cancelled.
        #[pin]
        future: Option<F>,
        token: Option<CancelToken>,
        // Waits for the token. Created once the handler waits, because a handler that answers at once needs none.
        #[pin]
        cancelled: Option<CancelledFuture>,
        stream: Option<StreamGuard>,
    }
}

impl<F: Future<Output = Result<Reply, E>>, E> Future for ResponseFuture<F> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            // The token is read first: once a call is cancelled, its handler does nothing more, unless it ends by itself.
            let cause = this.token.as_ref().and_then(CancelToken::cause);
            // Nobody waits for the end of a call that was cancelled in another way.
            let may_end = |stream: &Option<StreamGuard>| {
                cause == Some(CancelCause::Method) && stream.as_ref().is_some_and(StreamGuard::is_held)
            };
            if cause.is_some() && !may_end(this.stream) {
                break;
            }
            let Some(future) = this.future.as_mut().as_pin_mut() else { break };
            if let Poll::Ready(result) = future.poll(cx) {
                // From here on the call cannot be cancelled, and nothing more is streamed.
                let is_partial = matches!(&result, Ok(reply) if reply.is_cancelled());
                match this.stream.take() {
                    Some(stream) if is_partial => drop(stream.cancelled()),
                    stream => drop(stream),
                }
                return Poll::Ready(result);
            }
            if cause.is_some() {
                // The hold may have ended meanwhile.
                if may_end(this.stream) {
                    return Poll::Pending;
                }
                break;
            }
            let Some(token) = &*this.token else { return Poll::Pending };
            if this.cancelled.is_none() {
                this.cancelled.set(Some(token.cancelled()));
            }
            let Some(cancelled) = this.cancelled.as_mut().as_pin_mut() else { return Poll::Pending };
            // Ready if the call was cancelled while the handler was polled.
            ready!(cancelled.poll(cx));
        }
        // Before the stream ends: chunks that the handler streams while it is dropped still count.
        this.future.set(None);
        let stream = this.stream.take().map_or_else(CallStream::new, StreamGuard::cancelled);
        Poll::Ready(Ok(Reply::cancelled(stream.cancelled_result())))
    }
}
