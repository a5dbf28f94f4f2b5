//! One message on the wire.

use super::{EnvelopeScan, ErrorObject, JsonRpcCode, Method, RawParams, RawResult, RequestId};
use crate::{
    context::TraceId,
    json::{JsonError, RawJson, RawObject, without_mark, write_string},
    mgp_metadata::MGP_MEMBER,
    request_id::id_in,
    request_meta,
};
use bytes::Bytes;
use std::fmt;

/// A message as it was read: the envelope is parsed, and the payload is still text.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    /// A message that expects an answer.
    Request {
        /// The id that the answer carries.
        id: RequestId,
        /// The method.
        method: Method,
        /// The method's params.
        params: RawParams,
    },
    /// A message that expects no answer.
    Notification {
        /// The method.
        method: Method,
        /// The method's params.
        params: RawParams,
    },
    /// The answer to a request.
    Response {
        /// The id of the request; `None` is JSON-RPC's `null`, for an error that belongs to no request.
        id: Option<RequestId>,
        /// The result or the error.
        outcome: Result<RawResult, ErrorObject>,
    },
}

/// The reason a text is not a message, with the error to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameError {
    /// The id of the message, if it could be read; otherwise the answer has the id `null`.
    pub id: Option<RequestId>,
    /// The error to answer, -32700 or -32600, with the problem. For a received response that could not be stored, the error of its call:
    /// 3001.
    pub error: ErrorObject,
    /// True if the text was a response, as far as can be determined: it has a result or an error and no method. A
    /// response is not answered; it ends the call that it belongs to.
    pub is_response: bool,
    /// True if the text has an id, but neither a method nor a result or an error: it may be a response without its result.
    pub is_bare: bool,
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for FrameError {}

/// The beginning of the method of every notification.
const NOTIFICATIONS: &str = "notifications/";

impl Frame {
    /// Reads one message.
    ///
    /// Members of the envelope that JSON-RPC does not define are dropped, except for a trace id at the top level: if
    /// the params name no trace, it is moved into their `_mgp` member, where the rest of the program looks for it.
    ///
    /// Some peers break JSON-RPC in ways that leave no doubt about the meaning. They are read accordingly: a byte order mark before the text,
    /// `null` for an absent member (`method`, `params`, and the unused one of `result` and `error`), and `null` as the id of a notification.
    ///
    /// A method outside `notifications/` with the id `null` is refused, because its answer could belong to any request.
    ///
    /// # Errors
    /// [`FrameError`] for text that is not a JSON object, holds a key twice, is nested too deeply, or is not a JSON-RPC
    /// message.
    pub fn parse(text: &Bytes) -> Result<Self, FrameError> {
        let unmarked = without_mark(text);
        let text = if unmarked.len() == text.len() { text } else { &text.slice_ref(unmarked) };
        let mut envelope = RawObject::parse_shared(text).map_err(|error| unreadable(text, &error))?;
        Self::take_from(&mut envelope).map_err(|message| {
            let id = id_in(&envelope, "id");
            let has_method = present(&envelope, "method").is_some();
            let has_outcome = envelope.get("result").is_some() || envelope.get("error").is_some();
            FrameError {
                is_bare: id.is_some() && !has_method && !has_outcome,
                id,
                error: ErrorObject::invalid_request(message),
                is_response: !has_method && has_outcome,
            }
        })
    }

