//! Moves the wait for a limit from readiness into the call.

use mgp_transport::seam::{BoxError, Incoming, PeerService, Reply};
use std::{
    sync::Arc,
    task::{Context, Poll},
};
use tower::util::Oneshot;
use tower_service::Service;

/// Always ready; each call waits for the inner service itself.
///
/// A limit makes its service wait before it is ready. Waiting there would hold up every other server's calls, and could
/// not be cancelled.
///
/// A clone is the same service; each call gets an inner one of its own.
#[derive(Debug)]
pub(crate) struct WaitInside<S> {
    inner: Arc<S>,
}

impl<S> Clone for WaitInside<S> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

impl<S> WaitInside<S> {
    pub(crate) fn new(inner: S) -> Self {
        Self { inner: Arc::new(inner) }
    }
}

impl<S: PeerService<Error = BoxError>> Service<Incoming> for WaitInside<S> {
    type Response = Reply;
    type Error = BoxError;
    type Future = Oneshot<S, Incoming>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        tower::ServiceExt::oneshot(S::clone(&self.inner), message)
    }
}
