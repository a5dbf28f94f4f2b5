//! Runs handlers, with the server's limits around them.

use super::{Others, future::WorkFuture};
use crate::tool::CallTools;
use mgp_stream::cancel::{Cancel, CancelLayer};
use mgp_transport::seam::{BoxError, Incoming, Reply};
use mgp_types::{mcp::CallTool, rpc::Call};
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

type Timed<S> = Either<Timeout<Cancel<S>>, Cancel<S>>;
pub(super) type LimitedTools = Either<ConcurrencyLimit<Timed<CallTools>>, Timed<CallTools>>;
pub(super) type LimitedOthers = Timed<Others>;

/// The limits around handlers.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    /// The most tools that may run at the same time; further calls wait.
    pub(crate) concurrent_calls: Option<usize>,
    /// The time limit of a handler.
    pub(crate) time_limit: Option<Duration>,
}

/// Runs handlers. Always ready: a call that waits for a limit waits in its own future, so that nothing else is held up.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    tools: LimitedTools,
    others: LimitedOthers,
}

impl Work {
    /// Builds the limits; clones share them.
    pub(crate) fn new(tools: CallTools, others: Others, limits: Limits) -> Self {
        let concurrency = option_layer(limits.concurrent_calls.map(ConcurrencyLimitLayer::new));
        Self {
            tools: concurrency.layer(timed(tools, limits.time_limit)),
            others: timed(others, limits.time_limit),
        }
    }
}

fn timed<S>(service: S, limit: Option<Duration>) -> Timed<S> {
    option_layer(limit.map(TimeoutLayer::new)).layer(CancelLayer::new().layer(service))
}

impl Service<Incoming> for Work {
    type Response = Reply;
    type Error = BoxError;
    type Future = WorkFuture<Oneshot<LimitedTools, Incoming>, Oneshot<LimitedOthers, Incoming>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        if incoming.method == *CallTool::METHOD {
            WorkFuture::Tool { future: self.tools.clone().oneshot(incoming) }
        } else {
            WorkFuture::Other { future: self.others.clone().oneshot(incoming) }
        }
    }
}
