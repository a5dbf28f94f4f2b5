//! The header that identifies a tool call, so that the call is made at most once.
//!
//! The key becomes `_meta.idempotency_key` of the call, the only place where the rest of the program reads it.

use crate::http::server::refusal::Refusal;
use http::{HeaderMap, HeaderName, StatusCode};
use mgp_types::{
    idempotency::IDEMPOTENCY_KEY,
    json::{RawJson, RawObject},
    mcp::CallTool,
    rpc::{Call, Frame},
};

/// The names of the header: that of the IETF's draft, and that of MGP's extension proposals.
const NAMES: [HeaderName; 2] =
    [HeaderName::from_static("idempotency-key"), HeaderName::from_static("x-idempotency-key")];

/// Returns the key that the headers name. Both names may be sent, with the same value.
///
/// # Errors
/// Returns 400 if a header occurs twice or cannot be read, or if the two differ.
pub(in crate::http::server) fn key_of(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    let mut found = None;
    for name in NAMES {
        let mut values = headers.get_all(&name).iter();
        let Some(value) = values.next() else { continue };
        let value = value.to_str().ok().filter(|_| values.next().is_none());
        match (value, found) {
            (None, _) => {
                return Err(Refusal::bad_request(format!("invalid {name}: expected one value, in ASCII")));
            }
            (Some(value), Some(other)) if value != other => return Err(differs(other, value)),
            (Some(value), _) => found = Some(value),
        }
    }
    Ok(found)
}

/// Puts the key of the headers into a message that calls a tool. Any other message is returned unchanged.
///
/// # Errors
/// Returns 400 as [`key_of`] does, if the message names another key, or if its `_meta` cannot be read.
pub(in crate::http::server) fn put_into(frame: Frame, headers: &HeaderMap) -> Result<Frame, Refusal> {
    let Some(key) = key_of(headers)? else { return Ok(frame) };
    match frame {
        Frame::Request { id, method, params } if method == *CallTool::METHOD => {
            let mut object =
                params.into_object().map_err(|error| Refusal::with(StatusCode::BAD_REQUEST, error))?;
            put(&mut object, key)?;
            Ok(Frame::Request { id, method, params: object.into() })
        }
        other => Ok(other),
    }
}

/// Refuses a key for a body of several messages: it would name more than one call.
///
/// # Errors
/// Returns 400 as [`key_of`] does, or if there is a key.
pub(in crate::http::server) fn check_absent(headers: &HeaderMap) -> Result<(), Refusal> {
    match key_of(headers)? {
        None => Ok(()),
        Some(_) => Err(Refusal::bad_request(
            "unexpected Idempotency-Key: it names one call, so expected _meta.idempotency_key in each call of a batch",
        )),
    }
}

/// Puts a key into the params of a call.
pub(in crate::http::server) fn put(params: &mut RawObject, key: &str) -> Result<(), Refusal> {
    let mut meta = match params.get("_meta").map(RawObject::from_json) {
        None => RawObject::new(),
        Some(Ok(meta)) => meta,
        Some(Err(error)) => return Err(Refusal::bad_request(format!("invalid _meta: {error}"))),
    };
    // The extension proposals write the key next to the arguments.
    for named in [meta.get(IDEMPOTENCY_KEY), params.get(IDEMPOTENCY_KEY)].into_iter().flatten() {
        match named.to_text() {
            Some(named) if named == key => {}
            Some(named) => return Err(differs(key, &named)),
            None => return Err(differs(key, named.as_str())),
        }
    }
    meta.insert(IDEMPOTENCY_KEY, RawJson::string(key));
    params.insert("_meta", meta.to_json());
    Ok(())
}

fn differs(one: &str, other: &str) -> Refusal {
    let [one, other] = [one, other].map(|text| text.chars().take(140).collect::<String>());
    Refusal::bad_request(format!(
        "more than one idempotency key: {one:?} and {other:?}: expected the same in all headers and in the message"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn headers(all: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in all {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers
    }

    fn put_text(message: &str, all: &[(&'static str, &'static str)]) -> Result<String, String> {
        let frame = Frame::parse(&message.to_owned().into()).unwrap();
        match put_into(frame, &headers(all)) {
            Ok(Frame::Request { params, .. }) => {
                Ok(params.get().map(|text| text.as_str().to_owned()).unwrap_or_default())
            }
            Ok(other) => panic!("{other:?}"),
            Err(refusal) => Err(refusal.error.message),
        }
    }

    fn call(params: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)
    }

    #[test]
    fn either_header_sets_the_call_s_key() {
        for names in
            [&["idempotency-key"][..], &["x-idempotency-key"], &["idempotency-key", "x-idempotency-key"]]
        {
            let all: Vec<_> = names.iter().map(|name| (*name, "op-1")).collect();
            let found = put_text(&call(r#"{"name":"a","_meta":{"x":1}}"#), &all).unwrap();
            assert_eq!(found, r#"{"name":"a","_meta":{"x":1,"idempotency_key":"op-1"}}"#);
            let same = r#"{"name":"a","_meta":{"idempotency_key":"op-1"}}"#;
            assert_eq!(put_text(&call(same), &all).unwrap(), same);
        }
        let other = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"n":1}}"#;
        assert_eq!(put_text(other, &[("idempotency-key", "op-1")]).unwrap(), r#"{"n":1}"#);
        assert_eq!(put_text(&call(r#"{"name":"a"}"#), &[]).unwrap(), r#"{"name":"a"}"#);
    }

    #[test]
    fn an_invalid_key_is_refused_by_name() {
        let plain = r#"{"name":"a"}"#;
        for (params, all, part) in [
            (plain, &[("idempotency-key", "a"), ("x-idempotency-key", "b")][..], r#""a" and "b""#),
            (plain, &[("x-idempotency-key", "a"), ("x-idempotency-key", "a")], "invalid x-idempotency-key"),
            (r#"{"_meta":{"idempotency_key":"b"}}"#, &[("idempotency-key", "a")], r#""a" and "b""#),
            (r#"{"_meta":{"idempotency_key":7}}"#, &[("idempotency-key", "a")], r#""a" and "7""#),
            (r#"{"idempotency_key":"b"}"#, &[("idempotency-key", "a")], r#""a" and "b""#),
            (r#"{"_meta":[]}"#, &[("idempotency-key", "a")], "invalid _meta"),
            (r#"{"a":1,"a":2}"#, &[("idempotency-key", "a")], "invalid params"),
        ] {
            let error = put_text(&call(params), all).unwrap_err();
            assert!(error.contains(part), "{params}: {error}");
        }
        assert!(check_absent(&headers(&[("x-idempotency-key", "a")])).is_err());
        assert!(check_absent(&headers(&[])).is_ok());
    }
}
