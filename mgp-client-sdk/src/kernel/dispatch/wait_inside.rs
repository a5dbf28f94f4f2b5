//! Moves the wait for a limit from readiness into the call.

use mgp_transport::seam::{BoxError, Incoming, PeerService, Reply};
use std::task::{Context, Poll};
use tower::util::Oneshot;
use tower_service::Service;

/// Always ready; each call waits for the inner service itself.
///
/// A limit makes its service wait before it is ready. Waiting there would hold up every other server's calls, and could
/// not be cancelled.
#[derive(Debug, Clone)]
pub(crate) struct WaitInside<S> {
    inner: S,
}

impl<S> WaitInside<S> {
    pub(crate) fn new(inner: S) -> Self {
        Self { inner }
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
        tower::ServiceExt::oneshot(self.inner.clone(), message)
    }
}
