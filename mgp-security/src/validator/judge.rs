//! The gate that runs the validators.

use super::{Input, Leaf, Validators, Violation, input::leaves_of, registry::asked_for};
use crate::profile::Leaves;
use mgp_transport::seam::{Decision, Judge, Refusal, ToolCall};
use mgp_types::{json::read_deep, rpc::ErrorObject};

/// Refuses calls whose arguments are rejected by a validator of their tool.
impl Judge for Validators {
    fn judge(&self, call: &ToolCall) -> Decision {
        let profile = &*call.profile;
        let names: Vec<&str> = asked_for(profile).collect();
        if names.is_empty() {
            return Decision::Allow;
        }
        let checked = read_leaves(call, &profile.leaves).and_then(|leaves| {
            call.record.update(|record| record.validator = Some(names.join("+")));
            self.check(&Input { leaves: &leaves, profile })
        });
        checked.map_err(Refusal::from).into()
    }
}

/// Reads the leaves of the arguments. Arguments that can be read in more than one way are refused.
fn read_leaves(call: &ToolCall, which: &Leaves) -> Result<Vec<Leaf>, Violation> {
    let unreadable = |error: String| Violation::new("the arguments cannot be read", vec![error]);
    let params = call.params.object().map_err(|ErrorObject { message, .. }| unreadable(message))?;
    let Some(arguments) = params.get("arguments") else { return Ok(Vec::new()) };
    let deep = read_deep(arguments).map_err(|error| unreadable(error.to_string()))?;
    leaves_of(&deep, arguments.as_bytes().len(), which).map_err(unreadable)
}
