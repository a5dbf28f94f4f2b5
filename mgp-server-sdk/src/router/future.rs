//! The futures of the router, named so that none needs a box.

use futures_util::future::BoxFuture;
use mgp_transport::seam::{BoxError, Reply};
use pin_project_lite::pin_project;
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

pin_project! {
    /// The future of [`Work`](super::Work).
    #[project = WorkProj]
    pub(crate) enum WorkFuture<T, O> {
        Tool { #[pin] future: T },
        Other { #[pin] future: O },
    }
}

impl<T, O> Future for WorkFuture<T, O>
where
    T: Future<Output = Result<Reply, BoxError>>,
    O: Future<Output = Result<Reply, BoxError>>,
{
    type Output = Result<Reply, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project() {
            WorkProj::Tool { future } => future.poll(cx),
            WorkProj::Other { future } => future.poll(cx),
        }
    }
}

pin_project! {
    /// The future of [`Router`](super::Router).
    #[project = RouterProj]
    pub(crate) enum RouterFuture<W> {
        Work { #[pin] future: W },
        Boxed { future: BoxFuture<'static, Result<Reply, BoxError>> },
        Done { reply: Option<Reply> },
    }
}

impl<W: Future<Output = Result<Reply, BoxError>>> Future for RouterFuture<W> {
    type Output = Result<Reply, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project() {
            RouterProj::Work { future } => future.poll(cx),
            RouterProj::Boxed { future } => future.as_mut().poll(cx),
            RouterProj::Done { reply } => Poll::Ready(Ok(reply.take().unwrap_or_else(Reply::none))),
        }
    }
}
