//! The answer to a refusal.

use super::{layer::RefusalParts, recommendation::recommendation, service::OpenCall, suggestion::suggestion};
use crate::ground::trace::{result_with_trace, with_trace};
use mgp_discovery::config::RefusalForm;
use mgp_transport::seam::Reply;
use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::CallToolResult,
    rpc::{ErrorObject, JsonRpcCode},
    tool_result::{ErrorDetail, ErrorDetails, Outcome, RESULT_KEY},
};
use serde::Serialize;

/// Returns the answer to a refused call; `None` if the error is its server's answer.
pub(super) fn report(call: &OpenCall, error: &ErrorObject) -> Option<Reply> {
    let record = call.record.update(|record| record.refusal.is_some().then(|| record.clone()))?;
    let mut error = error.clone().with_report();
    let mut data = error.data.as_ref().map_or_else(RawObject::new, object);
    let RefusalParts { rights, tools, .. } = &*call.parts;
    let suggestion = suggestion(rights, tools, &call.target, &record, &error, call.is_rest);
    if let Some(suggestion) = &suggestion {
        add(&mut data, "suggestion", suggestion);
        // Most hosts only show the message.
        if !error.message.contains(suggestion.as_str()) {
            error.message = format!("{}; {suggestion}", error.message);
        }
    }
    if let Some(trace) = &record.trace {
        add(&mut data, "trace_id", trace.as_str());
    }
    if let Some(other) = recommendation(tools, &call.target, &record) {
        add(&mut data, "recommendation", &other);
    }
    Some(match call.form {
        RefusalForm::Error => Reply::error(error.with_data(data.to_json())),
        RefusalForm::Result => match outcome(&error, data).into_result() {
            Ok(result) => Reply::from_value(&result),
            Err(problem) => ErrorObject::internal(format!("failed to write the refusal: {problem}")).into(),
        },
    })
}

/// Returns the answer to a call with the call's trace, if the call failed.
pub(super) fn traced(call: &OpenCall, reply: Reply) -> Reply {
    let trace = || call.record.update(|record| record.trace.clone());
    match reply.result() {
        Some(result) if !reply.is_cancelled() && CallToolResult::says_error(result) => {
            let traced = trace().and_then(|trace| result_with_trace(result, &trace));
            traced.map_or(reply, Reply::ok)
        }
        Some(_) => reply,
        None => reply.map_error(|error| {
            let is_servers =
                call.record.update(|record| record.refusal.is_none() && record.answered == Some(true));
            let error = match is_servers {
                true if call.is_rest => of_server(error),
                true => error,
                false => error.with_report(),
            };
            match trace() {
                Some(trace) => with_trace(error, &trace),
                None => error,
            }
        }),
    }
}

/// Returns a server's error for a program without JSON-RPC. The server's own code means nothing there, and becomes 5000. Arguments that the
/// server rejects are the caller's error.
fn of_server(error: ErrorObject) -> ErrorObject {
    let is_known =
        ErrorCode::from_code(error.code).is_some() || error.code == i64::from(JsonRpcCode::InvalidParams);
    let mut data = match error.data.map(|data| (RawObject::from_json(&data), data)) {
        // The server's own code, next to that of its error.
        Some((Ok(object), _)) if is_known || object.get("code").is_none() => object,
        Some((_, data)) => RawObject::from_iter([("data", data)]),
        None => RawObject::new(),
    };
    let code = match is_known {
        true => error.code,
        false => {
            add(&mut data, "code", &error.code);
            ErrorCode::UpstreamError.into()
        }
    };
    ErrorObject::new(code, error.message).with_data(data.to_json())
}

/// Converts a gate's refusal in the form of a tool's result to an error; `None` if the reply is anything else.
pub(super) fn refusal_as_error(call: &OpenCall, reply: &Reply) -> Option<Reply> {
    call.record.update(|record| record.refusal.is_some().then_some(()))?;
    let result: CallToolResult = reply.result()?.decode().ok()?;
    let outcome = result.meta.as_ref().and_then(|meta| meta.object(RESULT_KEY))?;
    if !result.failed() || outcome.get("fallback").is_some() {
        // Another tool answered instead of the refused one.
        return None;
    }
    let failure = result.outcome::<()>().ok()?;
    let failure = failure.error()?;
    let Some(ErrorDetails::Object(details)) = &failure.details else { return None };
    let code: i64 = details.decode("code").ok()??;
    let error = ErrorCode::from_code(code)?.error(failure.message.as_str());
    let mut data = error.data.as_ref().map_or_else(RawObject::new, object);
    for (key, value) in details.iter().filter(|(key, _)| *key != "code") {
        data.insert_named(key, value.clone());
    }
    report(call, &error.with_data(data.to_json()))
}

/// Returns a server's failed answer with the recommendation of another tool; `None` if there is none, or if the call did not fail.
pub(super) fn recommended(call: &OpenCall, reply: &Reply) -> Option<Reply> {
    let record = call.record.update(|record| record.intent.is_some().then(|| record.clone()))?;
    if let Some(error) = reply.as_error() {
        let other = recommendation(&call.parts.tools, &call.target, &record)?;
        // Data other than an object has no room for it.
        let data = error.data.as_ref().map(RawObject::from_json).transpose().ok()?;
        let mut data = data.unwrap_or_default();
        add(&mut data, "recommendation", &other);
        return Some(Reply::error(error.clone().with_data(data.to_json())));
    }
    let result = reply.result().filter(|result| CallToolResult::says_error(result))?;
    let other = recommendation(&call.parts.tools, &call.target, &record)?;
    let mut result = RawObject::from_json(result).ok()?;
    let inner = |outer: &RawObject, key: &str| outer.get(key).map(object).unwrap_or_default();
    let mut meta = inner(&result, "_meta");
    let mut outcome = inner(&meta, RESULT_KEY);
    add(&mut outcome, "recommendation", &other);
    meta.insert(RESULT_KEY, outcome.to_json());
    result.insert("_meta", meta.to_json());
    Some(Reply::ok(result.to_json()))
}

/// Returns the refusal as the outcome of a failed tool.
fn outcome(error: &ErrorObject, mut report: RawObject) -> Outcome<()> {
    add(&mut report, "code", &error.code);
    ErrorDetail::from(&error.clone().with_data(report.to_json())).into()
}

fn add(object: &mut RawObject, key: &'static str, value: &(impl Serialize + ?Sized)) {
    // The value holds only texts and numbers, so serializing cannot fail.
    if let Ok(value) = RawJson::from_value(value) {
        object.insert(key, value);
    }
}

fn object(json: &RawJson) -> RawObject {
    RawObject::from_json(json).unwrap_or_default()
}
