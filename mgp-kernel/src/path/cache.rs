//! The layer of results that are repeated for a short time, as the operator configured it for a tool.
//!
//! It is inside every gate and the audit, so that a repeated result is judged, counted and recorded like any other call.

use crate::{
    catalog::tools::ToolEntry,
    host::HostDialect,
    rights::rights::Rights,
    upstream::{CacheKey, ResultCache, ShapedTool},
};
use futures_util::future::{Either, Ready, ready};
use mgp_discovery::config::InstanceScope;
use mgp_security::canonical;
use mgp_transport::seam::{CallRecord, Reply, ToolCall};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{CallToolResult, ResultType},
};
use pin_project_lite::pin_project;
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tower_layer::Layer;
use tower_service::Service;

/// The detail of a call with the age of the repeated result, in seconds.
const CACHED: &str = "cached_secs";

/// The member of a repeated result's `_meta`.
const CACHED_KEY: &str = "dev.cloto/cached";

/// The members of a call's `_meta` that do not change its result.
const NEUTRAL_META: [&str; 4] = ["progressToken", "traceparent", "tracestate", "baggage"];

/// The prefix of the members that stateless hosts add to every request.
const ENVELOPE: &str = "io.modelcontextprotocol/";

/// The layer of repeated results.
#[derive(Debug, Clone)]
pub(crate) struct CacheLayer(pub(super) Arc<Rights>);

impl<S> Layer<S> for CacheLayer {
    type Service = Cache<S>;

    fn layer(&self, inner: S) -> Cache<S> {
        Cache { inner, rights: self.0.clone() }
    }
}

/// The service of repeated results. See [`CacheLayer`].
#[derive(Debug, Clone)]
pub(crate) struct Cache<S> {
    inner: S,
    rights: Arc<Rights>,
}

/// A call whose result is kept.
pub(crate) struct KeptCall {
    shape: Arc<ShapedTool>,
    key: CacheKey,
    record: CallRecord,
}

impl KeptCall {
    /// Returns the call, if its tool has a cache and nothing but its arguments determines its result.
    fn of(call: &ToolCall) -> Option<Box<Self>> {
        let entry = ToolEntry::of(call)?;
        let shape = entry.shape.as_ref().filter(|shape| shape.cache.is_some())?;
        let options = call.options();
        let has_context = call.dry_run
            || call.long.is_some()
            || options.session.is_some()
            || options.tool_session.is_some()
            || options.confirmation.is_some()
            || entry.server.spec.instances != InstanceScope::Shared;
        if has_context || !has_only_arguments(call) {
            return None;
        }
        let arguments = call.arguments().cloned().unwrap_or_else(RawJson::empty_object);
        let key = CacheKey {
            arguments: canonical::digest(&arguments),
            form: HostDialect::of(call.session()).form(),
            principal: call.principal.clone(),
        };
        Some(Box::new(Self { shape: shape.clone(), key, record: call.record.clone() }))
    }

    fn cache(&self) -> Option<&ResultCache> {
        self.shape.cache.as_ref()
    }

    /// Returns the kept result, with its age in `_meta`.
    fn repeated(&self) -> Option<Reply> {
        let (result, age) = self.cache()?.get(&self.key)?;
        let mut result = RawObject::from_json(&result).ok()?;
        if result.get("_meta").is_none_or(|meta| !meta.is_object()) {
            result.insert("_meta", RawJson::empty_object());
        }
        let age = RawJson::from_value(&age.as_secs()).ok()?;
        let cached = RawJson::from_value(&serde_json::json!({ "age_secs": &age })).ok()?;
        result.edit("_meta", |meta| {
            meta.insert(CACHED_KEY, cached);
            true
        });
        self.record.update(|record| {
            record.answered = Some(true);
            record.details.push((CACHED, age));
        });
        Some(Reply::ok(result.to_json()))
    }

    /// Keeps the reply, if it is a whole result that nobody has received a part of before.
    fn keep(&self, reply: &Reply) {
        let Some(result) = reply.result().filter(|_| !reply.is_cancelled()) else { return };
        if CallToolResult::says_error(result) || self.record.update(|record| record.begun) {
            return;
        }
        let Ok(object) = RawObject::from_json(result) else { return };
        let is_answer = object.get("content").is_some()
            && object.get("task").is_none()
            && ResultType::said_by(&object) == ResultType::Complete;
        if let Some(cache) = self.cache().filter(|_| is_answer) {
            cache.put(self.key.clone(), result);
        }
    }
}

/// Returns whether a call has no members that may change its result, such as the answers to questions or a transaction.
fn has_only_arguments(call: &ToolCall) -> bool {
    let Ok(params) = call.params.object() else { return false };
    let is_neutral = |name: &str| NEUTRAL_META.contains(&name) || name.starts_with(ENVELOPE);
    params.iter().all(|(name, value)| match name {
        "name" | "arguments" => true,
        "_meta" => {
            RawObject::from_json(value).is_ok_and(|meta| meta.iter().all(|(name, _)| is_neutral(name)))
        }
        _ => false,
    })
}

impl<S: Service<ToolCall, Response = Reply>> Service<ToolCall> for Cache<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = Either<ResponseFuture<S::Future>, Ready<Result<Reply, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        let kept = KeptCall::of(&call);
        if let Some(kept) = &kept {
            // Where the rights or the server changed during a wait, the path to the server gives the refusal.
            let is_up = ToolEntry::of(&call).is_some_and(|entry| entry.server.path.gate.check().is_ok());
            if is_up
                && self.rights.judge_call(&call).is_ok()
                && let Some(reply) = kept.repeated()
            {
                return Either::Right(ready(Ok(reply)));
            }
        }
        Either::Left(ResponseFuture { inner: self.inner.call(call), call: kept })
    }
}

pin_project! {
    /// The future of [`Cache`], for a call that is sent.
    pub(crate) struct ResponseFuture<F> {
        #[pin]
        inner: F,
        // Boxed, because few calls have one.
        call: Option<Box<KeptCall>>,
    }
}

impl<F: Future<Output = Result<Reply, E>>, E> Future for ResponseFuture<F> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let reply = ready!(this.inner.poll(cx))?;
        if let Some(call) = this.call {
            call.keep(&reply);
        }
        Poll::Ready(Ok(reply))
    }
}
