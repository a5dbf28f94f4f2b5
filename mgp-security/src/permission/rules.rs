//! §3.3 What the configuration says of permissions.

use mgp_types::permission::{Permission, PermissionPolicy};
use std::collections::{HashMap, HashSet};

/// What the configuration says of permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionRules {
    /// What happens to a permission that nobody decided on.
    pub policy: PermissionPolicy,
    /// Permissions that are approved, by server.
    pub approved: HashMap<String, HashSet<Permission>>,
    /// Permissions that `auto_approve` does not approve; the operator is asked.
    pub exceptions: HashSet<Permission>,
}

impl PermissionRules {
    /// A policy, with nothing approved.
    #[must_use]
    pub fn new(policy: PermissionPolicy) -> Self {
        Self { policy, approved: HashMap::new(), exceptions: HashSet::new() }
    }

    /// The same, with a permission of a server approved.
    #[must_use]
    pub fn approve(mut self, server_id: &str, permission: Permission) -> Self {
        self.approved.entry(server_id.to_owned()).or_default().insert(permission);
        self
    }

    /// The same, with a permission that `auto_approve` does not approve.
    #[must_use]
    pub fn except(mut self, permission: Permission) -> Self {
        self.exceptions.insert(permission);
        self
    }

    pub(super) fn approves(&self, server_id: &str, permission: &Permission) -> bool {
        self.approved.get(server_id).is_some_and(|approved| approved.contains(permission))
    }
}
