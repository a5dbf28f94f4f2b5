//! The response future of a service that may answer instead of its inner service.

use crate::seam::Reply;
use futures_core::future::BoxFuture;
use pin_project_lite::pin_project;
use std::{
    fmt,
    future::{Ready, ready},
    pin::Pin,
    task::{Context, Poll},
};

pin_project! {
    /// The response future of a service that may answer instead of its inner service: a gate, or any other layer.
    pub struct ResponseFuture<F, E> {
        #[pin]
        state: State<F, E>,
    }
}

pin_project! {
    #[project = StateProjection]
    enum State<F, E> {
        Passing { #[pin] inner: F },
        Answered { #[pin] answer: Ready<Result<Reply, E>> },
        // Boxed, because it waits for a human or for the disk, which is rare, and slow either way.
        Waiting { answer: BoxFuture<'static, Result<Reply, E>> },
    }
}

impl<F, E> ResponseFuture<F, E> {
    /// Creates a future of the inner service's answer.
    pub const fn passing(inner: F) -> Self {
        Self { state: State::Passing { inner } }
    }

    /// Creates a future of an answer that is ready.
    pub fn answered(reply: Reply) -> Self {
        Self { state: State::Answered { answer: ready(Ok(reply)) } }
    }

    /// Creates a future of an answer that takes time.
    pub fn waiting(answer: impl Future<Output = Result<Reply, E>> + Send + 'static) -> Self {
        Self { state: State::Waiting { answer: Box::pin(answer) } }
    }
}

impl<F: Future<Output = Result<Reply, E>>, E> Future for ResponseFuture<F, E> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().state.project() {
            StateProjection::Passing { inner } => inner.poll(cx),
            StateProjection::Answered { answer } => answer.poll(cx),
            StateProjection::Waiting { answer } => answer.as_mut().poll(cx),
        }
    }
}

impl<F, E> fmt::Debug for ResponseFuture<F, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}
