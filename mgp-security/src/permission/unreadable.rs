//! Decisions on permissions that cannot be read.

use mgp_types::permission::Permission;
use std::fmt;

/// A stored decision or question that cannot be read, for example after it was edited by hand. It approves nothing: every permission
/// that it may be about is denied, unless another row is about that permission. An unreadable server or permission stands for all of
/// them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadablePermission {
    /// The server, if it can be read.
    pub server_id: Option<String>,
    /// The permission, if it can be read.
    pub permission: Option<Permission>,
    /// The problem that keeps the row from being read.
    pub problem: String,
}

impl UnreadablePermission {
    /// Returns whether the row may be about a permission of a server.
    pub(super) fn may_be_about(&self, server_id: &str, permission: &Permission) -> bool {
        self.server_id.as_deref().is_none_or(|own| own == server_id)
            && self.permission.as_ref().is_none_or(|own| own == permission)
    }
}

impl fmt::Display for UnreadablePermission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let server = self.server_id.as_deref().unwrap_or("?");
        let permission = self.permission.as_ref().map_or("?", Permission::as_str);
        let problem = &self.problem;
        write!(
            f,
            "a decision on the permission {permission} of server {server:?} cannot be read ({problem}): it counts as denied until it \
             is made anew or taken back"
        )
    }
}
