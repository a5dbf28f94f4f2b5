//! The trace in an error, by which the audit trail is searched for its request.

use mgp_types::{
    context::TraceId,
    json::{RawJson, RawObject},
    mcp::CallToolResult,
    rpc::{ErrorObject, RawResult},
    tool_result::RESULT_KEY,
};

/// The member of an error's data that holds the trace.
const MEMBER: &str = "trace_id";

/// Returns an error with the trace of its request in its data. Data that are no object, or that name a trace, stay as they are.
pub(in crate::kernel) fn with_trace(error: ErrorObject, trace: &TraceId) -> ErrorObject {
    let data = error.data.as_ref().map_or_else(|| Ok(RawObject::new()), RawObject::from_json);
    match data {
        Ok(mut data) if data.get(MEMBER).is_none() => {
            data.insert(MEMBER, RawJson::string(trace.as_str()));
            error.with_data(data.to_json())
        }
        _ => error,
    }
}

/// Returns the failed result with which a gate refused a call, with the trace of the call in the details of its error; `None` if the result
/// has no such error.
pub(super) fn result_with_trace(result: &RawResult, trace: &TraceId) -> Option<RawJson> {
    if !CallToolResult::says_error(result) {
        return None;
    }
    let mut result = RawObject::from_json(result).ok()?;
    let mut is_told = false;
    result.edit("_meta", |meta| {
        meta.edit(RESULT_KEY, |outcome| {
            if outcome.get("error").is_none() {
                return false;
            }
            outcome.edit("error", |error| {
                error.edit("error_details", |details| {
                    is_told = details.get(MEMBER).is_none();
                    details.insert(MEMBER, RawJson::string(trace.as_str()));
                    is_told
                });
                is_told
            });
            is_told
        });
        is_told
    });
    is_told.then(|| result.to_json())
}
