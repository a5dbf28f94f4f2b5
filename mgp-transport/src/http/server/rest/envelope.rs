//! The body of an answer: `{status, data, error, explanation}`.

use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{CallToolResult, ContentBlock},
    rpc::ErrorObject,
    tool_result::{ErrorDetail, Outcome},
};
use serde::Serialize;

/// Returns the body of what succeeded without a tool.
pub(super) fn success(data: RawJson) -> Vec<u8> {
    written(&Outcome::success(data))
}

/// Returns the body of a tool's result, also of one that says that the tool failed.
pub(super) fn of_result(result: &CallToolResult) -> Vec<u8> {
    match result.outcome::<RawJson>() {
        Ok(outcome) => written(&outcome),
        // Content that is no JSON is the data as it is.
        Err(_) => written(&Outcome::success(content(&result.content))),
    }
}

/// Returns the body of a refusal.
pub(super) fn failure(error: &ErrorObject) -> Vec<u8> {
    written(&Outcome::<RawJson>::from(ErrorDetail::from(error)))
}

/// Returns the text of a result that is one text, and any other content as a list.
fn content(blocks: &[ContentBlock]) -> RawJson {
    match blocks {
        [one] if let Some(text) = one.as_text() => RawJson::string(text),
        blocks => RawJson::from_value(&blocks).unwrap_or_else(|_| RawJson::null()),
    }
}

fn written(outcome: &impl Serialize) -> Vec<u8> {
    // Texts and JSON that was read: writing cannot fail.
    serde_json::to_vec(outcome).unwrap_or_else(|_| RawObject::new().to_json().as_bytes().to_vec())
}
