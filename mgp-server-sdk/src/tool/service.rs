//! `tools/call`: finds the tool and runs its function.

use super::ToolError;
use crate::{
    call::{App, Arguments, Call},
    handler::BoxHandler,
};
use futures_util::future::BoxFuture;
use mgp_stream::sink::CallStream;
use mgp_transport::seam::{BoxError, Incoming, Reply, Session};
use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::CallToolResult,
    negotiation::Negotiated,
    rpc::ErrorObject,
};
use std::{
    collections::HashMap,
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tower_service::Service;

/// A tool that can be called.
pub(crate) struct RegisteredTool {
    pub(crate) handler: BoxHandler<CallToolResult>,
}

/// The tools of a server by name.
pub(crate) type Tools = HashMap<Box<str>, RegisteredTool>;

/// Runs tools. The innermost service of `tools/call`.
#[derive(Clone)]
pub(crate) struct CallTools {
    tools: Arc<Tools>,
    app: Arc<App>,
}

/// The future of [`CallTools`]: the handler's one box, or an answer that needed none.
pub(crate) enum CallFuture {
    Running {
        running: BoxFuture<'static, Result<CallToolResult, ToolError>>,
        mgp: bool,
        stream: Option<CallStream>,
    },
    Done(Option<Reply>),
}

impl CallTools {
    pub(crate) fn new(tools: Arc<Tools>, app: Arc<App>) -> Self {
        Self { tools, app }
    }

    fn start(&self, incoming: Incoming) -> Result<CallFuture, ErrorObject> {
        let params = incoming.params.object()?;
        let tool = self.find(params)?;
        let arguments = params.get("arguments").cloned();
        // Whether MGP was negotiated is known by now, and does not change.
        let mgp = incoming.session().is_some_and(Session::has::<Negotiated>);
        let stream = incoming.ext.get::<CallStream>().cloned();
        let running = (tool.handler)(Call::new(incoming, Arguments::Json(arguments), self.app.clone()));
        Ok(CallFuture::Running { running, mgp, stream })
    }

    fn find(&self, params: &RawObject) -> Result<&RegisteredTool, ErrorObject> {
        let name = params.get("name").ok_or_else(|| {
            ErrorObject::invalid_params("invalid params: missing name: expected the name of a tool")
        })?;
        // A name without escapes is looked up where it stands.
        if let Some(plain) = name.as_plain_text() {
            return self.tools.get(plain).ok_or_else(|| unknown(plain));
        }
        let name = name.to_text().ok_or_else(|| {
            let kind = name.kind();
            ErrorObject::invalid_params(format!("invalid params: name: expected a string, found {kind}"))
        })?;
        self.tools.get(&*name).ok_or_else(|| unknown(&name))
    }
}

fn unknown(name: &str) -> ErrorObject {
    const SHOWN: usize = 128;
    let name: String = name.chars().take(SHOWN).collect();
    ErrorCode::ToolNotFound.error(format!("unknown tool: {name:?}"))
}

/// §12.5 Adds how it was streamed, where it was and the handler did not say so itself.
fn summarized(mut result: CallToolResult, stream: Option<&CallStream>) -> CallToolResult {
    let Some(stream) = stream.filter(|stream| stream.chunks_sent() > 0) else { return result };
    let mut mgp = result.mgp.take().unwrap_or_default();
    if mgp.get("streamed").is_none()
        && let Ok(summary) = RawJson::from_value(&stream.summary())
        && let Ok(summary) = RawObject::from_json(&summary)
    {
        for (key, value) in summary.iter() {
            mgp.insert_named(key, value.clone());
        }
    }
    result.mgp = Some(mgp);
    result
}

/// §2.4 Takes MGP out, for a plain MCP peer.
fn plain(mut result: CallToolResult) -> CallToolResult {
    result.mgp = None;
    if let Some(meta) = &mut result.meta
        && meta.remove("mgp").is_some()
        && meta.is_empty()
    {
        result.meta = None;
    }
    result
}

impl Service<Incoming> for CallTools {
    type Response = Reply;
    type Error = BoxError;
    type Future = CallFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, incoming: Incoming) -> CallFuture {
        if incoming.is_notification() {
            return CallFuture::Done(Some(Reply::none()));
        }
        self.start(incoming).unwrap_or_else(|error| CallFuture::Done(Some(Reply::error(error))))
    }
}

impl Future for CallFuture {
    type Output = Result<Reply, BoxError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let reply = match &mut *self {
            Self::Done(reply) => reply.take().unwrap_or_else(Reply::none),
            Self::Running { running, mgp, stream } => {
                let result = ready!(running.as_mut().poll(cx)).or_else(ToolError::into_tool_result);
                match result {
                    Ok(result) if *mgp => Reply::from_value(&summarized(result, stream.as_ref())),
                    Ok(result) => Reply::from_value(&plain(result)),
                    Err(error) => Reply::error(error),
                }
            }
        };
        Poll::Ready(Ok(reply))
    }
}

impl fmt::Debug for CallTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallTools").field("tools", &self.tools.len()).finish_non_exhaustive()
    }
}
