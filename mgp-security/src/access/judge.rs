//! The gate of access control.

use super::AccessControl;
use mgp_transport::seam::{Decision, Judge, Refusal, RefusalKind, ToolCall};
use mgp_types::error::{ErrorCode, Recovery};

/// The pause before another attempt if the store cannot be asked, in milliseconds.
const RETRY_AFTER_MS: u64 = 1_000;

/// Refuses calls of tools that the caller, or an agent that it acts for, may not use, and all calls while the store of rules
/// cannot be asked, unless the [snapshot is trusted](AccessControl::set_trusts_snapshot).
impl Judge for AccessControl {
    fn judge(&self, call: &ToolCall) -> Decision {
        if let Some(problem) = self.outage() {
            let message = format!(
                "refused while it cannot be seen whether rights were revoked: {problem}; store.on_outage = \"snapshot\" allows what was allowed before"
            );
            let advice = Recovery::unsent(ErrorCode::ResourceExhausted).after_ms(RETRY_AFTER_MS);
            let error = ErrorCode::ResourceExhausted.error_with(message, advice);
            return Refusal::new(RefusalKind::Access, error).into();
        }
        let Err(denial) = self.authorize_call(call) else { return Decision::Allow };
        Refusal::new(RefusalKind::Access, denial.to_error(&call.target.called_as)).into()
    }
}
