//! `resources/read`, `prompts/get` and `completion/complete`: the methods besides `tools/call` that run a handler.

use crate::{ToolError, ask::RunOutcome, call::App, completion, prompt::Prompts, resource::Resources};
use futures_util::future::{BoxFuture, FutureExt, ready};
use mgp_transport::seam::{BoxError, Incoming, Reply};
use mgp_types::{
    mcp::{Complete, GetPrompt, ReadResource},
    rpc::{Call, ErrorObject},
};
use serde::Serialize;
use std::{
    future::Future,
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// Runs the handlers of resources, prompts and completions.
#[derive(Debug, Clone)]
pub(crate) struct Others {
    pub(crate) resources: Arc<Resources>,
    pub(crate) prompts: Arc<Prompts>,
    pub(crate) app: Arc<App>,
}

type Running = BoxFuture<'static, Result<Reply, BoxError>>;

impl Others {
    fn start(&self, incoming: Incoming) -> Result<Running, ErrorObject> {
        let app = self.app.clone();
        match &*incoming.method {
            ReadResource::METHOD => self.resources.read(incoming, app).map(replied),
            GetPrompt::METHOD => self.prompts.get(incoming, app).map(replied),
            Complete::METHOD => {
                completion::complete(incoming, &self.prompts, &self.resources, app).map(replied)
            }
            other => Err(ErrorObject::method_not_found(other)),
        }
    }
}

fn replied<T: Serialize + 'static>(
    running: impl Future<Output = Result<RunOutcome<T>, ToolError>> + Send + 'static,
) -> Running {
    running
        .map(|result| {
            Ok(match result {
                Ok(RunOutcome::Done(result)) => Reply::from_value(&result),
                Ok(RunOutcome::Asks(required)) => Reply::ok(required.to_json()),
                Err(error) => Reply::error(error.into_error()),
            })
        })
        .boxed()
}

impl Service<Incoming> for Others {
    type Response = Reply;
    type Error = BoxError;
    type Future = Running;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, incoming: Incoming) -> Running {
        self.start(incoming).unwrap_or_else(|error| ready(Ok(Reply::error(error))).boxed())
    }
}
