//! Tools that wait for a permission.

use super::PermissionState;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The tools of one server that wait for the same permissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WaitingTools {
    /// The server.
    pub server_id: String,
    /// The number of the server's tools that wait.
    pub tools: u64,
    /// The permissions that all of these tools need and do not have.
    pub permissions: Vec<PendingPermission>,
}

/// The most permissions that the sentence about waiting tools names.
const MAX_NAMED: usize = 3;

/// Writes a sentence that names the permissions that the tools wait for, and the command that approves them.
impl fmt::Display for WaitingTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server_id, tools, permissions } = self;
        let (tool, wait) = if *tools == 1 { ("tool", "waits") } else { ("tools", "wait") };
        write!(f, "{tools} {tool} of `{server_id}` {wait} for ")?;
        if permissions.is_empty() {
            return f.write_str("an approval: see `mgp approve`");
        }
        f.write_str(if permissions.len() == 1 { "the permission " } else { "the permissions " })?;
        let named: Vec<&str> =
            permissions.iter().take(MAX_NAMED).map(|one| one.permission.as_str()).collect();
        f.write_str(&named.join(", "))?;
        if permissions.len() > MAX_NAMED {
            // This command covers all open questions of the server.
            return write!(f, " and {} more: `mgp approve {server_id}`", permissions.len() - MAX_NAMED);
        }
        let commands = permissions.iter().map(|one| format!("`mgp approve {}`", one.request_id));
        write!(f, ": {}", commands.collect::<Vec<_>>().join(", "))
    }
}

/// A permission that awaits a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PendingPermission {
    /// The permission.
    pub permission: String,
    /// The id of the open question about the permission.
    pub request_id: String,
    /// The state of the permission: undecided or expired.
    pub state: PermissionState,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_parts_are_listed_with_approving_commands() {
        let sentence = |tools, names: &[&str]| {
            let permission = |name: &&str| PendingPermission {
                permission: (*name).to_owned(),
                request_id: format!("perm-{name}"),
                state: PermissionState::Deferred,
            };
            let permissions = names.iter().map(permission).collect();
            WaitingTools { server_id: "files".into(), tools, permissions }.to_string()
        };
        assert_eq!(
            sentence(14, &["a"]),
            "14 tools of `files` wait for the permission a: `mgp approve perm-a`"
        );
        assert_eq!(
            sentence(1, &["a", "b"]),
            "1 tool of `files` waits for the permissions a, b: `mgp approve perm-a`, `mgp approve perm-b`"
        );
        assert_eq!(
            sentence(2, &["a", "b", "c", "d", "e"]),
            "2 tools of `files` wait for the permissions a, b, c and 2 more: `mgp approve files`"
        );
        assert_eq!(sentence(2, &[]), "2 tools of `files` wait for an approval: see `mgp approve`");
    }
}
