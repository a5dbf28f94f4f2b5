//! §6.3 `notifications/mgp.audit`.

use super::AuditEventType;
use crate::{
    context::ActorType,
    json::{Nullable, RawObject},
};
use serde::{Deserialize, Serialize};

notices! {
    /// Something that concerns security happened.
    Audit = "notifications/mgp.audit": AuditEvent;
}

spelled! {
    /// How it ended.
    pub enum AuditResult as "audit result" {
        /// It was done.
        Success = "SUCCESS",
        /// It was tried and failed.
        Failure = "FAILURE",
        /// It was not allowed.
        Blocked = "BLOCKED",
    }
}

/// What happened, to what, and on whose behalf (§6.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEvent {
    /// When (RFC 3339).
    pub timestamp: String,
    /// What it belongs to (§6.5).
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub trace_id: Nullable<String>,
    /// What happened.
    pub event_type: AuditEventType,
    /// On whose behalf.
    pub actor: AuditActor,
    /// To what.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub target: Nullable<AuditTarget>,
    /// How it ended.
    pub result: AuditResult,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<RawObject>,
    /// What MGP says about the message; `seq` in a forwarded event.
    #[serde(rename = "_mgp", default, skip_serializing_if = "Option::is_none")]
    pub mgp: Option<RawObject>,
}

impl AuditEvent {
    /// The event's number among those that one receiver got.
    #[must_use]
    pub fn seq(&self) -> Option<u64> {
        self.mgp.as_ref()?.decode("seq").ok().flatten()
    }
}

/// On whose behalf something happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditActor {
    /// What kind of actor.
    #[serde(rename = "type")]
    pub kind: ActorType,
    /// Which one.
    pub id: String,
}

/// What something happened to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AuditTarget {
    /// The server.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub server_id: Nullable<String>,
    /// The tool.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub tool_name: Nullable<String>,
}
