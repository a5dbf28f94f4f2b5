//! Runs handlers, with the server's limits around them.

use mgp_stream::cancel::{Cancel, CancelLayer};
use mgp_transport::seam::{BoxError, Incoming, PeerService, Reply};
use std::{
    task::{Context, Poll},
    time::Duration,
};
use tower::{
    ServiceExt,
    limit::{ConcurrencyLimit, ConcurrencyLimitLayer},
    timeout::{Timeout, TimeoutLayer},
    util::{Either, Oneshot, option_layer},
};
use tower_layer::Layer;
use tower_service::Service;

type LimitedService<S> = Either<Timeout<Cancel<S>>, Cancel<S>>;

/// The limits around handlers.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    /// The most tools that may run at the same time; further calls wait.
    pub(crate) concurrent_calls: Option<usize>,
    /// The time limit of a handler.
    pub(crate) timeout: Option<Duration>,
}

/// A service that runs handlers. Always ready: a call that waits for a limit waits in its own future, so that it delays nothing
/// else.
#[derive(Debug, Clone)]
pub(crate) struct Work<S>(Either<ConcurrencyLimit<LimitedService<S>>, LimitedService<S>>);

impl<S> Work<S> {
    /// Builds the limits around a service; clones share them.
    pub(crate) fn new(service: S, limits: Limits) -> Self {
        let timed =
            option_layer(limits.timeout.map(TimeoutLayer::new)).layer(CancelLayer::new().layer(service));
        Self(option_layer(limits.concurrent_calls.map(ConcurrencyLimitLayer::new)).layer(timed))
    }
}

impl<S: PeerService<Error = BoxError>> Service<Incoming> for Work<S> {
    type Response = Reply;
    type Error = BoxError;
    type Future = Oneshot<Either<ConcurrencyLimit<LimitedService<S>>, LimitedService<S>>, Incoming>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        self.0.clone().oneshot(incoming)
    }
}
