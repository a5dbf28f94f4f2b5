//! The innermost service of the pipeline: runs the tool that a call was resolved to, or answers the method.

use crate::kernel::{core::Core, methods, resolve::Named, server::DispatchStack};
use futures_core::future::BoxFuture;
use futures_util::future::Either;
use mgp_transport::seam::{BoxError, Incoming, Reply};
use mgp_types::mcp::CallTool;
use mgp_types::rpc::{Call, ErrorObject};
use std::{
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// The innermost service. A tool is reached only with what `resolve` found, so every gate has judged that very tool.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct Dispatch {
    core: Arc<Core>,
}

impl Dispatch {
    pub(in crate::kernel) fn new(core: &Arc<Core>) -> Self {
        Self { core: core.clone() }
    }
}

impl Service<Incoming> for Dispatch {
    type Response = Reply;
    type Error = BoxError;
    type Future =
        Either<<DispatchStack as Service<Incoming>>::Future, BoxFuture<'static, Result<Reply, BoxError>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut message: Incoming) -> Self::Future {
        let other: BoxFuture<'static, _> = match message.ext.remove::<Named>() {
            Some(Named::Tool(entry)) => return Either::Left(entry.server.dispatch().call(message)),
            Some(Named::Discover(params)) => {
                let found = methods::discover_for_a_model(self.core.clone(), params, message);
                Box::pin(async { Ok(found.await) })
            }
            // Nothing but `resolve` may say what a call means.
            None if message.method == CallTool::METHOD => {
                let error = ErrorObject::internal("internal error: the call was not resolved");
                Box::pin(async { Ok(Reply::error(error)) })
            }
            None => Box::pin(methods::answer(self.core.clone(), message)),
        };
        Either::Right(other)
    }
}
