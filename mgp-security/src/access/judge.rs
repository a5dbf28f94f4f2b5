//! The gate of access control.

use super::AccessControl;
use mgp_transport::seam::{Decision, Judge, Refusal, RefusalKind, ToolCall};
use mgp_types::error::ErrorCode;

/// Refuses calls of tools that the caller, or an agent that it acts for, may not use.
impl Judge for AccessControl {
    fn judge(&self, call: &ToolCall) -> Decision {
        let Err(denial) = self.authorize(&call.principal, &call.target.tool) else { return Decision::Allow };
        let error = ErrorCode::AccessDenied.error(denial.of_call(&call.target.called_as));
        Refusal::new(RefusalKind::Access, error).into()
    }
}
