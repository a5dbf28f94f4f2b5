//! §3.3 The rules of the configuration on permissions.

use mgp_types::permission::{Permission, PermissionPolicy};
use std::collections::{HashMap, HashSet};

/// The rules of the configuration on permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionRules {
    /// The policy for undecided permissions.
    pub policy: PermissionPolicy,
    /// The permissions that are approved, by server.
    pub approved: HashMap<String, HashSet<Permission>>,
    /// The permissions that `auto_approve` does not approve. The operator is asked about them.
    pub exceptions: HashSet<Permission>,
}

impl PermissionRules {
    /// Creates rules with a policy, and without approvals.
    #[must_use]
    pub fn new(policy: PermissionPolicy) -> Self {
        Self { policy, approved: HashMap::new(), exceptions: HashSet::new() }
    }

    /// Approves a permission of a server.
    #[must_use]
    pub fn approve(mut self, server_id: &str, permission: Permission) -> Self {
        self.approved.entry(server_id.to_owned()).or_default().insert(permission);
        self
    }

    /// Excepts a permission from `auto_approve`.
    #[must_use]
    pub fn except(mut self, permission: Permission) -> Self {
        self.exceptions.insert(permission);
        self
    }

    pub(super) fn approves(&self, server_id: &str, permission: &Permission) -> bool {
        self.approved.get(server_id).is_some_and(|approved| approved.contains(permission))
    }
}
