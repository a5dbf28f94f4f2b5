//! The trace in an error or a failed result, for finding its request in the audit trail.

use mgp_security::audit::new_trace;
use mgp_transport::{connection::RefusalHook, seam::Session};
use mgp_types::{
    context::TraceId,
    json::{RawJson, RawObject},
    request_meta,
    rpc::{ErrorObject, RawParams, RawResult},
    tool_result::RESULT_KEY,
};

/// The member with the trace, in an error's data and in a result's `_meta["dev.cloto/result"]`.
const MEMBER: &str = "trace_id";

/// Returns an error with the trace of its request in its data. Data other than an object, or with a trace, is not changed.
pub(crate) fn with_trace(error: ErrorObject, trace: &TraceId) -> ErrorObject {
    let data = error.data.as_ref().map_or_else(|| Ok(RawObject::new()), RawObject::from_json);
    match data {
        Ok(mut data) if data.get(MEMBER).is_none() => {
            data.insert(MEMBER, RawJson::string(trace.as_str()));
            error.with_data(data.to_json())
        }
        _ => error,
    }
}

/// Sets the hook that adds a trace to errors with which the connection of a session rejects requests itself.
pub(crate) fn trace_refusals(session: &Session) {
    session.set(RefusalHook(refused_by_connection));
}

/// Returns an error of the connection itself with a report, and with the trace of its request or a new one.
fn refused_by_connection(error: ErrorObject, params: Option<&RawParams>) -> ErrorObject {
    let named = params.and_then(|params| request_meta::trace_id(params.object().ok()?));
    let trace = named.unwrap_or_else(new_trace);
    tracing::debug!(%trace, %error, "refused by the connection");
    with_trace(error.with_report(), &trace)
}

/// Returns a failed result with the trace of its call; `None` if it cannot be parsed.
pub(crate) fn result_with_trace(result: &RawResult, trace: &TraceId) -> Option<RawJson> {
    let mut result = RawObject::from_json(result).ok()?;
    result.edit("_meta", |meta| {
        meta.edit(RESULT_KEY, |outcome| {
            outcome.insert(MEMBER, RawJson::string(trace.as_str()));
            true
        });
        true
    });
    Some(result.to_json())
}
