//! The gate of access control.

use super::AccessControl;
use mgp_transport::seam::{Decision, Judge, Refusal, RefusalKind, ToolCall};

/// Refuses calls of tools that the caller, or an agent that it acts for, may not use, and all calls that access control does not
/// [admit](AccessControl::admit).
impl Judge for AccessControl {
    fn judge(&self, call: &ToolCall) -> Decision {
        if let Err(error) = self.admit() {
            return Refusal::new(RefusalKind::Access, error).into();
        }
        let Err(denial) = self.authorize_call(call) else { return Decision::Allow };
        Refusal::new(RefusalKind::Access, denial.to_error(&call.target.called_as)).into()
    }
}
