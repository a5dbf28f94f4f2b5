//! A permission of a server, as it is stored.

use jiff::Timestamp;
use mgp_types::permission::{GrantScope, Permission, PermissionState};

/// A permission of a server, with its state. There is one row for each permission of each server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionRow {
    /// The server.
    pub server_id: String,
    /// The permission.
    pub permission: Permission,
    /// The state of the permission. `Deferred` is an unanswered question.
    pub state: PermissionState,
    /// The id of the question.
    pub request_id: String,
    /// The tool that was called when the question arose.
    pub tool_name: Option<String>,
    /// The time at which the question arose.
    pub asked_at: Timestamp,
    /// The name of the decider.
    pub decided_by: Option<String>,
    /// The time of the decision.
    pub decided_at: Option<Timestamp>,
    /// The time at which the approval expires. `None` if it does not expire.
    pub expires_at: Option<Timestamp>,
    /// The limits of the approval. `None` if it has none.
    pub scope: Option<GrantScope>,
    /// True if the policy decided, not a human. Such a decision counts only while that policy is in force.
    pub by_policy: bool,
}

impl PermissionRow {
    /// Creates the row of a question that arises now.
    #[must_use]
    pub fn question(server_id: &str, permission: &Permission, tool_name: Option<&str>) -> Self {
        Self {
            server_id: server_id.to_owned(),
            permission: permission.clone(),
            state: PermissionState::Deferred,
            request_id: format!("perm-{}", uuid::Uuid::now_v7()),
            tool_name: tool_name.map(str::to_owned),
            asked_at: stored(Timestamp::now()),
            decided_by: None,
            decided_at: None,
            expires_at: None,
            scope: None,
            by_policy: false,
        }
    }

    /// Creates a row for one that [cannot be read](super::UnreadablePermission): its permission counts as denied, by nobody.
    pub(super) fn unreadable(server_id: &str, permission: &Permission) -> Self {
        Self { state: PermissionState::Denied, ..Self::question(server_id, permission, None) }
    }

    /// Returns the same question with its answer.
    #[must_use]
    pub fn decided(self, state: PermissionState, by: &str, expires_at: Option<Timestamp>) -> Self {
        Self {
            state,
            decided_by: Some(by.to_owned()),
            decided_at: Some(stored(Timestamp::now())),
            expires_at: expires_at.map(stored),
            scope: None,
            by_policy: false,
            ..self
        }
    }

    /// Limits the approval.
    #[must_use]
    pub fn limited(self, scope: Option<GrantScope>) -> Self {
        Self { scope, ..self }
    }

    /// Returns `true` if no human has decided, so that an answer to the question may replace this row.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.by_policy || matches!(self.state, PermissionState::Deferred | PermissionState::Expired)
    }
}

/// Returns a time as stores keep it: in microseconds.
fn stored(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time)
}