    /// Makes a message of an envelope. A payload is taken out only after every check.
    fn take_from(envelope: &mut RawObject) -> Result<Self, String> {
        match envelope.get("jsonrpc") {
            Some(version) if version.as_bytes() == b"\"2.0\"" => {}
            Some(other) => return Err(format!("invalid jsonrpc: expected \"2.0\", found {other}")),
            None => return Err("missing jsonrpc: expected \"2.0\"".into()),
        }
        let id = match envelope.get("id") {
            None => None,
            Some(json) if json.is_null() => Some(None),
            Some(json) => Some(Some(RequestId::from_json(json).map_err(|e| e.to_string())?)),
        };
        if let Some(method) = present(envelope, "method") {
            let method = read_method(method)?;
            let id = match id {
                Some(None) if !method.as_str().starts_with(NOTIFICATIONS) => {
                    return Err(format!(
                        "invalid id: a request's id must not be null: \"{}\" needs an answer, so its id must be a string or an integer; only a method that begins with {NOTIFICATIONS} may have the id null",
                        method.chars().take(64).collect::<String>()
                    ));
                }
                id => id.flatten(),
            };
            let params = take_params(envelope)?;
            return Ok(match id {
                Some(id) => Self::Request { id, method, params },
                None => Self::Notification { method, params },
            });
        }
        let (result, error) = (envelope.get("result"), envelope.get("error"));
        // `null` is a result, unless there is also an error.
        let has_result =
            result.is_some_and(|result| !result.is_null() || present(envelope, "error").is_none());
        let error = error.filter(|error| !(error.is_null() && has_result));
        let error = match (has_result, error) {
            (true, None) => None,
            (false, Some(error)) => {
                Some(error.decode().map_err(|e| format!("invalid error object in a response: {e}"))?)
            }
            (true, Some(_)) => return Err("a response must not hold both result and error".into()),
            (false, None) => return Err("expected one of method, result and error".into()),
        };
        let Some(id) = id else { return Err("missing id in a response".into()) };
        let outcome = match error {
            Some(error) => Err(error),
            None => Ok(envelope.remove("result").unwrap_or_else(RawJson::null)),
        };
        Ok(Self::Response { id, outcome })
    }

    /// Appends the message as one line, without a line break at the end.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Request { id, method, params } => write_request(out, id, method, params),
            Self::Notification { method, params } => write_notification(out, method, params),
            Self::Response { id, outcome } => write_response(out, id.as_ref(), outcome),
        }
    }
}

/// Returns the error for a text that is not a JSON object. If its top level can be determined nevertheless, the error
/// goes to the call that the text names, whose caller would otherwise wait forever.
fn unreadable(text: &[u8], error: &JsonError) -> FrameError {
    let scan = EnvelopeScan::of(text);
    let id = scan.id().filter(|_| scan.is_whole()).cloned();
    let is_response = scan.is_whole() && scan.is_response();
    let error = match error {
        JsonError::NotAnObject(found) => {
            ErrorObject::invalid_request(format!("expected a JSON-RPC message object, found {found}"))
        }
        JsonError::DuplicateKey(_) => {
            ErrorObject::invalid_request(format!("invalid JSON-RPC envelope: {error}"))
        }
        _ => ErrorObject::new(JsonRpcCode::ParseError, format!("parse error: {error}")),
    };
    FrameError { id, error, is_response, is_bare: false }
}

/// Returns a member that is not `null`.
fn present<'a>(envelope: &'a RawObject, key: &str) -> Option<&'a RawJson> {
    envelope.get(key).filter(|value| !value.is_null())
}

fn read_method(json: &RawJson) -> Result<Method, String> {
    let text = json.as_str();
    // A name without escapes is the common case and needs no copy.
    if let Some(name) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'))
        && !name.contains('\\')
    {
        return Ok(Method::read(name));
    }
    json.to_text()
        .map(Method::from)
        .ok_or_else(|| format!("invalid method: expected a string, found {}", json.kind_without_text()))
}

fn take_params(envelope: &mut RawObject) -> Result<RawParams, String> {
    match envelope.get("params") {
        Some(json) if json.is_null() => drop(envelope.remove("params")),
        Some(json) if !json.is_object() => {
            return Err(format!("invalid params: expected an object, found {}", json.kind()));
        }
        _ => {}
    }
    let params = envelope.remove("params").map(RawParams::from).unwrap_or_default();
    match envelope.get("trace_id") {
        None => Ok(params),
        Some(trace) => Ok(keep_trace(&params, trace)),
    }
}

/// Moves a top-level trace id to the place where trace ids are read. It is the last of them (§6.5) and hides no other member: it is dropped
/// if the params already name a trace, or cannot hold it.
fn keep_trace(params: &RawParams, trace: &RawJson) -> RawParams {
    with_trace(params, trace).unwrap_or_else(|| params.clone())
}

