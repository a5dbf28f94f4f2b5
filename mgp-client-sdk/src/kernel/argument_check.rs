//! The gate that checks that arguments are an object and, where the configuration or the call asks for it, that they fit their tool's input
//! schema.

use super::{
    dry_run::DryRunForm,
    tools::{ToolEntry, check_object},
};
use mgp_transport::seam::{Decision, Judge, Refusal, RefusalKind, ToolCall};

/// The mark of a call whose host asks for the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CheckArguments;

/// The gate that refuses calls whose arguments are no object, or do not fit their tool's input schema, before anybody is asked about them.
///
/// Where it does not check against the schema, the tool's server does, and a dry run.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArgumentCheck {
    /// True if the arguments of every call are checked against the schema; false for those alone whose host asks for it.
    pub(super) of_every_call: bool,
}

impl Judge for ArgumentCheck {
    fn judge(&self, call: &ToolCall) -> Decision {
        if let Err(error) = check_object(call.arguments()) {
            return Refusal::new(RefusalKind::Validation, error).into();
        }
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
