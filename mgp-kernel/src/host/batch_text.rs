//! The text of one question about several calls.

use super::{
    approver::{MARK, said_by_agent},
    shown::arguments_on_screen,
};
use mgp_security::permission::{ConfirmationBatch, ConfirmationQuestion};
use mgp_types::{intent::Intent, json::RawJson};

/// The maximum length of the text about all calls of a question, in characters.
const SCREEN: usize = 4000;

/// Returns the indices of the calls that one question can show in full, in their order. Other calls cannot be approved at the host, and
/// are asked about separately.
pub(super) fn listed(calls: &[ConfirmationQuestion]) -> Vec<usize> {
    let Some(first) = calls.first() else { return Vec::new() };
    let mut room = SCREEN;
    let mut listed = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        let length = line(call, first).map(|line| line.chars().count());
        match length {
            Some(length) if length <= room => {
                room -= length;
                listed.push(at);
            }
            _ if at == 0 => return vec![0],
            _ => {}
        }
    }
    listed
}

/// Returns the text that describes calls to the user, or `None` if one of them cannot be shown in full.
pub(super) fn batch_text(batch: ConfirmationBatch<'_>) -> Option<String> {
    let first = batch.calls.first()?;
    let count = batch.calls.len();
    let lines: Option<Vec<_>> = batch.calls.iter().map(|call| line(call, first)).collect();
    let lines: String = (1..).zip(lines?).map(|(number, line)| format!("{number}. {line}\n")).collect();
    let more = match batch.more {
        0 => String::new(),
        more => format!(
            "{more} more such calls wait, and are asked about after this: `mgp approve` shows them.\n"
        ),
    };
    let uses = first.estimate.sentences("Each call");
    // Some of the questions may not have been kept, for lack of room.
    let is_kept = batch.calls.iter().any(|call| call.request_id.is_some());
    let group = if is_kept { "To see each by itself: `mgp approve`.\n" } else { "" };
    Some(format!(
        "{MARK} Make {count} calls of tool {:?} of server {:?} (risk: {}) for agent {:?}?\n\
         {lines}Why you are asked: {}.\n\
         {uses}{more}{group}once: each of these {count} calls, with the arguments shown, and no other.\n\
         later: each is decided by itself, with `mgp approve`.\n\
         decline: refuses all {count}.",
        first.target.called_as,
        first.target.tool.server_id,
        first.risk,
        first.principal.id(),
        first.reason,
    ))
}

/// Returns the line about one call, or `None` if its arguments cannot be shown in full.
fn line(call: &ConfirmationQuestion, first: &ConfirmationQuestion) -> Option<String> {
    let shown = arguments_on_screen(call.arguments.as_ref().unwrap_or(&RawJson::empty_object()));
    if !shown.whole {
        return None;
    }
    let mut line = shown.text;
    // The risk of the first call is shown above all calls, and its reason below.
    if call.risk != first.risk {
        line.push_str(&format!(" (risk: {})", call.risk));
    }
    if call.reason != first.reason {
        line.push_str(&format!(" (why: {})", call.reason));
    }
    if let Some(intent) = call.intent.as_ref().map(Intent::as_str) {
        line.push_str(&format!("\n   {}", said_by_agent(Some(intent)).trim_end()));
    }
    Some(line)
}