fn with_trace(params: &RawParams, trace: &RawJson) -> Option<RawParams> {
    let mut object = params.object().ok()?.clone();
    TraceId::new(&trace.to_text()?)?;
    if request_meta::trace_id(&object).is_some() {
        return None;
    }
    // A reader of `_mgp` ignores `_meta.mgp`: if only the latter exists, the id is added there.
    if object.get(MGP_MEMBER).is_none()
        && let Some(meta) = object.get("_meta")
    {
        let mut meta = RawObject::from_json(meta).ok()?;
        if meta.get("mgp").is_some() {
            let mut mgp = meta.object("mgp")?;
            mgp.insert("trace_id", trace.clone());
            meta.insert("mgp", mgp.to_json());
            object.insert("_meta", meta.to_json());
            return Some(object.into());
        }
    }
    let mut mgp = match object.get(MGP_MEMBER) {
        Some(mgp) => RawObject::from_json(mgp).ok()?,
        None => RawObject::new(),
    };
    mgp.insert("trace_id", trace.clone());
    object.insert(MGP_MEMBER, mgp.to_json());
    Some(object.into())
}

/// Appends a request as one line, without a line break at the end.
pub fn write_request(out: &mut Vec<u8>, id: &RequestId, method: &str, params: &RawParams) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.write(out);
    write_method_and_params(out, method, params);
}

/// Appends a notification as one line, without a line break at the end.
pub fn write_notification(out: &mut Vec<u8>, method: &str, params: &RawParams) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
    write_method_and_params(out, method, params);
}

