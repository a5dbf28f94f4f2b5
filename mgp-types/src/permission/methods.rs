//! §3.5 and §3.6: asking a server to wait, and sending it the decision. Both are requests from client to server.

use super::{PermissionDecision, PermissionPolicy};
use serde::{Deserialize, Serialize};

calls! {
    /// Asks a server to wait for a decision (§3.5).
    control RequestPermission = "mgp/permission/request": PermissionRequestParams => PermissionAck;
    /// The later name of [`RequestPermission`].
    control AwaitPermission = "mgp/permission/await": PermissionRequestParams => PermissionAck;
    /// Sends the decision to a server (§3.6).
    control RespondPermission = "mgp/permission/response": PermissionDecision => PermissionAck;
    /// The later name of [`RespondPermission`].
    control GrantPermission = "mgp/permission/grant": PermissionDecision => PermissionAck;
}

/// Every accepted name of the request that asks a server to wait.
pub const REQUEST_METHODS: [&str; 2] = ["mgp/permission/request", "mgp/permission/await"];

/// Every accepted name of the request that sends the decision to a server.
pub const DECISION_METHODS: [&str; 2] = ["mgp/permission/response", "mgp/permission/grant"];

/// The permissions to decide on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PermissionRequestParams {
    /// The id that the decision carries.
    pub request_id: String,
    /// The permissions, by name.
    pub permissions: Vec<String>,
    /// The policy by which the decision is made.
    pub policy: PermissionPolicy,
    /// A message to people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The server's acknowledgement of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PermissionAck {
    /// The id of the request.
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
