//! `mgp/audit/replay`: stored events from a given point.

use super::AuditEvent;
use serde::{Deserialize, Serialize};

calls! {
    /// Asks for stored events from a given point.
    call ReplayAudit = "mgp/audit/replay": AuditReplayParams => AuditReplayResult;
}

/// The events to replay: all of them by default. A number takes precedence over a time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditReplayParams {
    /// Events after this number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_seq: Option<u64>,
    /// Events from this time on (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_timestamp: Option<String>,
    /// The most events that are returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The trail whose events are returned, of several in one database. Default: the trail of the kernel that answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trail: Option<String>,
}

/// The events, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditReplayResult {
    /// The events.
    pub events: Vec<AuditEvent>,
    /// True if there are more events.
    pub has_more: bool,
    /// The `since_seq` with which to continue.
    pub next_seq: u64,
    /// The trail that the numbers belong to, with which to continue, if it is one of several in one database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trail: Option<String>,
}
