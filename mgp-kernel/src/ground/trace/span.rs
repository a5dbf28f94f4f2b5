//! The spans of a request and of its calls, with the fields of OpenTelemetry's conventions for MCP.

use mgp_transport::seam::{CallError, CallRecord, CancelToken, Incoming, Reply, Session, ToolCall};
use mgp_types::{
    context::{Target, TraceId},
    mcp::{CallToolResult, ProtocolVersion},
    request_meta,
    rpc::RawResult,
};
use parking_lot::Mutex;
use std::{
    sync::{Arc, OnceLock},
    thread::panicking,
};
use tracing::{Level, Span, field::Empty};
use uuid::Uuid;

/// The target of the kernel's spans, for selecting them in a subscriber.
pub const SPANS: &str = "mgp::spans";

/// The maximum length of a text in a field, in characters. Hosts and servers choose names, URIs and messages.
const MAX_TEXT: usize = 256;

/// The span of a host's request. It exists only if a subscriber records it.
#[derive(Debug, Clone)]
pub(crate) struct RequestSpan(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// The span until it ends. Values that outlive the request may still hold this value, but must not keep the span
    /// open.
    span: Mutex<Option<Span>>,
    trace: TraceId,
    id: u64,
    is_sampled: bool,
    /// The method, shortened.
    method: String,
    /// The record of the call, if the request calls a server's tool.
    record: OnceLock<CallRecord>,
}

/// The end of the span of a host's request: by [`end`](Self::end), or as cancelled when this value is dropped.
#[derive(Debug)]
pub(super) struct SpanEnd(RequestSpan);

/// The span of a request from the kernel to a server. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct ServerSpan {
    span: Span,
    traceparent: Option<String>,
    /// The token of the host's request, which distinguishes a time limit from a cancellation.
    cancel: Option<CancelToken>,
    is_ended: bool,
}

impl RequestSpan {
    /// Begins the span of a request; `None` if no subscriber records it.
    pub(super) fn begin(message: &Incoming, trace: &TraceId) -> Option<Self> {
        if !tracing::span_enabled!(target: SPANS, Level::DEBUG) {
            return None;
        }
        let params = message.params.object().ok();
        // A caller may name its trace in another form, and then its span belongs to another trace.
        let parent = params.and_then(request_meta::traceparent).filter(|parent| parent.trace.is_same(trace));
        let text = |key: &str| params?.text(key).map(|text| shortened(&text));
        let method = shortened(&message.method);
        let version = message.session().and_then(Session::get::<ProtocolVersion>);
        let (id, is_sampled) = (new_id(), parent.as_ref().is_none_or(|parent| parent.is_sampled));
        let span = tracing::debug_span!(
            target: SPANS,
            parent: None,
            "request",
            otel.name = method,
            otel.kind = "server",
            otel.status_code = Empty,
            trace_id = trace.as_str(),
            trace_sampled = is_sampled,
            span_id = id,
            parent_span_id = parent.as_ref().map(|parent| parent.span),
            mcp.method.name = method,
            mcp.protocol.version = version.map(|version| version.to_string()),
            mcp.resource.uri = text("uri").filter(|_| method.starts_with("resources/")),
            jsonrpc.request.id = message.id.as_ref().map(|id| shortened(&id.to_string())),
            gen_ai.operation.name = Empty,
            gen_ai.tool.name = Empty,
            gen_ai.prompt.name = text("name").filter(|_| method.starts_with("prompts/")),
            "error.type" = Empty,
            rpc.response.status_code = Empty,
            mgp.server.id = Empty,
            mgp.agent.id = Empty,
            mgp.refusal.gate = Empty,
        );
        let (span, record) = (Mutex::new(Some(span)), OnceLock::new());
        Some(Self(Arc::new(Inner { span, trace: trace.clone(), id, is_sampled, method, record })))
    }

    /// Returns the span of a message's request; `None` if it has none.
    pub(crate) fn of(message: &Incoming) -> Option<&Self> {
        message.ext.get()
    }

    /// Adds the span to the context of the request.
    pub(super) fn attach(self, message: &mut Incoming) {
        message.ext.insert(self);
    }

    /// Returns the span, to be entered while the request is processed, and the value that ends it.
    pub(super) fn open(&self) -> (Span, SpanEnd) {
        (self.span().unwrap_or_else(Span::none), SpanEnd(self.clone()))
    }

    fn span(&self) -> Option<Span> {
        self.0.span.lock().clone()
    }

    /// Notes that the request is a tool call.
    pub(crate) fn calls(&self, call: &ToolCall<()>) {
        if let Some(span) = self.span() {
            name_tool(&span, &self.0.method, &call.target);
        }
        let _ = self.0.record.set(call.record.clone());
    }
}

