//! The gate that checks arguments against their tool's input schema, where the configuration or the call asks for it.

use super::{dry_run::DryRunForm, tools::ToolEntry};
use mgp_transport::seam::{Decision, Judge, Refusal, RefusalKind, ToolCall};

/// The mark of a call whose host asks for the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CheckArguments;

/// The gate that refuses calls whose arguments do not fit their tool's input schema, before anybody is asked about them.
///
/// Without it the tool's server checks them, and a dry run does.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArgumentCheck {
    /// True if the arguments of every call are checked; false for those alone whose host asks for it.
    pub(super) of_every_call: bool,
}

impl Judge for ArgumentCheck {
    fn judge(&self, call: &ToolCall) -> Decision {
        if !self.of_every_call && call.ext.get::<CheckArguments>().is_none() {
            return Decision::Allow;
        }
        if call.dry_run && !DryRunForm::judges_arguments(call.ext.get(), call.arguments()) {
            return Decision::Allow;
        }
        let entry = call.route.as_ref().and_then(|route| route.downcast_ref::<ToolEntry>());
        match entry.map_or(Ok(()), |entry| entry.check_arguments(call.arguments())) {
            Ok(()) => Decision::Allow,
            Err(error) => Refusal::new(RefusalKind::Validation, error).into(),
        }
    }
}
