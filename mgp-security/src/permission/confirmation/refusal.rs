//! The refusals of calls that are not confirmed.

use super::{Bound, ConfirmationRow, ConfirmationState};
use mgp_transport::seam::{Refusal, RefusalKind, ToolCall};
use mgp_types::{
    error::{ErrorCode, Recovery},
    json::{RawJson, RawObject},
};

/// The resource that a refusal names if no question can be kept.
const RESOURCE: &str = "confirmations";

/// Refuses a call whose question is open. The text names the tool, the agent, and the commands that decide.
pub(super) fn waits(call: &ToolCall, row: &ConfirmationRow) -> Refusal {
    let more = match (row.every_time, &row.session) {
        (true, _) => "--deny refuses it",
        (false, Some(_)) => "--session, --for 8h, --always, --like PATTERN or --deny decide on more",
        (false, None) => "--for 8h, --always, --like PATTERN or --deny decide on more",
    };
    let text = format!(
        "the call of tool {:?} ({}) waits for an approval, for agent {:?}: `mgp approve {}` approves it once ({more}); call it again after \
         that, with the same arguments; it is asked about because {}",
        call.target.called_as, row.risk, row.key.agent_id, row.id, row.reason
    );
    refuse(row, text)
}

/// Refuses a call that an operator denied.
pub(super) fn denied(call: &ToolCall, row: &ConfirmationRow) -> Refusal {
    if row.state == ConfirmationState::Unreadable {
        let text = format!(
            "the call of tool {:?} with these arguments counts as denied, because {}: `mgp approve {} --revoke` takes it back, and the \
             next such call asks anew",
            call.target.called_as, row.reason, row.id
        );
        return refuse(row, text);
    }
    let by = row.decided_by.as_deref().unwrap_or("an operator");
    let text = format!(
        "the call of tool {:?} with these arguments was denied by {by:?} ({}): `mgp approve {} --revoke` takes that back",
        call.target.called_as, row.id, row.id
    );
    refuse(row, text)
}

/// Refuses a call that the person declined.
pub(super) fn declined(call: &ToolCall, row: &ConfirmationRow, by: &str) -> Refusal {
    let text = format!(
        "the call of tool {:?} was not confirmed: {by:?} declined it; it may be asked for again",
        call.target.called_as
    );
    refuse(&ConfirmationRow { state: ConfirmationState::Denied, ..row.clone() }, text)
}

/// Refuses a call whose question cannot be kept.
pub(super) fn full(call: &ToolCall, agent: &str, bound: Bound) -> Refusal {
    let answer = "answer one with `mgp approve ID`, or `mgp approve ID --deny`; `mgp approve` shows them";
    let why = match bound {
        Bound::OpenOfAgent(open) => {
            format!("{open} calls of agent {agent:?} wait for an approval already: {answer}")
        }
        Bound::Open(open) => format!("{open} calls wait for an approval already: {answer}"),
        Bound::Rows(rows) => format!(
            "{rows} answers are kept already: take one back with `mgp approve ID --revoke`; `mgp approve --all` shows them"
        ),
    };
    let text = format!("no question about the call of tool {:?} can be kept: {why}", call.target.called_as);
    let details = [("resource", RawJson::string(RESOURCE)), ("agent_id", RawJson::string(agent))];
    // Only an operator, or time, frees a place.
    let advice = Recovery::of(ErrorCode::ResourceExhausted)
        .without_retry()
        .with_details(details.into_iter().collect());
    Refusal::new(RefusalKind::Confirmation, ErrorCode::ResourceExhausted.error_with(text, advice))
}

/// Refuses a call whose arguments are too long to be kept for a decision.
pub(super) fn too_long(call: &ToolCall, length: usize, limit: usize) -> Refusal {
    let text = format!(
        "the call of tool {:?} needs an approval, and its arguments are too long for one: expected at most {limit} bytes, found {length}; \
         shorter ones can be approved, and with confirmation = \"never\" for server {:?} in the configuration nobody is asked",
        call.target.called_as, call.target.tool.server_id
    );
    Refusal::new(RefusalKind::Confirmation, ErrorCode::PermissionDenied.error(text))
}

fn refuse(row: &ConfirmationRow, text: String) -> Refusal {
    let mut details: RawObject = [
        ("request_id", RawJson::string(row.id.as_str())),
        ("state", RawJson::string(row.state.as_str())),
        ("agent_id", RawJson::string(row.key.agent_id.as_str())),
        ("server_id", RawJson::string(row.key.server_id.as_str())),
        ("tool_name", RawJson::string(row.key.tool_name.as_str())),
        ("arguments_sha256", RawJson::string(row.key.arguments_sha256.as_str())),
    ]
    .into_iter()
    .collect();
    if let Some(end) = row.expires_at {
        details.insert("expires_at", RawJson::string(format!("{end:.3}").as_str()));
    }
    let advice = Recovery::of(ErrorCode::PermissionDenied).with_details(details);
    Refusal::new(RefusalKind::Confirmation, ErrorCode::PermissionDenied.error_with(text, advice))
}
