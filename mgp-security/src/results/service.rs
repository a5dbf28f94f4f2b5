//! The service that searches one server's results.

use super::SecretSearchLayer;
use mgp_transport::{
    connection::error_at_edge,
    seam::{BoxError, Incoming, Reply},
};
use pin_project_lite::pin_project;
use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};
use tower_service::Service;

/// The service that searches one server's results for secrets. See [`SecretSearchLayer`].
#[derive(Debug, Clone)]
pub struct SecretSearch<S> {
    pub(super) inner: S,
    pub(super) layer: SecretSearchLayer,
}

impl<S> Service<Incoming> for SecretSearch<S>
where
    S: Service<Incoming, Response = Reply, Error: Into<BoxError>, Future: Send + 'static>,
{
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut message: Incoming) -> Self::Future {
        let Some(search) = self.layer.search(&message) else {
            return ResponseFuture { kind: FutureKind::Unsearched { inner: self.inner.call(message) } };
        };
        message.ext.insert(search.clone());
        let inner = self.inner.call(message);
        let searched = Box::pin(async move {
            // An error of the infrastructure may quote the server, too.
            let reply = inner.await.unwrap_or_else(|error| Reply::error(error_at_edge(&error.into())));
            Ok(search.reply(reply).await)
        });
        ResponseFuture { kind: FutureKind::Searched { searched } }
    }
}

type SearchedFuture<E> = Pin<Box<dyn Future<Output = Result<Reply, E>> + Send>>;

pin_project! {
    /// The future of [`SecretSearch`]. If nothing is searched, it is that of the inner service.
    pub struct ResponseFuture<F, E> {
        #[pin]
        kind: FutureKind<F, E>,
    }
}

pin_project! {
    #[project = FutureKindProjection]
    enum FutureKind<F, E> {
        Unsearched { #[pin] inner: F },
        Searched { searched: SearchedFuture<E> },
    }
}

impl<F: Future<Output = Result<Reply, E>>, E> Future for ResponseFuture<F, E> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().kind.project() {
            FutureKindProjection::Unsearched { inner } => inner.poll(cx),
            FutureKindProjection::Searched { searched } => searched.as_mut().poll(cx),
        }
    }
}

impl<F, E> fmt::Debug for ResponseFuture<F, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}
