//! §6.3 The builder of audit events.

use super::trace::{current_trace, new_trace};
use jiff::Timestamp;
use mgp_transport::seam::ToolCall;
use mgp_types::{
    audit::{AuditActor, AuditEvent, AuditEventType, AuditResult, AuditTarget},
    context::{Principal, TraceId},
    json::{Nullable, RawJson, RawObject},
    mcp::CallTool,
    rpc::Call,
};
use serde::Serialize;
use std::fmt;
use uuid::Uuid;

/// The type of the event that precedes a change of rights. The event does not state whether the change was made.
const CHANGE_INTENDED: &str = "dev.cloto.mgp.CHANGE_INTENDED";

/// The type of the event that records the refusal of a request that calls no tool.
pub const REQUEST_BLOCKED: &str = "dev.cloto.mgp.REQUEST_BLOCKED";

/// The type of the event of a dry run.
pub const TOOL_CHECKED: &str = "dev.cloto.mgp.TOOL_CHECKED";

/// The longest name that an event keeps, in characters. Names of servers and tools are shorter, but a host may send any text.
const MAX_NAME: usize = 1024;

/// A builder of an audit event. By default, the event happens now and is a success. It belongs to the trace in which it is
/// [drafted](super::in_trace), or else to a new one.
///
/// ```
/// use mgp_security::audit::EventDraft;
/// use mgp_types::{audit::AuditEventType, context::{ActorType, Principal}};
///
/// let kernel = Principal::new("kernel", ActorType::Kernel, false);
/// let event = EventDraft::new(AuditEventType::ServerConnected, &kernel).server("files").finish();
/// assert_eq!(event.event_type, AuditEventType::ServerConnected);
/// ```
#[derive(Debug, Clone)]
pub struct EventDraft {
    event: AuditEvent,
    target: AuditTarget,
    details: RawObject,
}

impl EventDraft {
    /// Creates the event of an actor's action. The detail `delegation` lists the agents on whose behalf the actor acts.
    #[must_use]
    pub fn new(event_type: AuditEventType, actor: &Principal) -> Self {
        let event = AuditEvent {
            timestamp: now(),
            trace_id: current_trace()
                .map_or(Nullable::Absent, |trace| Nullable::Value(trace.as_str().to_owned())),
            event_type,
            actor: AuditActor { kind: actor.actor(), id: actor.id().to_owned() },
            target: Nullable::Absent,
            result: AuditResult::Success,
            details: None,
            mgp: None,
        };
        let draft = Self { event, target: AuditTarget::default(), details: RawObject::new() };
        if !actor.is_delegated() {
            return draft;
        }
        let chain: Vec<&str> = actor.delegation().collect();
        draft.detail("delegation", &chain)
    }

    /// Creates the event of a refused request: TOOL_BLOCKED of a call, and [`REQUEST_BLOCKED`] of any other method.
    #[must_use]
    pub fn of_refused(method: &str, caller: &Principal) -> Self {
        let event_type = match method {
            CallTool::METHOD => AuditEventType::ToolBlocked,
            _ => AuditEventType::from(REQUEST_BLOCKED),
        };
        Self::new(event_type, caller).result(AuditResult::Blocked)
    }

    /// Creates the event of a call, with its caller, its tool and its trace.
    #[must_use]
    pub fn of_call<P>(event_type: AuditEventType, call: &ToolCall<P>) -> Self {
        let record = call.record.read();
        let nobody = Principal::agent("unauthenticated");
        let actor = record.principal.as_ref().unwrap_or(&nobody);
        let tool = &call.target.tool;
        let draft = Self::new(event_type, actor).server(&tool.server_id).tool(&tool.tool_name);
        match record.trace.as_ref().or(call.trace.as_ref()) {
            Some(trace) => draft.trace(trace),
            None => draft,
        }
    }

    /// Sets the trace that the event belongs to.
    #[must_use]
    pub fn trace(mut self, trace: &TraceId) -> Self {
        self.event.trace_id = Nullable::Value(trace.as_str().to_owned());
        self
    }

    /// Sets the server that the event is about.
    #[must_use]
    pub fn server(mut self, server_id: &str) -> Self {
        self.target.server_id = Nullable::Value(bounded(server_id));
        self
    }

    /// Sets the tool that the event is about.
    #[must_use]
    pub fn tool(mut self, tool_name: &str) -> Self {
        self.target.tool_name = Nullable::Value(bounded(tool_name));
        self
    }

    /// Sets the outcome.
    #[must_use]
    pub fn result(mut self, result: AuditResult) -> Self {
        self.event.result = result;
        self
    }

    /// Adds a detail. A value that cannot be written as JSON is left out.
    #[must_use]
    pub fn detail(mut self, key: &'static str, value: &(impl Serialize + ?Sized)) -> Self {
        if let Ok(json) = RawJson::from_value(value) {
            self.details.insert(key, json);
        }
        self
    }

    /// Adds the detail `method`: a method name sent by a peer, cut to 256 characters.
    #[must_use]
    pub fn method(self, name: &str) -> Self {
        const MOST: usize = 256;
        let end = name.char_indices().nth(MOST).map_or(name.len(), |(end, _)| end);
        self.detail("method", &name[..end])
    }

    /// Returns the event of the intent to make a change, and this event of its outcome. Both get the same `change_id`.
    pub(crate) fn with_intent(self) -> (Self, Self) {
        let outcome = self.traced().detail("change_id", &Uuid::now_v7().to_string());
        let mut intent =
            outcome.clone().result(AuditResult::Success).detail("change", &outcome.event.event_type);
        intent.event.event_type = AuditEventType::from(CHANGE_INTENDED);
        (intent, outcome)
    }

    /// Sets the time of the event to the present.
    pub(crate) fn happening_now(mut self) -> Self {
        self.event.timestamp = now();
        self
    }

    /// Sets the outcome to a failure, for the given reason.
    pub(crate) fn failed(self, reason: &dyn fmt::Display) -> Self {
        self.result(AuditResult::Failure).detail("reason", &reason.to_string())
    }

    /// Gives the event a new trace, unless it has one.
    fn traced(self) -> Self {
        if self.event.trace_id.get().is_some() { self } else { self.trace(&new_trace()) }
    }

    /// Builds the event.
    #[must_use]
    pub fn finish(self) -> AuditEvent {
        let Self { mut event, target, details } = self.traced();
        if target != AuditTarget::default() {
            event.target = Nullable::Value(target);
        }
        event.details = (!details.is_empty()).then_some(details);
        event
    }
}

fn now() -> String {
    format!("{:.3}", Timestamp::now())
}

fn bounded(name: &str) -> String {
    name.chars().take(MAX_NAME).collect()
}
