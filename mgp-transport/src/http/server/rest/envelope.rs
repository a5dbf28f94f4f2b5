//! The body of an answer: `{status, data, error, explanation}`.

use mgp_types::{
    json::{RawJson, RawObject},
    mcp::CallToolResult,
    tool_result::{ErrorDetail, Outcome},
};
use serde::Serialize;

/// Returns the body of a success without a tool.
pub(super) fn success(data: RawJson) -> Vec<u8> {
    written(&Outcome::success(data))
}

/// Returns the body of a tool's result, including the result of a tool that failed.
pub(super) fn of_result(result: &CallToolResult) -> Vec<u8> {
    written(&result.whole_outcome())
}

/// Returns the body of a refusal.
pub(super) fn failure(error: ErrorDetail) -> Vec<u8> {
    written(&Outcome::<RawJson>::from(error))
}

fn written(outcome: &impl Serialize) -> Vec<u8> {
    // Texts and parsed JSON only: writing cannot fail.
    serde_json::to_vec(outcome).unwrap_or_else(|_| RawObject::new().to_json().as_bytes().to_vec())
}
