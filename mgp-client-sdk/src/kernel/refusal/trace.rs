//! The trace in an error or a failed result, by which the audit trail is searched for its request.

use mgp_security::audit::new_trace;
use mgp_transport::{connection::RefusalHook, seam::Session};
use mgp_types::{
    context::TraceId,
    json::{RawJson, RawObject},
    request_meta,
    rpc::{ErrorObject, RawParams, RawResult},
    tool_result::RESULT_KEY,
};

/// The member that holds the trace: of an error's data, and of a result's `_meta["dev.cloto/result"]`.
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

/// Sets the hook that gives a trace to the errors with which the connection of a session refuses requests by itself.
pub(in crate::kernel) fn trace_refusals(session: &Session) {
    session.set(RefusalHook(refused_by_connection));
}

/// Returns an error of the connection itself with a report, and with the trace of its request or a new one.
fn refused_by_connection(error: ErrorObject, params: Option<&RawParams>) -> ErrorObject {
    let named = params.and_then(|params| request_meta::trace_id(params.object().ok()?));
    let trace = named.unwrap_or_else(new_trace);
    tracing::debug!(%trace, %error, "refused by the connection");
    with_trace(error.with_report(), &trace)
}

/// Returns a failed result with the trace of its call; `None` if it cannot be read.
pub(super) fn result_with_trace(result: &RawResult, trace: &TraceId) -> Option<RawJson> {
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
