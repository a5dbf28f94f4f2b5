//! The gate that runs the validators.

use super::{Input, Leaf, Validators, Verdict, Violation, input::leaves_of, registry::asked_for};
use crate::{confirmed::is_confirmed, profile::Leaves};
use mgp_transport::seam::{Decision, Judge, Refusal, ToolCall};
use mgp_types::{json::read_deep, rpc::ErrorObject, tool_check::QuestionKind};

/// Refuses calls whose arguments are rejected by a validator of their tool, or of which a validator does not know whether they do harm and
/// nobody confirmed them.
impl Judge for Validators {
    fn judge(&self, call: &ToolCall) -> Decision {
        let profile = &*call.profile;
        let names: Vec<&str> = asked_for(profile).collect();
        if names.is_empty() {
            return Decision::Allow;
        }
        call.record.update(|record| record.validator = Some(names.join("+")));
        match self.verdict(call) {
            Verdict::Pass => Decision::Allow,
            Verdict::Ask(_)
                if is_confirmed(&call.record, &call.target.tool, call.arguments())
                    || would_be_confirmed(call) =>
            {
                Decision::Allow
            }
            Verdict::Ask(violation) | Verdict::Refuse(violation) => Err(Refusal::from(violation)).into(),
        }
    }
}

impl Validators {
    /// Returns why it is not known whether a call does harm, if that is so. Give it to the gate that asks for confirmation before this one.
    #[must_use]
    pub fn doubt(&self, call: &ToolCall) -> Option<String> {
        asked_for(&call.profile).next()?;
        match self.verdict(call) {
            Verdict::Ask(violation) => Some(violation.listed()),
            Verdict::Pass | Verdict::Refuse(_) => None,
        }
    }

    fn verdict(&self, call: &ToolCall) -> Verdict {
        let (profile, deadline) = (&*call.profile, self.deadline());
        match read_leaves(call, &profile.leaves) {
            Ok(leaves) => self.check(&Input { deadline, ..Input::new(&leaves, profile) }),
            Err(violation) => Verdict::Refuse(violation),
        }
    }
}

/// Returns whether the call is a dry run, and somebody would be asked to confirm it.
fn would_be_confirmed(call: &ToolCall) -> bool {
    call.dry_run && call.record.is_question(QuestionKind::Confirmation)
}

/// Reads the leaves of the arguments. Arguments that can be read in more than one way are refused.
fn read_leaves(call: &ToolCall, which: &Leaves) -> Result<Vec<Leaf>, Violation> {
    let unreadable = |error: String| Violation::new("the arguments cannot be read", vec![error]);
    let params = call.params.object().map_err(|ErrorObject { message, .. }| unreadable(message))?;
    let Some(arguments) = params.get("arguments") else { return Ok(Vec::new()) };
    let deep = read_deep(arguments).map_err(|error| unreadable(error.to_string()))?;
    leaves_of(&deep, arguments.as_bytes().len(), which).map_err(unreadable)
}
