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
    /// How long a question to the operator stays open, in seconds.
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
            decision_timeout_secs: 300,
            grant_lifetime_secs: None,
        }
    }
}
