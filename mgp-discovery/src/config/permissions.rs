//! `[permissions]`: the policy for decisions on permissions, and the decisions made in advance (§3.3).

use mgp_types::permission::PermissionPolicy;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The `[permissions]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct PermissionsConfig {
    /// The way in which undecided permissions are decided, see [Policies](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#policies).
    /// Default: `interactive`. Where no one can be asked, a call is refused at once, and `mgp approve` decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<PermissionPolicy>,
    /// The permissions that are already approved for the server with that id.
    pub approved: BTreeMap<String, Vec<String>>,
    /// Permissions that `auto_approve` does not approve. The operator is asked for them.
    pub exceptions: Vec<String>,
    /// The longest time that a call waits for all its approvals, in milliseconds. See [Waiting for
    /// approvals](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#waiting-for-approvals).
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 3_600_000)))]
    pub wait_ms: u64,
    /// The time in seconds for which a question about a call stays open for `mgp approve`, and for which an unused approval of one call lasts.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 2_592_000)))]
    pub decision_timeout_secs: u64,
    /// The lifetime of an operator's approval, in seconds. Default: without end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 3_155_760_000_u64)))]
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
