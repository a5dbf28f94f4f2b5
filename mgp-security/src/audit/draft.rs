//! §6.3 Making an event.

use jiff::Timestamp;
use mgp_types::{
    audit::{AuditActor, AuditEvent, AuditEventType, AuditResult, AuditTarget},
    context::{Principal, TraceId},
    json::{Nullable, RawJson, RawObject},
};
use serde::Serialize;
use std::fmt;
use uuid::Uuid;

/// The type of the event that comes before a change of rights. It says nothing about whether the change was made.
const CHANGE_INTENDED: &str = "dev.cloto.mgp.CHANGE_INTENDED";

/// An event that is being made. It happens now, and is a success unless something else is said.
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
    /// Creates the event of something that an actor does. The agents on whose behalf it does so stand in the detail `delegation`.
    #[must_use]
    pub fn new(event_type: AuditEventType, actor: &Principal) -> Self {
        let event = AuditEvent {
            timestamp: now(),
            trace_id: Nullable::Absent,
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

    /// What it belongs to.
    #[must_use]
    pub fn trace(mut self, trace: &TraceId) -> Self {
        self.event.trace_id = Nullable::Value(trace.as_str().to_owned());
        self
    }

    /// The server that it happens to.
    #[must_use]
    pub fn server(mut self, server_id: &str) -> Self {
        self.target.server_id = Nullable::Value(server_id.to_owned());
        self
    }

    /// The tool that it happens to.
    #[must_use]
    pub fn tool(mut self, tool_name: &str) -> Self {
        self.target.tool_name = Nullable::Value(tool_name.to_owned());
        self
    }

    /// How it ended.
    #[must_use]
    pub fn result(mut self, result: AuditResult) -> Self {
        self.event.result = result;
        self
    }

    /// More about it. What cannot be JSON is left out.
    #[must_use]
    pub fn detail(mut self, key: &'static str, value: &(impl Serialize + ?Sized)) -> Self {
        if let Ok(json) = RawJson::from_value(value) {
            self.details.insert(key, json);
        }
        self
    }

    /// The event of the intent to make the change that this event is about, and this event; the two have a `change_id` in common.
    pub(crate) fn with_intent(self) -> (Self, Self) {
        let outcome = self.detail("change_id", &Uuid::now_v7().to_string());
        let mut intent =
            outcome.clone().result(AuditResult::Success).detail("change", &outcome.event.event_type);
        intent.event.event_type = AuditEventType::from(CHANGE_INTENDED);
        (intent, outcome)
    }

    /// The event, at the present time.
    pub(crate) fn happening_now(mut self) -> Self {
        self.event.timestamp = now();
        self
    }

    /// The event of something that was tried and failed.
    pub(crate) fn failed(self, reason: &dyn fmt::Display) -> Self {
        self.result(AuditResult::Failure).detail("reason", &reason.to_string())
    }

    /// The event.
    #[must_use]
    pub fn finish(self) -> AuditEvent {
        let Self { mut event, target, details } = self;
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
