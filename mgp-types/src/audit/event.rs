//! §6.3 `notifications/mgp.audit`.

use super::AuditEventType;
use crate::{
    context::ActorType,
    json::{Nullable, RawObject},
};
use serde::{Deserialize, Serialize};

notices! {
    /// Reports an event that concerns security.
    Audit = "notifications/mgp.audit": AuditEvent;
}

spelled! {
    /// The outcome of an event.
    pub enum AuditResult as "audit result" {
        /// The action was done.
        Success = "SUCCESS",
        /// The action was tried and failed.
        Failure = "FAILURE",
        /// The action was not allowed.
        Blocked = "BLOCKED",
    }
}

/// An audit event: the action, its target and its actor (§6.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditEvent {
    /// The time of the event (RFC 3339).
    pub timestamp: String,
    /// The trace that the event belongs to (§6.5).
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub trace_id: Nullable<String>,
    /// The type of the event.
    pub event_type: AuditEventType,
    /// The actor on whose behalf the event happened.
    pub actor: AuditActor,
    /// The target of the action.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub target: Nullable<AuditTarget>,
    /// The outcome.
    pub result: AuditResult,
    /// More about the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<RawObject>,
    /// MGP's metadata about the message, such as `seq` in a forwarded event.
    #[serde(rename = "_mgp", default, skip_serializing_if = "Option::is_none")]
    pub mgp: Option<RawObject>,
}

impl AuditEvent {
    /// Returns the event's number among the events that one receiver got.
    #[must_use]
    pub fn seq(&self) -> Option<u64> {
        self.mgp.as_ref()?.decode("seq").ok().flatten()
    }
}

/// The actor on whose behalf something happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditActor {
    /// The kind of actor.
    #[serde(rename = "type")]
    pub kind: ActorType,
    /// The actor's id.
    pub id: String,
}

/// The target of an action.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditTarget {
    /// The server.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub server_id: Nullable<String>,
    /// The tool.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub tool_name: Nullable<String>,
}
