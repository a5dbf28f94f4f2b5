//! `[permissions]`: who decides on permissions, and what is decided already (§3.3).

use mgp_types::permission::PermissionPolicy;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The `[permissions]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PermissionsConfig {
    /// Who decides; `interactive` where somebody can be asked and `deny_all` elsewhere where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<PermissionPolicy>,
    /// What is approved already: by server id, the permissions by name.
    pub approved: BTreeMap<String, Vec<String>>,
    /// What `auto_approve` does not approve: the operator is asked.
    pub exceptions: Vec<String>,
    /// The time that a call waits for the approvals that it needs, in milliseconds.
    pub wait_ms: u64,
    /// How long a question whether a call may be made stays open, in seconds, and an approval of one call that nobody makes.
    pub decision_timeout_secs: u64,
    /// How long an approval holds, in seconds; without end where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_lifetime_secs: Option<u64>,
}

impl Default for PermissionsConfig {
    fn default() -> Self {
        Self {
            policy: None,
            approved: BTreeMap::new(),
            exceptions: Vec::new(),
            // Less than the minute after which hosts give up.
            wait_ms: 45_000,
            decision_timeout_secs: 86_400,
            grant_lifetime_secs: None,
        }
    }
}
