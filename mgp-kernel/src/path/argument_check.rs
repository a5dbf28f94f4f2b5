//! The gate that checks that arguments are an object. If the configuration or the call requires it, the gate also validates them against
//! their tool's input schema.

use crate::catalog::tools::{ArgumentVerdict, ToolEntry, check_object};
use mgp_transport::seam::{Decision, Judge, Refusal, RefusalKind, ToolCall};
use mgp_types::{error::ErrorCode, rpc::ErrorObject};

/// The gate that refuses calls whose arguments are not an object or do not match their tool's input schema, before anybody is asked about
/// them. A schema that cannot be used refuses every call, because callers that request the check rely on it.
///
/// Without a check against the schema here, the tool's server checks the arguments, and so does a dry run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArgumentCheck {
    /// True if the arguments of every call are checked against the schema; false if only on the host's request.
    pub(crate) of_every_call: bool,
}

impl Judge for ArgumentCheck {
    fn judge(&self, call: &ToolCall) -> Decision {
        if let Err(error) = check_object(call.arguments()) {
            return refused(error);
        }
        if let Some(name) = &call.options().fixed_argument {
            return refused(ErrorCode::InvalidToolArgs.error(format!(
                "invalid arguments: {name:?} is set by the operator of the gateway, and calls cannot have it; leave it out"
            )));
        }
        if !self.of_every_call && !call.options().check_arguments {
            return Decision::Allow;
        }
        if call.dry_run && !call.options().judges_arguments(call.arguments()) {
            return Decision::Allow;
        }
        let Some(entry) = ToolEntry::of(call) else {
            return refused(unchecked("the tool has no definition"));
        };
        match entry.check_arguments(call.arguments()) {
            Ok(ArgumentVerdict::Fit) => Decision::Allow,
            Ok(ArgumentVerdict::Unchecked(reason)) => refused(unchecked(reason)),
            Err(error) => refused(error),
        }
    }
}

fn refused(error: ErrorObject) -> Decision {
    Refusal::new(RefusalKind::Validation, error).into()
}

/// Returns the error of a call whose arguments cannot be checked.
fn unchecked(reason: &str) -> ErrorObject {
    ErrorCode::InvalidToolArgs.error(format!(
        "the arguments cannot be checked against the tool's inputSchema: {reason}; expected a schema that can be checked against, or a call \
         without check_arguments where kernel.check_arguments is false"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xtask_testing::TestCall;

    #[test]
    fn a_call_without_a_definition_is_refused_if_checked() {
        for (of_every_call, is_asked_for) in [(false, false), (false, true), (true, false)] {
            let mut call = TestCall::new(r#"{"name":"t","arguments":{}}"#).identified();
            call.options_mut().check_arguments = is_asked_for;
            let gate = ArgumentCheck { of_every_call };
            let refusal = match gate.judge(&call) {
                Decision::Refuse(refusal) => Some((refusal.kind, refusal.reason)),
                _ => None,
            };
            let expected = unchecked("the tool has no definition").message;
            let expected = (of_every_call || is_asked_for).then_some((RefusalKind::Validation, expected));
            assert_eq!(refusal, expected, "{of_every_call} {is_asked_for}");
        }
    }
}
