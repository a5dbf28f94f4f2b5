//! Attestations: a kernel's statement of a result's origin, for hosts that request it.
//!
//! A result without an attestation is forwarded unchanged. An attestation that a server writes itself is removed when its answer arrives
//! (`host/dialect.rs`).

use super::shape::SHAPED;
use crate::{
    catalog::tools::ToolEntry,
    features::references::{KEPT, NOT_KEPT},
    ground::answer_details::{KERNEL_TEXT, MENDED},
};
use jiff::Timestamp;
use mgp_security::{canonical, results::MASKED};
use mgp_transport::seam::{CallRecord, Reply, ToolCall};
use mgp_types::{
    context::{ToolId, TraceId},
    json::RawObject,
    tool_result::{ATTEST_KEY, Attestation, ResultOrigin, attested_part},
    tool_security::DefinitionHash,
};
use pin_project_lite::pin_project;
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tower_layer::Layer;
use tower_service::Service;

/// The details of a call which record that the kernel changed its result, or wrote the text of it.
const CHANGES: [&str; 6] = [KEPT, NOT_KEPT, MASKED, KERNEL_TEXT, MENDED, SHAPED];

/// The layer that adds an attestation to the result of a call that requests it. It is outside the audit and inside the fallback to other tools,
/// so that it names the tool that answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AttestationsLayer;

impl<S> Layer<S> for AttestationsLayer {
    type Service = Attestations<S>;

    fn layer(&self, inner: S) -> Attestations<S> {
        Attestations { inner }
    }
}

/// The service that adds attestations. See [`AttestationsLayer`].
#[derive(Debug, Clone)]
pub(crate) struct Attestations<S> {
    inner: S,
}

/// A call whose result is attested.
#[derive(Debug)]
struct AttestedCall {
    tool: ToolId,
    entry: Option<Arc<ToolEntry>>,
    definition: DefinitionHash,
    trace: Option<TraceId>,
    record: CallRecord,
}

impl AttestedCall {
    /// Returns the call, if its caller requests an attestation.
    fn of(call: &ToolCall<()>) -> Option<Box<Self>> {
        let meta = call.params.object().ok()?.get("_meta")?;
        let asks = meta.may_hold(ATTEST_KEY)
            && RawObject::from_json(meta)
                .is_ok_and(|meta| meta.get(ATTEST_KEY).is_some_and(|asks| asks.as_str() == "true"));
        asks.then(|| {
            let definition = call.profile.definition;
            Box::new(Self {
                tool: call.target.tool.clone(),
                entry: ToolEntry::shared(call),
                definition,
                trace: call.trace.clone(),
                record: call.record.clone(),
            })
        })
    }

    /// Adds the attestation to a result.
    fn attest(&self, reply: Reply) -> Reply {
        // Refusals, partial results and results that the kernel changed are not the tool's answer.
        let is_answer = !reply.is_cancelled()
            && self.record.update(|record| {
                let is_made = |(name, _): &(&str, _)| CHANGES.contains(name);
                record.attempts > 0 && !record.details.iter().any(is_made)
            });
        let Some(result) = reply.result().filter(|_| is_answer) else { return reply };
        let Ok(mut result) = RawObject::from_json(result) else { return reply };
        let Some(part) = attested_part(&result) else { return reply };
        let greeting = self.entry.as_ref().and_then(|entry| entry.server.greeting());
        let attested = ResultOrigin {
            server_id: &self.tool.server_id,
            tool: &self.tool.tool_name,
            version: greeting.as_ref().map(|greeting| &*greeting.server_info.version),
            definition: self.definition,
            trace: self.trace.as_ref().map(TraceId::as_str),
        };
        let sha256 = mgp_types::hex::encode(canonical::digest(&part));
        Attestation::new(attested, Timestamp::now(), sha256).put(&mut result);
        Reply::ok(result.to_json())
    }
}

impl<S: Service<ToolCall<()>, Response = Reply>> Service<ToolCall<()>> for Attestations<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: ToolCall<()>) -> Self::Future {
        let attested = AttestedCall::of(&call);
        ResponseFuture { inner: self.inner.call(call), call: attested }
    }
}

pin_project! {
    /// The future of [`Attestations`].
    #[derive(Debug)]
    pub(in crate) struct ResponseFuture<F> {
        #[pin]
        inner: F,
        // Boxed, because few calls have one.
        call: Option<Box<AttestedCall>>,
    }
}

impl<F: Future<Output = Result<Reply, E>>, E> Future for ResponseFuture<F> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let reply = ready!(this.inner.poll(cx))?;
        Poll::Ready(Ok(match this.call {
            Some(call) => call.attest(reply),
            None => reply,
        }))
    }
}
