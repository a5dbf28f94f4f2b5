//! The service that calls another tool where one failed.

use super::substitute::{Substitute, may_have_one};
use crate::kernel::{
    resolve::tool_call,
    tools::{ToolEntry, Tools},
};
use futures_util::future::BoxFuture;
use mgp_transport::{
    connection::error_at_edge,
    seam::{BoxError, CallRecord, Incoming, Reply, ToolCall},
};
use mgp_types::{
    error::Recovery,
    json::{RawJson, RawObject},
    mcp::CallTool,
    rpc::{Call, ErrorObject, Method, RequestId},
};
use pin_project_lite::pin_project;
use std::{
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tower_service::Service;

/// The member of a result's `_meta` that names the tool which answered, and the error of the one that was called.
const RESULT: &str = "dev.cloto/result";

/// The service outside the audit and every gate that calls another tool if a call failed after its retries. The other call is judged and recorded like any other,
/// and never leads to a third.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct Fallback<S> {
    pub(in crate::kernel) inner: S,
    pub(in crate::kernel) tools: Arc<Tools>,
}

/// A call that may be made with another tool.
struct Other<S> {
    inner: S,
    tools: Arc<Tools>,
    entry: Arc<ToolEntry>,
    id: RequestId,
    message: Incoming,
    /// The record of the call that failed.
    record: CallRecord,
}

impl<S: Clone> Fallback<S> {
    fn other(&self, call: &ToolCall<()>) -> Option<Other<S>> {
        let entry = call.route.clone()?.downcast::<ToolEntry>().ok().filter(|entry| may_have_one(entry))?;
        let message = Incoming {
            id: Some(call.id.clone()),
            method: Method::known(CallTool::METHOD),
            params: call.params.clone(),
            ext: call.ext.clone(),
        };
        let (inner, tools) = (self.inner.clone(), self.tools.clone());
        Some(Other { inner, tools, entry, id: call.id.clone(), message, record: call.record.clone() })
    }
}

impl<S> Service<ToolCall<()>> for Fallback<S>
where
    S: Service<ToolCall<()>, Response = Reply, Error = BoxError, Future: Send> + Clone + Send + 'static,
{
    type Response = Reply;
    type Error = BoxError;
    type Future = ResponseFuture<S>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: ToolCall<()>) -> Self::Future {
        let other = self.other(&call);
        ResponseFuture { stage: Stage::Called { future: self.inner.call(call) }, other }
    }
}

impl<S> Other<S>
where
    S: Service<ToolCall<()>, Response = Reply, Error = BoxError>,
{
    /// Calls another tool, if there is one. Returns the error of the first call if there is none, or if that one fails as well.
    async fn call(self, reply: Result<Reply, BoxError>) -> Result<Reply, BoxError> {
        let Some(error) = error_of(&reply) else { return reply };
        let advice = Recovery::from_error(&error);
        let Some(substitute) = self.substitute(&error, advice.as_ref()) else {
            return unnamed(reply, error, advice);
        };
        let name = substitute.name.clone();
        if let Some(advice) = advice.clone().filter(Recovery::is_outcome_unknown)
            && !self.entry.server.may_run_twice(&self.entry.id.tool_name)
        {
            // The caller may know whether both can run.
            let named = Recovery { fallback_tool: Some(name.to_string()), ..advice };
            return Ok(Reply::error(named.attach(error)));
        }
        match self.call_other(substitute).await? {
            Some(answer) => Ok(marked(answer, &name, &error)),
            None => unnamed(reply, error, advice),
        }
    }

    /// Returns the other tool. There is none if the caller has seen a part of the first call, such as a chunk of its result.
    fn substitute(&self, error: &ErrorObject, advice: Option<&Recovery>) -> Option<Substitute> {
        let (is_begun, caller) = self.record.update(|record| (record.begun, record.principal.clone()));
        let caller = caller.filter(|_| !is_begun)?;
        Substitute::of(&self.tools, &self.entry, &caller, error, advice)
    }

    /// Returns the answer of another tool; `None` if the call was refused or failed.
    async fn call_other(self, substitute: Substitute) -> Result<Option<Reply>, BoxError> {
        let Self { mut inner, mut message, id, entry: instead_of, .. } = self;
        let Substitute { name, entry } = substitute;
        message.params = match message.params.into_object() {
            Ok(mut params) => {
                params.insert("name", RawJson::string(&name));
                params.into()
            }
            Err(_) => return Ok(None),
        };
        // They repeat arguments as the first tool declares them.
        #[cfg(feature = "http")]
        message.ext.remove::<mgp_transport::http::server::ParamHeaders>();
        let call = tool_call(id, message, name, Some(entry));
        let instead_of = RawJson::string(&instead_of.id.to_string());
        let record = call.record.clone();
        record.update(|record| record.details.push(("fallback_of", instead_of)));
        poll_fn(|cx| inner.poll_ready(cx)).await?;
        let answer = inner.call(call).await?;
        // Some gates refuse with a result, which models read.
        let is_refused = answer.as_error().is_some() || record.update(|record| record.refusal.is_some());
        Ok((!is_refused).then_some(answer))
    }
}