impl SpanEnd {
    /// Ends the span with the reply to the request.
    pub(super) fn end<E>(self, reply: &Result<Reply, E>) {
        self.close(match reply {
            Ok(reply) if reply.is_cancelled() => Some(Failure::Kind("cancelled")),
            Ok(reply) => match (reply.as_error(), reply.result()) {
                (Some(error), _) => Some(Failure::Code(error.code)),
                (None, Some(result)) if CallToolResult::says_error(result) => {
                    Some(Failure::Kind("tool_error"))
                }
                _ => None,
            },
            Err(_) => Some(Failure::Kind("internal")),
        });
    }

    fn close(&self, failure: Option<Failure>) {
        let Inner { span, record, .. } = &*self.0.0;
        let Some(span) = span.lock().take() else { return };
        let record = record.get().map(CallRecord::read);
        if let Some(failure) = failure {
            failure.note(&span);
            // A call that another tool answered was not refused.
            let refusal = record.as_ref().and_then(|record| record.refusal.as_ref());
            span.record("mgp.refusal.gate", refusal.map(|refusal| refusal.kind.as_str()));
        }
        let principal = record.and_then(|record| record.principal);
        span.record("mgp.agent.id", principal.map(|principal| shortened(principal.id())));
    }
}

impl Drop for SpanEnd {
    fn drop(&mut self) {
        self.close(Some(Failure::Kind(if panicking() { "internal" } else { "cancelled" })));
    }
}

impl ServerSpan {
    /// Begins the span of a request to a server; `None` if the host's request has no span.
    pub(crate) fn begin(message: &Incoming, server_id: &str, id: i64) -> Option<Self> {
        let request = RequestSpan::of(message)?;
        let (parent, Inner { trace, id: parent_id, is_sampled, .. }) = (request.span()?, &*request.0);
        let (method, own_id) = (shortened(&message.method), new_id());
        let span = tracing::debug_span!(
            target: SPANS,
            parent: &parent,
            "server_request",
            otel.name = method,
            otel.kind = "client",
            otel.status_code = Empty,
            trace_id = trace.as_str(),
            trace_sampled = is_sampled,
            span_id = own_id,
            parent_span_id = parent_id,
            mcp.method.name = method,
            jsonrpc.request.id = id.to_string(),
            gen_ai.operation.name = Empty,
            gen_ai.tool.name = Empty,
            "error.type" = Empty,
            rpc.response.status_code = Empty,
            mgp.server.id = shortened(server_id),
        );
        if let Some(call) = ToolCall::of(message) {
            name_tool(&span, &method, &call.target);
        }
        let traceparent = trace.traceparent(own_id, *is_sampled);
        let cancel = message.cancel_token().cloned();
        Some(Self { span, traceparent, cancel, is_ended: false })
    }

    /// Returns the W3C `traceparent` that makes the server's own spans children of this one; `None` if the trace has no such
    /// form.
    pub(crate) fn traceparent(&self) -> Option<&str> {
        self.traceparent.as_deref()
    }

    /// Ends the span with the server's answer.
    pub(crate) fn end(mut self, answer: &Result<RawResult, CallError>) {
        self.is_ended = true;
        let failure = match answer {
            Ok(result) if CallToolResult::says_error(result) => Failure::Kind("tool_error"),
            Ok(_) => return,
            Err(CallError::Peer(error)) => Failure::Code(error.code),
            Err(CallError::Unreadable(_)) => Failure::Kind("unreadable"),
            Err(CallError::SlowCaller { .. }) => Failure::Kind("slow_caller"),
            Err(_) => Failure::Kind("connection"),
        };
        failure.note(&self.span);
    }
}

impl Drop for ServerSpan {
    fn drop(&mut self) {
        if self.is_ended {
            return;
        }
        let is_cancelled = self.cancel.as_ref().is_some_and(CancelToken::is_cancelled);
        let kind = match (panicking(), is_cancelled) {
            (true, _) => "internal",
            (false, true) => "cancelled",
            (false, false) => "timeout",
        };
        Failure::Kind(kind).note(&self.span);
    }
}

/// Records the called tool. The name of an unknown tool is left out of the span's name, because hosts could invent endless names.
fn name_tool(span: &Span, method: &str, target: &Target) {
    let name = shortened(&target.called_as);
    if !target.tool.server_id.is_empty() {
        span.record("otel.name", format!("{method} {name}"));
        span.record("mgp.server.id", shortened(&target.tool.server_id));
    }
    span.record("gen_ai.operation.name", "execute_tool");
    span.record("gen_ai.tool.name", name);
}

/// The failure of a request, in its span. Messages are left out, because they may contain parts of arguments and results.
enum Failure {
    Kind(&'static str),
    Code(i64),
}

impl Failure {
    fn note(self, span: &Span) {
        match self {
            Self::Kind(kind) => {
                span.record("error.type", kind);
            }
            Self::Code(code) => {
                let code = code.to_string();
                span.record("error.type", &code);
                span.record("rpc.response.status_code", code);
            }
        }
        span.record("otel.status_code", "ERROR");
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}

/// Returns the random id of a new span, which is not 0.
pub(super) fn new_id() -> u64 {
    Uuid::new_v4().as_u64_pair().1
}
