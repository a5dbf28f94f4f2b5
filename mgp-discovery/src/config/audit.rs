//! `[audit]`: the durability of stored audit events (§6).

use serde::{Deserialize, Serialize};

/// The `[audit]` table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AuditConfig {
    /// The failures that a stored event survives.
    pub synchronous: Synchronous,
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
