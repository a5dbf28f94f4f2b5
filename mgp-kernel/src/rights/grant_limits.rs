//! The gate of limited approvals (§3.6): if its limits are not enforced, an approval is not valid.

use super::rights::Rights;
use mgp_transport::seam::{Decision, Judge, Refusal, RefusalKind, ToolCall};
use mgp_types::error::ErrorCode;
use std::sync::Arc;

/// The gate that refuses calls whose tool needs a permission with limits that the server's process does not have.
#[derive(Debug, Clone)]
pub(crate) struct GrantLimits(pub(crate) Arc<Rights>);

impl Judge for GrantLimits {
    fn judge(&self, call: &ToolCall) -> Decision {
        self.0.judge_limits(call).map_or_else(Into::into, |()| Decision::Allow)
    }
}

impl Rights {
    /// Judges a call by the limits of the approvals that its tool needs.
    ///
    /// # Errors
    /// The refusal, which names a way to enforce the limits.
    pub(crate) fn judge_limits(&self, call: &ToolCall) -> Result<(), Refusal> {
        let tool = &call.target.tool;
        for permission in &call.profile.permissions {
            let Some(scope) = self.permissions.scope(&tool.server_id, permission) else { continue };
            let tools = self.tools.upgrade();
            let enforced = tools.map_or(Ok(()), |tools| tools.enforces_limits(tool, permission, &scope));
            let Err(reason) = enforced else { continue };
            let text = format!(
                "the permission {permission} of server {:?} is limited to {scope}, {reason}",
                tool.server_id
            );
            return Err(Refusal::new(RefusalKind::Permission, ErrorCode::PermissionDenied.error(text)));
        }
        Ok(())
    }
}
