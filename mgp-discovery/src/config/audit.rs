//! `[audit]`: which audit events are stored, and how durably (§6).

use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// The `[audit]` table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AuditConfig {
    /// The failures that a stored event survives.
    pub synchronous: Synchronous,
    /// The calls before which an event is stored.
    pub before: AuditBefore,
    /// The id of the server to which all events are forwarded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The age in days at which events are removed. `None` keeps them forever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_days: Option<NonZeroU32>,
    /// The size of the trail in megabytes above which the oldest events are removed. `None` means no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_mb: Option<NonZeroU32>,
}

/// The calls before which an event is stored, in addition to the one at their end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AuditBefore {
    /// None.
    Off,
    /// Calls of dangerous tools.
    #[default]
    Dangerous,
    /// All calls.
    All,
}

/// The failures that a stored event survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Synchronous {
    /// The end of the process, `kill -9` included.
    #[default]
    Normal,
    /// A loss of power too, at the price of a disk flush for each group of events.
    Full,
}
