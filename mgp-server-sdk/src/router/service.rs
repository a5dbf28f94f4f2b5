//! The router of a server.

use super::Work;
use crate::tool::CallTools;
use futures_util::future::Either;
use mgp_lifecycle::gate::Lifecycle;
use mgp_transport::seam::{BoxError, Incoming, Reply, Routes};
use mgp_types::{mcp::CallTool, rpc::Call};
use std::task::{Context, Poll};
use tower_service::Service;

/// The gate of a server around its tools.
type Tools = Lifecycle<Work<CallTools>>;

/// The service that routes each message to the part of the server that answers it. Calls of tools, the most frequent messages, need no box.
#[derive(Debug, Clone)]
pub(crate) struct Router {
    /// `None` for a server without tools.
    pub(crate) tools: Option<Tools>,
    pub(crate) routes: Routes,
}

impl Service<Incoming> for Router {
    type Response = Reply;
    type Error = BoxError;
    type Future = Either<<Tools as Service<Incoming>>::Future, <Routes as Service<Incoming>>::Future>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        // Everything below is always ready.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        match &mut self.tools {
            Some(tools) if incoming.method == *CallTool::METHOD && !incoming.is_notification() => {
                Either::Left(tools.call(incoming))
            }
            _ => Either::Right(self.routes.call(incoming)),
        }
    }
}
