//! The permissions of a call in a dry run: nobody is asked, and nothing is stored.

use super::{Permissions, evaluate::Outcome, settle::MAX_OPEN_OF_SERVER};
use mgp_transport::seam::{Refusal, ToolCall};
use mgp_types::{
    context::RiskLevel,
    permission::{Permission, PermissionState},
    tool_check::{CallQuestion, QuestionKind},
};

impl Permissions {
    /// Judges a call as [`judge`](mgp_transport::seam::Judge::judge) does, and notes in its record the questions that would be asked.
    ///
    /// # Errors
    /// The refusal, if no answer to a question would let the call go.
    pub(super) fn foresee(&self, call: &ToolCall) -> Result<(), Refusal> {
        Self::check_names(call)?;
        for permission in &call.profile.permissions {
            match self.standing_for(call, permission).outcome {
                Outcome::Approved(_) | Outcome::Approve => {}
                Outcome::Refused(state) => return Err(self.refuse(call, permission, state)),
                Outcome::Deny => return Err(self.refuse(call, permission, PermissionState::Denied)),
                Outcome::Ask if !self.has_room(call, permission) => {
                    return Err(self.refuse(call, permission, PermissionState::Deferred));
                }
                Outcome::Ask => call.record.would_ask(self.foreseen(call, permission)),
            }
        }
        Ok(())
    }

    /// Returns whether the call needs dangerous permissions, and each of them is approved or would be approved by the answers to its
    /// questions. Such an approval [replaces the confirmation](Permissions::stands_for_confirmation) of the call.
    pub(super) fn would_stand_for_confirmation(&self, call: &ToolCall) -> bool {
        let needed = call.profile.permissions.iter();
        let mut dangerous = needed.filter(|one| one.risk() == Some(RiskLevel::Dangerous)).peekable();
        dangerous.peek().is_some()
            && dangerous.all(|permission| {
                !matches!(self.standing_for(call, permission).outcome, Outcome::Refused(_) | Outcome::Deny)
            })
    }

    /// Returns whether there is room for the question.
    fn has_room(&self, call: &ToolCall, permission: &Permission) -> bool {
        let server_id = &call.target.tool.server_id;
        self.0.row(server_id, permission).is_some() || self.0.open_questions(server_id) < MAX_OPEN_OF_SERVER
    }

    fn foreseen(&self, call: &ToolCall, permission: &Permission) -> CallQuestion {
        let server_id = &call.target.tool.server_id;
        let reason =
            format!("server {server_id:?} needs the permission {permission}, which is not decided yet");
        let open = self.0.row(server_id, permission).filter(|row| row.state == PermissionState::Deferred);
        CallQuestion {
            permission: Some(permission.as_str().to_owned()),
            risk_level: Some(call.profile.risk),
            request_id: open.map(|row| row.request_id.clone()),
            ..CallQuestion::new(QuestionKind::Permission, reason)
        }
    }
}
