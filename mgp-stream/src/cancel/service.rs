//! The service that drops a handler once its call is cancelled.

use crate::sink::{CallStream, StreamGuard};
use mgp_transport::seam::{CancelledFuture, Incoming, Reply};
use pin_project_lite::pin_project;
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};
use tower_service::Service;

/// Drops a handler once its call is cancelled. See [`CancelLayer`](super::CancelLayer).
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
            return ResponseFuture { state: State::Passing { future: self.inner.call(incoming) } };
        };
        if token.is_cancelled() {
            // The call was cancelled while it waited outside: the handler never sees it.
            let reply = Some(Reply::cancelled(CallStream::new().cancelled_result()));
            return ResponseFuture { state: State::Done { reply } };
        }
        let stream = StreamGuard::new(&mut incoming);
        let future = self.inner.call(incoming);
        ResponseFuture { state: State::Watching { future, cancelled: token.cancelled(), stream } }
    }
}

pin_project! {
    /// The future of [`Cancel`].
    #[derive(Debug)]
    pub struct ResponseFuture<F> {
        #[pin]
        state: State<F>,
    }
}

pin_project! {
    #[project = StateProj]
    #[derive(Debug)]
    enum State<F> {
        Passing { #[pin] future: F },
        Watching {
            #[pin]
            future: F,
            #[pin]
            cancelled: CancelledFuture,
            stream: Option<StreamGuard>,
        },
        Done { reply: Option<Reply> },
    }
}

impl<F: Future<Output = Result<Reply, E>>, E> Future for ResponseFuture<F> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.project().state;
        let stream = match state.as_mut().project() {
            StateProj::Passing { future } => return future.poll(cx),
            StateProj::Done { reply } => return Poll::Ready(Ok(reply.take().unwrap_or_else(Reply::none))),
            StateProj::Watching { future, cancelled, stream } => {
                // The token is polled first: once a call is cancelled, its handler does nothing more.
                if cancelled.poll(cx).is_pending() {
                    let result = ready!(future.poll(cx));
                    // From here on the call cannot be cancelled, and nothing more is streamed.
                    drop(stream.take());
                    return Poll::Ready(result);
                }
                stream.take()
            }
        };
        // The handler is dropped first: chunks that it streams while it is dropped still count.
        state.set(State::Done { reply: None });
        let stream = stream.map_or_else(CallStream::new, StreamGuard::cancelled);
        Poll::Ready(Ok(Reply::cancelled(stream.cancelled_result())))
    }
}
