//! Calls of servers that use the extension proposals' form.

use super::outcome::SendState;
use crate::{ground::answer_details::KERNEL_TEXT, upstream::Link};
use mgp_security::confirmed::is_confirmed;
use mgp_transport::seam::{CallRecord, Incoming, ToolCall};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::CallToolResult,
    proposals::{self, WantedConfirmation},
    rpc::RawResult,
    tool_result::RESULT_KEY,
};

/// Writes the members that a server reads in the proposals' form, and the confirmation of a confirmed call.
pub(super) fn write(params: &mut RawObject, message: &Incoming) {
    let Some(call) = ToolCall::of(message) else { return };
    proposals::write_members(params);
    // Checked regardless of the call's context: the confirmation only covers the arguments that are sent.
    if is_confirmed(&call.record, &call.target.tool, params.get("arguments")) {
        call.options().confirmation.clone().unwrap_or_default().write(params);
    }
}

/// Notes in a call's record whether the text of its last result is the kernel's. `made` is the result in MCP's form, if the server's answer had
/// no MCP content.
pub(super) fn note_text(message: &Incoming, answer: &RawResult, made: Option<&RawResult>) {
    let Some(record) = CallRecord::of(message) else { return };
    let is_of_kernel = made.is_some_and(|made| is_failure(made) || names_tool_for_data(answer));
    record.update(|record| {
        record.details.retain(|(name, _)| *name != KERNEL_TEXT);
        if is_of_kernel {
            record.details.push((KERNEL_TEXT, true.into()));
        }
    });
}

/// Returns whether a result made from an answer without MCP content is a failure with an error.
fn is_failure(made: &RawResult) -> bool {
    let error =
        || RawObject::from_json(made).ok()?.object("_meta")?.object(RESULT_KEY)?.get("error").cloned();
    CallToolResult::says_error(made) && error().is_some()
}

/// Returns whether an answer has only the name of another tool instead of data.
fn names_tool_for_data(answer: &RawResult) -> bool {
    RawObject::from_json(answer).is_ok_and(|answer| {
        answer.get("result").is_some_and(RawJson::is_null) && answer.object("suggestion").is_some()
    })
}

/// Notes the properties of the server that an answer without MCP content shows, and the server's request for a confirmation. `was_confirmed` is
/// true if the call was already confirmed. Then only a new token makes another attempt useful.
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
    let Some(wanted) = WantedConfirmation::of(&answer).filter(|_| link.negotiated.is_none()) else { return };
    state.note_ran_nothing();
    let is_granted = ToolCall::of(message).is_some_and(|call| call.options().confirmation.is_some());
    let is_new = !is_granted && (!was_confirmed || wanted.token.is_some());
    if let Some(record) = CallRecord::of(message).filter(|_| is_new) {
        record.update(|record| record.wanted = Some(wanted));
    }
}
