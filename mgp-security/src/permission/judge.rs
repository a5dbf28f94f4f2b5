//! The gate of permissions.

use super::{
    PermissionQuestion, Permissions,
    evaluate::{ApprovedBy, Outcome, Standing},
    settle::{CallObstacle, settle},
    wait::Wait,
};
use crate::audit::in_trace;
use mgp_transport::seam::{Decision, Judge, Refusal, RefusalKind, ToolCall};
use mgp_types::{
    context::RiskLevel,
    error::ErrorCode,
    json::{RawJson, RawObject},
    permission::{Permission, PermissionState},
    rpc::ErrorObject,
};

/// Refuses calls whose tool needs a permission that is not approved, after asking for it if the policy says so.
impl Judge for Permissions {
    fn judge(&self, call: &ToolCall) -> Decision {
        if call.dry_run {
            return self.foresee(call).into();
        }
        match self.missing(call) {
            Ok(None) => Decision::Allow,
            Ok(Some((_, true))) => {
                let (permissions, call) = (self.clone(), call.clone());
                Decision::wait(async move {
                    // The principal in the record, which the event of the call names.
                    let trace = call.record.update(|record| record.trace.clone());
                    in_trace(trace.or_else(|| call.trace.clone()), permissions.settle_all(&call)).await
                })
            }
            Ok(Some((permission, false))) => self.refuse_missing(call, permission).into(),
            Err(refusal) => refusal.into(),
        }
    }
}

impl Permissions {
    /// Judges a call after its wait by the present decisions. Nobody is asked.
    ///
    /// # Errors
    /// The refusal, if a permission that the tool needs is not approved.
    pub fn judge_again(&self, call: &ToolCall) -> Result<(), Refusal> {
        match self.missing(call)? {
            None => Ok(()),
            Some((permission, _)) => Err(self.refuse_missing(call, permission)),
        }
    }

    /// Checks that all names that a call's tool needs are permissions.
    ///
    /// # Errors
    /// The refusal, which names the first other name.
    pub(super) fn check_names(call: &ToolCall) -> Result<(), Refusal> {
        let Some(name) = call.profile.invalid_permissions.first() else { return Ok(()) };
        let shown: String = name.chars().take(64).collect();
        let error = ErrorCode::PermissionDenied
            .error(format!("tool {:?} needs {shown:?}, which is not a permission", call.target.called_as));
        Err(Refusal::new(RefusalKind::Permission, error))
    }

    /// Returns the first permission of a call's tool that is not approved, and whether the approver may be asked for it.
    ///
    /// # Errors
    /// The refusal, if the tool needs a name that is not a permission.
    fn missing<'a>(&self, call: &'a ToolCall) -> Result<Option<(&'a Permission, bool)>, Refusal> {
        Self::check_names(call)?;
        for permission in &call.profile.permissions {
            let standing = self.standing_for(call, permission);
            let asks = match standing.outcome {
                Outcome::Approved(_) => continue,
                Outcome::Refused(_) => standing.ran_out.is_some(),
                Outcome::Ask | Outcome::Approve | Outcome::Deny => true,
            };
            let is_denied =
                matches!(standing.outcome, Outcome::Refused(PermissionState::Denied) | Outcome::Deny);
            if !is_denied && call.record.update(|record| record.granted_once.contains(permission)) {
                continue;
            }
            return Ok(Some((permission, asks)));
        }
        Ok(None)
    }

    /// Returns the status of a permission for a call. For a tool of the caller's own session (§16.6), a decision by the policy is not
    /// stored: the approval was recorded when the tool was made, it is the same for each call, and it ends with the session.
    pub(super) fn standing_for(&self, call: &ToolCall, permission: &Permission) -> Standing {
        let standing = self.0.standing(&call.target.tool.server_id, permission);
        match standing.outcome {
            Outcome::Approve if call.principal.session().is_some() => {
                Standing { outcome: Outcome::Approved(ApprovedBy::Policy), ran_out: None }
            }
            Outcome::Deny if call.principal.session().is_some() => {
                Standing { outcome: Outcome::Refused(PermissionState::Denied), ran_out: None }
            }
            _ => standing,
        }
    }

    /// Returns the permission whose approval replaces the confirmation of a dangerous call (§4.4), and the source of that approval.
    ///
    /// The permission must itself be dangerous (§3.2): the server chooses the permissions that its tools name, so an approval of a
    /// lesser one means nothing here. Returns `None` if one of several dangerous permissions is not approved.
    pub(super) fn stands_for_confirmation<'a>(
        &self,
        call: &'a ToolCall,
    ) -> Option<(&'a Permission, ApprovedBy)> {
        let mut first = None;
        let permissions = call.profile.permissions.iter();
        for permission in permissions.filter(|one| one.risk() == Some(RiskLevel::Dangerous)) {
            match self.standing_for(call, permission).outcome {
                Outcome::Approved(by) => first = first.or(Some((permission, by))),
                _ => return None,
            }
        }
        first
    }

    fn refuse_missing(&self, call: &ToolCall, permission: &Permission) -> Refusal {
        self.refuse(call, permission, self.state(&call.target.tool.server_id, permission))
    }

    /// Settles every permission that a call needs.
    ///
    /// # Errors
    /// The refusal, if one of them is not approved.
    async fn settle_all(&self, call: &ToolCall) -> Result<(), Refusal> {
        let wait = Wait::of(call, self.0.wait);
        for permission in &call.profile.permissions {
            let question = PermissionQuestion {
                request_id: String::new(),
                target: (*call.target).clone(),
                permission: permission.clone(),
                risk: call.profile.risk,
                grant_lifetime: self.0.grant_lifetime,
                principal: Some(call.principal.clone()),
                peer: call.peer().cloned(),
            };
            let settled = settle(&self.0, question, &wait).await;
            if let Some(by) = settled.map_err(|error| self.unsettled(call, permission, &error))? {
                let granted: RawObject = [
                    ("permission", RawJson::string(permission.as_str())),
                    ("by", RawJson::string(by.as_str())),
                ]
                .into_iter()
                .collect();
                call.record.update(|record| {
                    record.details.push(("granted_once", granted.to_json()));
                    record.granted_once.push(permission.clone());
                });
            }
        }
        Ok(())
    }

    fn unsettled(&self, call: &ToolCall, permission: &Permission, error: &CallObstacle) -> Refusal {
        match error {
            CallObstacle::Refused(state) => self.refuse(call, permission, *state),
            CallObstacle::Cancelled => {
                Refusal::cancelled(RefusalKind::Permission, "cancelled while it waited for an approval")
            }
            CallObstacle::Busy => {
                let error = ErrorCode::ResourceExhausted.error(error.to_string());
                Refusal::new(RefusalKind::Permission, error)
            }
            CallObstacle::Store(_) | CallObstacle::Audit(_) => {
                Refusal::new(RefusalKind::Permission, ErrorObject::internal(error.to_string()))
            }
        }
    }
}
