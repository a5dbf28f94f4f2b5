//! The service that refuses unreadable requests.

use crate::kernel::{forward, trail::Trail};
use futures_core::future::BoxFuture;
use futures_util::future::Either;
use mgp_transport::seam::{Incoming, Reply};
use std::{
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// Refuses unreadable requests. See [`ReadableLayer`](super::ReadableLayer).
#[derive(Debug, Clone)]
pub(in crate::kernel) struct Readable<S> {
    pub(super) inner: S,
    pub(super) trail: Arc<Trail>,
}

impl<S: Service<Incoming, Response = Reply, Error: Send>> Service<Incoming> for Readable<S> {
    type Response = Reply;
    type Error = S::Error;
    // Boxed where it is rare: a refusal.
    type Future = Either<S::Future, BoxFuture<'static, Result<Reply, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        if message.is_notification() {
            return Either::Left(self.inner.call(message));
        }
        match message.params.object() {
            Ok(_) => Either::Left(self.inner.call(message)),
            Err(error) => {
                let trail = self.trail.clone();
                Either::Right(Box::pin(
                    async move { Ok(forward::refuse_method(&trail, &message, error).await) },
                ))
            }
        }
    }
}
