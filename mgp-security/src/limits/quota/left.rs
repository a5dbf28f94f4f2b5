//! The rest of a quota.

use jiff::Timestamp;
use mgp_types::json::{RawJson, RawObject};

/// The rest of the quota that leaves a caller the least of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemainingQuota {
    /// The units that are left.
    pub remaining: u64,
    /// The units that are allowed a day.
    pub limit: u64,
    /// The units that a call of the tool spends.
    pub cost: u64,
    /// The time at which the quota is whole again.
    pub resets_at: Timestamp,
}

impl RemainingQuota {
    /// Returns the members by which a list shows it: `remaining` and `resets_at`.
    #[must_use]
    pub fn to_object(&self) -> RawObject {
        let mut quota = RawObject::new();
        // A number: writing cannot fail.
        if let Ok(remaining) = RawJson::from_value(&self.remaining) {
            quota.insert("remaining", remaining);
        }
        quota.insert("resets_at", RawJson::string(&self.resets_at.to_string()));
        quota
    }
}