fn write_method_and_params(out: &mut Vec<u8>, method: &str, params: &RawParams) {
    out.extend_from_slice(br#","method":"#);
    write_string(out, method);
    if let Some(params) = params.get() {
        out.extend_from_slice(br#","params":"#);
        write_on_one_line(out, params);
    }
    out.push(b'}');
}

/// Appends a response as one line, without a line break at the end. A missing id is written as `null`.
pub fn write_response(out: &mut Vec<u8>, id: Option<&RequestId>, outcome: &Result<RawResult, ErrorObject>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    match id {
        Some(id) => id.write(out),
        None => out.extend_from_slice(b"null"),
    }
    match outcome {
        Ok(result) => {
            out.extend_from_slice(br#","result":"#);
            write_on_one_line(out, result);
        }
        Err(error) => {
            out.extend_from_slice(br#","error":{"code":"#);
            RequestId::from(error.code).write(out);
            out.extend_from_slice(br#","message":"#);
            write_string(out, &error.message);
            if let Some(data) = &error.data {
                out.extend_from_slice(br#","data":"#);
                write_on_one_line(out, data);
            }
            out.push(b'}');
        }
    }
    out.push(b'}');
}

/// Appends raw JSON without the line breaks between its tokens.
///
/// Inside a string a line break is always escaped, so every line break in the text is white space. If it were kept, it
/// would end the line early, and the rest would be read as another message.
fn write_on_one_line(out: &mut Vec<u8>, json: &RawJson) {
    let mut rest = json.as_bytes();
    while let Some(at) = memchr::memchr2(b'\n', b'\r', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Frame, FrameError> {
        Frame::parse(&Bytes::copy_from_slice(text.as_bytes()))
    }
    fn round(text: &str) -> String {
        let mut out = Vec::new();
        parse(text).unwrap().write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn messages_survive_unchanged() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":100000000000000000000.10,"u":[{"v":null}]}}"#,
            r#"{"jsonrpc":"2.0","id":"a\"b","method":"x"}"#,
            r#"{"jsonrpc":"2.0","method":"x\n"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no","data":{"x":1}}}"#,
        ] {
            assert_eq!(round(text), text);
        }
    }

    #[test]
    fn byte_order_marks_null_params_and_null_ids_are_read() {
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        for text in [
            "\u{feff}{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
            r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":null}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}"#,
        ] {
            assert_eq!(round(text), initialized, "{text}");
        }
        assert_eq!(
            round(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#),
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        );
    }

    #[test]
    fn only_notifications_may_have_a_null_id() {
        for method in [
            "notifications/initialized",
            "notifications/cancelled",
            "notifications/progress",
            "notifications/message",
            "notifications/tools/list_changed",
            "notifications/mgp.audit",
            "notifications/mgp.lifecycle",
            "notifications/mgp.stream.chunk",
            "notifications/mgp.stream.progress",
            "notifications/mgp.event",
            "notifications/mgp.callback.request",
            "notifications/of.nobody",
        ] {
            for order in [r#""id":null,"method":"M""#, r#""method":"M","id":null"#] {
                let text = format!(r#"{{"jsonrpc":"2.0",{},"params":{{}}}}"#, order.replace('M', method));
                let read = parse(&text).unwrap();
                assert!(
                    matches!(&read, Frame::Notification { method: read, .. } if read == method),
                    "{text}"
                );
            }
        }
        for method in ["tools/call", "mgp/stream/cancel", "notifications"] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":null,"method":"{method}"}}"#);
            let error = parse(&text).unwrap_err().error;
            assert_eq!(error.code, -32600, "{text}");
            for part in [&*format!("\"{method}\""), "a string or an integer", NOTIFICATIONS] {
                assert!(error.message.contains(part), "{text}: {}", error.message);
            }
        }
        let long = format!(r#"{{"jsonrpc":"2.0","id":null,"method":"{}"}}"#, "m".repeat(5000));
        assert!(parse(&long).unwrap_err().error.message.len() < 400);
    }

    #[test]
    fn only_line_breaks_outside_strings_are_removed() {
        let text = "{\"jsonrpc\":\"2.0\",\r\n\"id\":1,\"method\":\"x\",\"params\":{\r\n\"a\":\"b\\nc\"\n}}";
        assert_eq!(round(text), r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"b\nc"}}"#);
    }

    #[test]
    fn an_invalid_message_is_refused_with_the_reason() {
        let check = |text: &str, code: i64, part: &str| {
            let error = parse(text).unwrap_err();
            assert_eq!(error.error.code, code, "{text}");
            assert!(error.error.message.contains(part), "{text}: {}", error.error.message);
        };
        check("{", -32700, "invalid JSON");
        check("[]", -32600, "found an array");
        check(r#"{"id":1}"#, -32600, "missing jsonrpc");
        check(r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#, -32600, r#"found "1.0""#);
        check(r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#, -32600, "must not be null");
        check(r#"{"jsonrpc":"2.0","id":[],"method":"x"}"#, -32600, "found an array");
        check(r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600, "found a number");
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#,
            -32600,
            "found a string with an unpaired surrogate",
        );
        check(r#"{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}"#, -32600, "found an array");
        check(r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}"#, -32600, "both");
        check(r#"{"jsonrpc":"2.0","id":1,"error":"x"}"#, -32600, "invalid error object");
        check(r#"{"jsonrpc":"2.0","result":1}"#, -32600, "missing id");
        check(r#"{"jsonrpc":"2.0","id":1}"#, -32600, "expected one of");
        check(r#"{"jsonrpc":"2.0","id":1,"method":"x","method":"y"}"#, -32600, "duplicate key");
        check(&format!("{}{}", "[".repeat(129), "]".repeat(129)), -32700, "128 levels");
    }

    #[test]
    fn an_unreadable_response_differs_from_an_unreadable_request() {
        let refused = |text: &str| parse(text).unwrap_err();
        let both = refused(r#"{"jsonrpc":"2.0","id":5,"result":1,"error":{"code":1,"message":""}}"#);
        assert!(both.is_response && both.id == Some(5.into()));
        let request = refused(r#"{"jsonrpc":"2.0","id":5,"method":7}"#);
        assert!(!request.is_response && !request.is_bare);
        for bare in [r#"{"jsonrpc":"2.0","id":5}"#, r#"{"jsonrpc":"2.0","id":5,"method":null,"params":{}}"#] {
            assert!(refused(bare).is_bare, "{bare}");
        }
        assert!(!refused(r#"{"jsonrpc":"2.0"}"#).is_bare);
        let sloppy = parse(r#"{"jsonrpc":"2.0","id":5,"result":{},"error":null}"#).unwrap();
        assert!(matches!(sloppy, Frame::Response { outcome: Ok(_), .. }));
    }

    #[test]
    fn null_members_of_a_response_count_as_absent() {
        let members = r#""jsonrpc":"2.0","id":5,"method":null,"params":null"#;
        let result = parse(&format!(r#"{{{members},"result":{{}},"error":null}}"#)).unwrap();
        assert!(matches!(result, Frame::Response { outcome: Ok(_), .. }));
        let error = r#"{"code":1,"message":"no"}"#;
        let failed = parse(&format!(r#"{{{members},"result":null,"error":{error}}}"#)).unwrap();
        assert!(matches!(failed, Frame::Response { outcome: Err(error), .. } if error.code == 1));
        let nothing = parse(&format!(r#"{{{members},"result":null,"error":null}}"#)).unwrap();
        assert!(matches!(nothing, Frame::Response { outcome: Ok(result), .. } if result.is_null()));
        let broken = parse(&format!(r#"{{{members},"result":null,"error":"no"}}"#)).unwrap_err();
        assert!(broken.is_response, "its call ends: {broken}");
    }

    #[test]
    fn byte_order_marks_cannot_exhaust_the_stack() {
        let marks = "\u{feff}".repeat(100_000);
        assert_eq!(parse(&format!("{marks}{{}}")).unwrap_err().error.code, -32700);
    }

    #[test]
    fn a_refused_message_names_its_id_if_it_has_one() {
        assert_eq!(parse(r#"{"jsonrpc":"2.0","id":7,"method":1}"#).unwrap_err().id, Some(7.into()));
        let deep =
            format!(r#"{{"id":7,"method":"x","params":{{"a":{}{}}}}}"#, "[".repeat(200), "]".repeat(200));
        let error = parse(&deep).unwrap_err();
        assert_eq!((error.id, error.error.code, error.is_response), (Some(7.into()), -32700, false));
        let error = Frame::parse(&Bytes::from_static(b"{\"id\":7,\"result\":\"\xff\"}")).unwrap_err();
        assert_eq!((error.id, error.error.code, error.is_response), (Some(7.into()), -32700, true));
        let twice = r#"{"jsonrpc":"2.0","id":7,"method":"x","method":"y"}"#;
        assert_eq!(parse(twice).unwrap_err().id, Some(7.into()));
        let two_ids = r#"{"jsonrpc":"2.0","id":7,"id":8,"method":"x"}"#;
        assert_eq!(parse(two_ids).unwrap_err().id, None);
    }

    #[test]
    fn unknown_envelope_members_are_dropped_except_the_trace_id() {
        assert_eq!(
            round(r#"{"jsonrpc":"2.0","id":1,"method":"x","secret":1,"trace_id":"t"}"#),
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"_mgp":{"trace_id":"t"}}}"#
        );
    }

    #[test]
    fn the_last_top_level_trace_id_counts_and_hides_nothing() {
        let kept = |params: &str| {
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","trace_id":"t","params":{params}}}"#);
            let Ok(Frame::Request { params, .. }) = parse(&text) else { panic!("{text}") };
            params
        };
        // (before, after)
        for (before, after) in [
            ("{}", r#"{"_mgp":{"trace_id":"t"}}"#),
            (r#"{"_mgp":{"a":1}}"#, r#"{"_mgp":{"a":1,"trace_id":"t"}}"#),
            (
                r#"{"_meta":{"k":1,"mgp":{"delegation":["b"]}}}"#,
                r#"{"_meta":{"k":1,"mgp":{"delegation":["b"],"trace_id":"t"}}}"#,
            ),
            (r#"{"_mgp":{"trace_id":7}}"#, r#"{"_mgp":{"trace_id":"t"}}"#),
        ] {
            assert_eq!(kept(before).get().unwrap().as_str(), after);
        }
        for unchanged in [
            r#"{"trace_id":"own"}"#,
            r#"{"_mgp":{"trace_id":"own"}}"#,
            r#"{"_meta":{"mgp":{"trace_id":"own"}}}"#,
            r#"{"_meta":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}"#,
            r#"{"_mgp":7}"#,
            r#"{"_mgp":{"a":1,"a":2}}"#,
            r#"{"_meta":7}"#,
            r#"{"_meta":{"mgp":7}}"#,
            r#"{"_meta":{"mgp":{"delegation":["b"],"delegation":[]}}}"#,
        ] {
            assert_eq!(kept(unchanged).get().unwrap().as_str(), unchanged);
        }
        assert_eq!(
            round(r#"{"jsonrpc":"2.0","id":1,"method":"x","trace_id":"a b"}"#),
            r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#
        );
    }
}