fn error_of(reply: &Result<Reply, BoxError>) -> Option<ErrorObject> {
    match reply {
        Ok(reply) => reply.as_error().cloned(),
        Err(error) => Some(error_at_edge(error)),
    }
}

/// Returns the reply to a call for which no other tool is left. A server's own name for one means nothing to hosts.
fn unnamed(
    reply: Result<Reply, BoxError>,
    error: ErrorObject,
    advice: Option<Recovery>,
) -> Result<Reply, BoxError> {
    match advice.filter(|advice| advice.fallback_tool.is_some()) {
        Some(advice) => Ok(Reply::error(Recovery { fallback_tool: None, ..advice }.attach(error))),
        None => reply,
    }
}

/// Returns the answer of another tool, which says so in its `_meta`.
fn marked(answer: Reply, name: &str, error: &ErrorObject) -> Reply {
    let result = answer.result().filter(|_| !answer.is_cancelled());
    let Some(Ok(mut result)) = result.map(RawObject::from_json) else { return answer };
    let mut failed = RawObject::new();
    // A number: writing cannot fail.
    failed.insert("code", RawJson::from_value(&error.code).unwrap_or_else(|_| RawJson::null()));
    failed.insert("message", RawJson::string(&error.message));
    let mut fallback = RawObject::new();
    fallback.insert("tool", RawJson::string(name));
    fallback.insert("error", failed.to_json());
    result.edit("_meta", |meta| {
        meta.edit(RESULT, |outcome| outcome.insert("fallback", fallback.to_json()).is_none());
        true
    });
    Reply::ok(result.to_json())
}

pin_project! {
    /// The future of [`Fallback`].
    pub(in crate::kernel) struct ResponseFuture<S: Service<ToolCall<()>>> {
        #[pin]
        stage: Stage<S::Future>,
        other: Option<Other<S>>,
    }
}

pin_project! {
    #[project = StageProj]
    enum Stage<F> {
        Called { #[pin] future: F },
        // Only calls that failed are boxed.
        Other { future: BoxFuture<'static, Result<Reply, BoxError>> },
    }
}

impl<S> Future for ResponseFuture<S>
where
    S: Service<ToolCall<()>, Response = Reply, Error = BoxError, Future: Send> + Clone + Send + 'static,
{
    type Output = Result<Reply, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let reply = match this.stage.as_mut().project() {
                StageProj::Other { future } => return future.as_mut().poll(cx),
                StageProj::Called { future } => ready!(future.poll(cx)),
            };
            let failed = reply.as_ref().map_or(true, |reply| reply.as_error().is_some());
            let Some(other) = this.other.take().filter(|_| failed) else { return Poll::Ready(reply) };
            this.stage.set(Stage::Other { future: Box::pin(other.call(reply)) });
        }
    }
}
