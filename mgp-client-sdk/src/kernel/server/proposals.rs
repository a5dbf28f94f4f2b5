//! Calls of servers that have the extension proposals' form of them.

use super::{Link, outcome::SendState};
use mgp_security::confirmed::is_confirmed;
use mgp_transport::seam::{CallRecord, Incoming, ToolCall};
use mgp_types::{
    json::RawObject,
    proposals::{self, ConfirmationWish, GivenConfirmation},
    rpc::RawResult,
};

/// The confirmation that a server wanted, in the context of the call that is made again with it.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct GrantedWish(pub(in crate::kernel) GivenConfirmation);

/// Writes the members of a call that its server reads in the proposals' form, and the confirmation of a call that somebody confirmed.
pub(super) fn write(params: &mut RawObject, message: &Incoming) {
    let Some(call) = ToolCall::of(message) else { return };
    proposals::write_members(params);
    // Whatever the call's context says: it is a confirmation only of the arguments that are sent.
    if is_confirmed(&call.record, &call.target.tool, params.get("arguments")) {
        let granted = message.ext.get::<GrantedWish>().map(|GrantedWish(given)| given.clone());
        granted.unwrap_or_default().write(params);
    }
}

/// Notes what an answer without MCP's content shows of its server, and the server's wish that the call be confirmed. `was_confirmed` is true if
/// the call said that it is: then only a token that it did not bring makes another attempt one with a difference.
pub(super) fn note_answer(
    link: &Link,
    message: &Incoming,
    (answer, was_confirmed): (&RawResult, bool),
    state: &SendState,
) {
    let Ok(answer) = RawObject::from_json(answer) else { return };
    if proposals::is_answer(&answer) {
        link.note_proposals();
    }
    let Some(wish) = ConfirmationWish::of(&answer).filter(|_| link.negotiated.is_none()) else { return };
    state.note_ran_nothing();
    let is_new = match message.ext.get::<GrantedWish>() {
        None => !was_confirmed || wish.token.is_some(),
        Some(_) => false,
    };
    if let Some(record) = CallRecord::of(message).filter(|_| is_new) {
        record.update(|record| record.wish = Some(wish));
    }
}
