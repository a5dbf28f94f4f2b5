//! The rest of a tool's quota.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The rest of the quota that limits a caller's use of a tool most.
///
/// ```
/// use mgp_types::tool_check::ToolQuota;
/// let quota = ToolQuota { remaining: 12, limit: 20, cost: 5, resets_at: "2026-03-16T00:00:00Z".to_owned() };
/// assert_eq!(quota.to_string(), "uses 5 of the 12 units that are left until 2026-03-16T00:00:00Z");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolQuota {
    /// The units that are left.
    pub remaining: u64,
    /// The units that are allowed per day.
    pub limit: u64,
    /// The units that a call spends.
    pub cost: u64,
    /// The time at which the quota is restored (RFC 3339).
    pub resets_at: String,
}

impl fmt::Display for ToolQuota {
    /// Writes the part of a sentence that states the units of a call.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { remaining, cost, resets_at, .. } = self;
        write!(f, "uses {cost} of the {remaining} units that are left until {resets_at}")
    }
}
