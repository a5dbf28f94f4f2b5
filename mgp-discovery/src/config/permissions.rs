//! `[permissions]`: the policy for decisions on permissions, and the decisions made in advance (§3.3).

use mgp_types::permission::PermissionPolicy;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The `[permissions]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PermissionsConfig {
    /// The policy. `None` means `interactive`. If nobody can be asked, a call is then refused at once and the permission waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<PermissionPolicy>,
    /// The permissions that are approved in advance: names, by server id.
    pub approved: BTreeMap<String, Vec<String>>,
    /// The permissions that `auto_approve` does not approve: the operator is asked instead.
    pub exceptions: Vec<String>,
    /// The time that a call waits for the approvals that it needs, in milliseconds.
    pub wait_ms: u64,
    /// The time in seconds for which a question about one call stays open, and for which an unused approval of one call is valid.
    pub decision_timeout_secs: u64,
    /// The time for which an approval is valid, in seconds. `None` means no expiry.
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
