//! §3.5 and §3.6: asking a server to wait, and telling it what was decided. Both are requests from client to server.

use super::{PermissionDecision, PermissionPolicy};
use serde::{Deserialize, Serialize};

calls! {
    /// Asks a server to wait for a decision (§3.5).
    control RequestPermission = "mgp/permission/request": PermissionRequestParams => PermissionAck;
    /// The later name of [`RequestPermission`].
    control AwaitPermission = "mgp/permission/await": PermissionRequestParams => PermissionAck;
    /// Tells a server what was decided (§3.6).
    control RespondPermission = "mgp/permission/response": PermissionDecision => PermissionAck;
    /// The later name of [`RespondPermission`].
    control GrantPermission = "mgp/permission/grant": PermissionDecision => PermissionAck;
}

/// Every accepted name of the request that asks a server to wait.
pub const REQUEST_METHODS: [&str; 2] = ["mgp/permission/request", "mgp/permission/await"];

/// Every accepted name of the request that tells what was decided.
pub const DECISION_METHODS: [&str; 2] = ["mgp/permission/response", "mgp/permission/grant"];

/// What is being decided on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionRequestParams {
    /// The id that the decision will carry.
    pub request_id: String,
    /// The permissions, by name.
    pub permissions: Vec<String>,
    /// Who decides.
    pub policy: PermissionPolicy,
    /// What to tell people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The server has heard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionAck {
    /// Which request it is about.
    pub request_id: String,
    /// Always true.
    pub acknowledged: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::Call;

    #[test]
    fn all_four_names_are_accepted() {
        assert_eq!(REQUEST_METHODS, [RequestPermission::METHOD, AwaitPermission::METHOD]);
        assert_eq!(DECISION_METHODS, [RespondPermission::METHOD, GrantPermission::METHOD]);
    }
}
