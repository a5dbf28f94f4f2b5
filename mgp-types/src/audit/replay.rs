//! `mgp/audit/replay`: the stored events from a point on.

use super::AuditEvent;
use serde::{Deserialize, Serialize};

calls! {
    /// Asks for stored events from a point on.
    call ReplayAudit = "mgp/audit/replay": AuditReplayParams => AuditReplayResult;
}

/// From where on, and how many. A number stands above a time; with neither it is all events.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AuditReplayParams {
    /// Events after this number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_seq: Option<u64>,
    /// Events from this time on (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_timestamp: Option<String>,
    /// How many at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// The events, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AuditReplayResult {
    /// The events.
    pub events: Vec<AuditEvent>,
    /// Whether there are more.
    pub has_more: bool,
    /// The `since_seq` that goes on from here.
    pub next_seq: u64,
}
