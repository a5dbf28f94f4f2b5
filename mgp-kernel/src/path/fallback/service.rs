//! The service that calls another tool after a failure.

use super::substitute::{Substitute, may_have_one};
use crate::{
    catalog::tools::{ToolEntry, Tools},
    features::transactions::is_compensation,
};
use futures_util::future::BoxFuture;
use mgp_transport::{
    connection::error_of,
    seam::{BoxError, CallRecord, Reply, ToolCall},
};
use mgp_types::{
    checkpoint::CheckpointToken,
    context::Target,
    error::{ErrorCode, Recovery},
    idempotency::IdempotentRequest,
    json::{RawJson, RawObject},
    rpc::ErrorObject,
    session_state::SessionStateToken,
    tool_result::RESULT_KEY,
};
use pin_project_lite::pin_project;
use std::{
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tower_service::Service;

/// The service that calls another tool if a call failed after its retries. The other call is judged and recorded like any other, and never
/// leads to a third. See [`FallbackLayer`](super::FallbackLayer).
#[derive(Debug, Clone)]
pub(crate) struct Fallback<S> {
    inner: S,
    /// The inner service. Only failed calls clone it.
    others: Arc<(S, Arc<Tools>)>,
}

/// A call that may be repeated with another tool.
struct Other<S> {
    others: Arc<(S, Arc<Tools>)>,
    /// The original call, with the record that its layers fill.
    call: ToolCall<()>,
}

impl<S: Clone> Fallback<S> {
    pub(super) fn new(inner: S, tools: Arc<Tools>) -> Self {
        Self { others: Arc::new((inner.clone(), tools)), inner }
    }

    fn other(&self, call: &ToolCall<()>) -> Option<Box<Other<S>>> {
        let may_be_repeated = !call.dry_run && !is_compensation(call);
        let may_be_repeated = may_be_repeated && ToolEntry::of(call).is_some_and(may_have_one);
        may_be_repeated.then(|| Box::new(Other { others: self.others.clone(), call: call.clone() }))
    }
}

impl<S> Service<ToolCall<()>> for Fallback<S>
where
    S: Service<ToolCall<()>, Response = Reply, Error = BoxError, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static,
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
    S: Service<ToolCall<()>, Response = Reply, Error = BoxError> + Clone,
{
    /// Calls another tool, if there is one. Returns the error of the first call if there is none, or if the other tool fails,
    /// too.
    async fn call(self, reply: Result<Reply, BoxError>) -> Result<Reply, BoxError> {
        let Some(error) = error_of(&reply) else { return reply };
        let Some(entry) = ToolEntry::shared(&self.call) else { return reply };
        let advice = Recovery::from_error(&error);
        let Some(substitute) = self.substitute(&entry, &error, advice.as_ref()) else {
            return unnamed(reply, error, advice);
        };
        let name = substitute.name.clone();
        let is_lost = advice.as_ref().is_some_and(Recovery::is_outcome_unknown);
        if (is_lost || self.has_key()) && !entry.server.may_run_twice(&entry.id.tool_name) {
            // The caller may only learn whether both tools may be called.
            let code = ErrorCode::from_code(error.code).unwrap_or(ErrorCode::UpstreamError);
            let advice = advice.unwrap_or_else(|| Recovery::of(code));
            let named = Recovery { fallback_tool: Some(name.to_string()), ..advice };
            return Ok(Reply::error(named.attach(error)));
        }
        match self.call_other(&entry, substitute).await {
            OtherEnd::Answered(answer) => Ok(marked(answer, &name, &error)),
            OtherEnd::Refused => unnamed(reply, error, advice),
            // If the call is made again, the other tool would run a second time.
            OtherEnd::Failed { is_outcome_unknown } => Ok(Reply::error(spent(error, is_outcome_unknown))),
        }
    }

    /// Returns whether the call has an idempotency key, with which it may be made again with the first tool.
    fn has_key(&self) -> bool {
        let params = self.call.params.object().ok();
        params.is_some_and(|params| IdempotentRequest::of(params).is_ok_and(|request| request.is_some()))
    }

    /// Returns the other tool. `None` if the caller has seen a part of the first call, such as a chunk of its result.
    fn substitute(
        &self,
        entry: &ToolEntry,
        error: &ErrorObject,
        advice: Option<&Recovery>,
    ) -> Option<Substitute> {
        let (is_begun, caller) = self.call.record.update(|record| (record.begun, record.principal.clone()));
        let caller = caller.filter(|_| !is_begun)?;
        Substitute::of(&self.others.1, entry, &caller, error, advice)
    }

    /// Calls another tool instead of a failed one.
    async fn call_other(self, instead_of: &ToolEntry, substitute: Substitute) -> OtherEnd {
        let Self { others, mut call } = self;
        let mut inner = others.0.clone();
        let Substitute { name, entry } = substitute;
        let Ok(mut params) = std::mem::take(&mut call.params).into_object() else { return OtherEnd::Refused };
        params.insert("name", RawJson::string(&name));
        // The token is for the first tool, and contains its server's data about the call.
        CheckpointToken::remove(&mut params);
        // Other tools of the server belong to the same session. Another server must not read its data.
        if entry.id.server_id != instead_of.id.server_id {
            SessionStateToken::remove(&mut params);
        }
        call.params = params.into();
        // These headers repeat arguments, as the first tool declares them.
        #[cfg(feature = "http")]
        mgp_transport::http::server::ParamHeaders::remove(&mut call.ext);
        let record = CallRecord::new();
        let first = std::mem::replace(&mut call.record, record.clone());
        let intent = first.update(|first| first.intent.clone());
        record.update(|record| {
            record.intent = intent;
            record.trace.clone_from(&call.trace);
            record.details.push(("fallback_of", RawJson::string(&instead_of.id.to_string())));
        });
        call.target = Arc::new(Target { tool: entry.id.clone(), called_as: name });
        call.profile = entry.profile.clone();
        call.route = Some(entry);
        let substitute = call.route.clone();
        let answer = match poll_fn(|cx| inner.poll_ready(cx)).await {
            Ok(()) => inner.call(call).await,
            Err(error) => Err(error),
        };
        let (is_refused, is_sent) = record.update(|record| (record.refusal.is_some(), record.attempts > 0));
        match (error_of(&answer), answer) {
            // Some gates refuse with a tool's result.
            (None, Ok(answer)) if !is_refused => {
                first.update(|record| record.substitute = substitute);
                OtherEnd::Answered(answer)
            }
            (Some(error), _) if is_sent => OtherEnd::Failed {
                is_outcome_unknown: Recovery::from_error(&error)
                    .is_some_and(|advice| advice.is_outcome_unknown()),
            },
            _ => OtherEnd::Refused,
        }
    }
}

/// The outcome of calling another tool.
enum OtherEnd {
    Answered(Reply),
    /// The call did not reach its server.
    Refused,
    Failed {
        is_outcome_unknown: bool,
    },
}

/// Returns the error of a call whose fallback reached its server and failed.
fn spent(error: ErrorObject, is_outcome_unknown: bool) -> ErrorObject {
    let code = ErrorCode::from_code(error.code).unwrap_or(ErrorCode::UpstreamError);
    let advice = Recovery::from_error(&error).unwrap_or_else(|| Recovery::of(code));
    let advice = Recovery { fallback_tool: None, ..advice.without_retry() };
    if is_outcome_unknown {
        let details = Recovery::outcome_unknown(code).details;
        return Recovery { details, ..advice }.attach(error);
    }
    advice.attach(error)
}

/// Returns the reply to a call without a fallback. The server's own name for one is removed, because it means nothing
/// to hosts.
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

/// Returns the answer of another tool, marked as such in its `_meta`.
fn marked(answer: Reply, name: &str, error: &ErrorObject) -> Reply {
    let result = answer.result().filter(|_| !answer.is_cancelled());
    let Some(Ok(mut result)) = result.map(RawObject::from_json) else { return answer };
    let mut fallback = RawObject::new();
    fallback.insert("tool", RawJson::string(name));
    fallback.insert("reason", RawJson::string(&error.message));
    result.edit("_meta", |meta| {
        meta.edit(RESULT_KEY, |outcome| outcome.insert("fallback", fallback.to_json()).is_none());
        true
    });
    Reply::ok(result.to_json())
}

pin_project! {
    /// The future of [`Fallback`].
    pub(in crate) struct ResponseFuture<S: Service<ToolCall<()>>> {
        #[pin]
        stage: Stage<S::Future>,
        // Boxed, because every outer layer moves this future.
        other: Option<Box<Other<S>>>,
    }
}

pin_project! {
    #[project = StageProj]
    enum Stage<F> {
        Called { #[pin] future: F },
        // Only failed calls are boxed.
        Other { future: BoxFuture<'static, Result<Reply, BoxError>> },
    }
}

impl<S> Future for ResponseFuture<S>
where
    S: Service<ToolCall<()>, Response = Reply, Error = BoxError, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static,
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
