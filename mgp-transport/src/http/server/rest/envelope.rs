//! The body of an answer: `{status, data, error, explanation}`.

use super::status;
use http::StatusCode;
use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::{CallToolResult, ContentBlock},
    rpc::ErrorObject,
    tool_result::{ErrorDetail, ErrorDetails, Outcome},
};
use serde::Serialize;

/// Returns the body of what succeeded without a tool.
pub(super) fn success(data: RawJson) -> Vec<u8> {
    written(&Outcome::success(data))
}

/// Returns the status and the body of a tool's result, also of one that says that the tool failed. A refusal in the form of a result, such as a
/// validator's, has the status of its code.
pub(super) fn of_result(result: &CallToolResult) -> (StatusCode, Vec<u8>) {
    match result.outcome::<RawJson>() {
        Ok(outcome) => {
            let refused = outcome.error().and_then(refusal).unwrap_or(StatusCode::OK);
            (refused, written(&outcome))
        }
        // Content that is no JSON is the data as it is.
        Err(_) => (StatusCode::OK, written(&Outcome::success(content(&result.content)))),
    }
}

/// Returns the status of a refusal in the form of a result: its details hold a code of MGP.
fn refusal(error: &ErrorDetail) -> Option<StatusCode> {
    let Some(ErrorDetails::Object(details)) = &error.details else { return None };
    let code: i64 = details.decode("code").ok()??;
    ErrorCode::from_code(code)?;
    Some(status::of(&ErrorObject::new(code, error.message.as_str()), None))
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
