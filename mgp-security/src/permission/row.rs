//! One permission of one server, as it is stored.

use super::Replaces;
use jiff::Timestamp;
use mgp_types::permission::{Permission, PermissionState};

/// Where one permission of one server stands. There is one row for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionRow {
    /// The server.
    pub server_id: String,
    /// The permission.
    pub permission: Permission,
    /// Where it stands; `deferred` is a question that nobody has answered.
    pub state: PermissionState,
    /// The id of the question.
    pub request_id: String,
    /// The tool that was called when the question arose.
    pub tool_name: Option<String>,
    /// When the question arose.
    pub asked_at: Timestamp,
    /// Who decided.
    pub decided_by: Option<String>,
    /// When it was decided.
    pub decided_at: Option<Timestamp>,
    /// When the approval runs out.
    pub expires_at: Option<Timestamp>,
    /// Whether the policy approved it, and no human: it counts only while that policy holds.
    pub by_policy: bool,
}

impl PermissionRow {
    /// A question that arises now.
    #[must_use]
    pub fn question(server_id: &str, permission: &Permission, tool_name: Option<&str>) -> Self {
        Self {
            server_id: server_id.to_owned(),
            permission: permission.clone(),
            state: PermissionState::Deferred,
            request_id: format!("perm-{}", uuid::Uuid::now_v7()),
            tool_name: tool_name.map(str::to_owned),
            asked_at: Timestamp::now(),
            decided_by: None,
            decided_at: None,
            expires_at: None,
            by_policy: false,
        }
    }

    /// A row that [cannot be read](super::UnreadablePermission): it counts as denied, by nobody.
    pub(super) fn unreadable(server_id: &str, permission: &Permission) -> Self {
        Self { state: PermissionState::Denied, ..Self::question(server_id, permission, None) }
    }

    /// The same question with its answer.
    #[must_use]
    pub fn decided(self, state: PermissionState, by: &str, expires_at: Option<Timestamp>) -> Self {
        Self {
            state,
            decided_by: Some(by.to_owned()),
            decided_at: Some(Timestamp::now()),
            expires_at,
            by_policy: false,
            ..self
        }
    }

    /// Whether another row may take the place of this one: no human has decided, and it is not one question in place of
    /// another.
    #[must_use]
    pub fn gives_way_to(&self, other: &Self) -> bool {
        let both_ask = self.state == PermissionState::Deferred && other.state == PermissionState::Deferred;
        self.is_undecided() && (self.by_policy || !both_ask)
    }

    /// Returns whether a decision takes the place of this row.
    #[must_use]
    pub(super) fn is_replaced_by(&self, replaces: Replaces) -> bool {
        match replaces {
            Replaces::Questions => matches!(self.state, PermissionState::Deferred | PermissionState::Expired),
            Replaces::Undecided => self.is_undecided(),
            Replaces::All => true,
        }
    }

    /// Whether no human has decided: an answer to the question may replace it.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.by_policy || matches!(self.state, PermissionState::Deferred | PermissionState::Expired)
    }
}
