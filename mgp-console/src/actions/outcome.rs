//! A sentence on the state after an action.

use super::{
    agents::{GRANT, REVOKE},
    approvals::{APPROVE, DENY, TAKE_BACK},
};
use crate::{
    page::{Action, Context},
    pages::{decision_outcome, rule_outcome},
};
use maud::Markup;

/// Returns what holds after an action, from what its command prints; `None` for actions that say no more than that they are done.
pub(super) fn outcome(context: &Context, action: &Action, json: &str) -> Option<Markup> {
    if [GRANT.name, REVOKE.name].contains(&action.name) {
        return rule_outcome(context, action.name == REVOKE.name, json);
    }
    if [APPROVE.name, DENY.name, TAKE_BACK.name].contains(&action.name) {
        return decision_outcome(context, action.name == TAKE_BACK.name, json);
    }
    None
}
