//! The innermost service of the pipeline: runs the tool that a call was resolved to, or answers the method.

use crate::kernel::{
    core::Core, methods, resolve::Named, server::DispatchStack, tool_index, tools::ToolEntry,
};
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

/// The innermost service. A tool is reached only through the entry that `resolve` found, so every gate has judged that very tool.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct Dispatch {
    core: Arc<Core>,
}

impl Dispatch {
    pub(in crate::kernel) fn new(core: &Arc<Core>) -> Self {
        Self { core: core.clone() }
    }
}

/// Checks that the headers which repeat arguments agree with the arguments. This check stands behind every gate, so that its errors
/// reveal no tool to callers who may not use the tool.
#[cfg(feature = "http")]
fn headers_agree(entry: &ToolEntry, message: &Incoming) -> Result<(), ErrorObject> {
    if entry.in_headers.is_empty() {
        return Ok(());
    }
    entry.in_headers.check(message, message.params.object()?.get("arguments"))
}

#[cfg(not(feature = "http"))]
#[expect(clippy::unnecessary_wraps, reason = "over HTTP it can fail")]
fn headers_agree(_: &ToolEntry, _: &Incoming) -> Result<(), ErrorObject> {
    Ok(())
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
            Some(Named::Tool(entry)) => {
                if let Err(error) = headers_agree(&entry, &message) {
                    Box::pin(async { Ok(Reply::error(error)) })
                } else {
                    tool_index::used(&self.core, &message, &entry.id);
                    return Either::Left(entry.server.dispatch().call(message));
                }
            }
            Some(Named::Own(call)) => {
                let core = self.core.clone();
                Box::pin(async move { Ok(tool_index::answer_call(&core, &message, call).await) })
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
