//! An approved permission that confinement enforces.

use mgp_types::permission::{GrantScope, StandardPermission};

/// An approved permission, with the limits of the approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantedPermission {
    /// The permission.
    pub permission: StandardPermission,
    /// The limits; `None` if there are none.
    pub scope: Option<GrantScope>,
}

impl From<StandardPermission> for GrantedPermission {
    fn from(permission: StandardPermission) -> Self {
        Self { permission, scope: None }
    }
}
