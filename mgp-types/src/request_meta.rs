//! The metadata in a request's params: the trace (§6.5) and the progress token.

use crate::{
    context::{TraceId, TraceParent},
    json::{RawJson, RawObject},
    mgp_metadata,
    request_id::RequestId,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The token that a caller gives its request, so that progress can refer to it: a string or a number.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProgressToken(pub RequestId);

impl<T: Into<RequestId>> From<T> for ProgressToken {
    fn from(token: T) -> Self {
        Self(token.into())
    }
}

impl fmt::Display for ProgressToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Returns the trace that a request belongs to: the first valid id of `trace_id`, `_mgp.trace_id` and `_meta.traceparent`.
///
/// ```
/// use mgp_types::{json::RawObject, request_meta};
/// let params = RawObject::parse(r#"{"_mgp":{"trace_id":"t-1"}}"#)?;
/// assert_eq!(request_meta::trace_id(&params).map(|t| t.to_string()).as_deref(), Some("t-1"));
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
#[must_use]
pub fn trace_id(params: &RawObject) -> Option<TraceId> {
    let id = |object: &RawObject| TraceId::new(&object.text("trace_id")?);
    id(params)
        .or_else(|| id(&mgp_metadata::read(params)?))
        .or_else(|| TraceId::from_traceparent(&params.object("_meta")?.text("traceparent")?))
}

/// Returns the W3C `traceparent` of a request's `_meta`: the caller's trace, and the span in which it made the request.
#[must_use]
pub fn traceparent(params: &RawObject) -> Option<TraceParent> {
    TraceParent::parse(&params.object("_meta")?.text("traceparent")?)
}

/// Sets the trace for an MGP peer.
pub fn set_trace_id(params: &mut RawObject, trace: &TraceId) {
    mgp_metadata::set(params, "trace_id", RawJson::string(trace.as_str()));
}

/// Sets the W3C `traceparent` in a `_meta`; it may be sent to every peer.
pub fn set_traceparent(meta: &mut RawObject, traceparent: &str) {
    meta.insert("traceparent", RawJson::string(traceparent));
}

/// Returns the token under which the caller requests progress.
#[must_use]
pub fn progress_token(params: &RawObject) -> Option<ProgressToken> {
    let token = params.object("_meta")?;
    RequestId::from_json(token.get("progressToken")?).ok().map(ProgressToken)
}

/// Sets the token under which progress is requested. Returns the old one.
pub fn set_progress_token(params: &mut RawObject, token: &ProgressToken) -> Option<ProgressToken> {
    let old = progress_token(params);
    params.edit("_meta", |meta| {
        meta.insert("progressToken", token.0.to_json());
        true
    });
    old
}

/// Removes the progress token. A `_meta` that is then empty is removed, too.
pub fn remove_progress_token(params: &mut RawObject) {
    params.edit("_meta", |meta| meta.remove("progressToken").is_some());
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn trace(text: String) -> Option<String> {
        trace_id(&RawObject::parse(text).unwrap()).map(|t| t.to_string())
    }

    #[test]
    fn the_trace_is_looked_up_in_order_and_invalid_ones_skipped() {
        let all = |own: &str, mgp: &str| {
            format!(
                r#"{{"trace_id":{own},"_mgp":{{"trace_id":{mgp}}},"_meta":{{"traceparent":"{PARENT}"}}}}"#
            )
        };
        assert_eq!(trace(all(r#""a""#, r#""b""#)).as_deref(), Some("a"));
        assert_eq!(trace(all("7", r#""b""#)).as_deref(), Some("b"));
        assert_eq!(trace(all(r#""a b""#, "null")).as_deref(), Some("0af7651916cd43dd8448eb211c80319c"));
        assert_eq!(trace(r#"{"arguments":{"trace_id":"x"}}"#.into()), None);
    }

    #[test]
    fn the_token_is_replaced_in_place() {
        let mut params =
            RawObject::parse(r#"{"_meta":{"progressToken":1.50,"k":1e500},"name":"a"}"#).unwrap();
        let old = set_progress_token(&mut params, &"mine".into()).unwrap();
        assert_eq!(params.to_json().as_str(), r#"{"_meta":{"progressToken":"mine","k":1e500},"name":"a"}"#);
        set_progress_token(&mut params, &old);
        assert_eq!(params.to_json().as_str(), r#"{"_meta":{"progressToken":1.50,"k":1e500},"name":"a"}"#);
        remove_progress_token(&mut params);
        assert_eq!(progress_token(&params), None);
    }

    #[test]
    fn a_written_trace_reads_back() {
        let mut params = RawObject::new();
        params.edit("_meta", |meta| {
            set_traceparent(meta, PARENT);
            true
        });
        assert_eq!(trace_id(&params).unwrap().as_str(), &PARENT[3..35]);
        set_trace_id(&mut params, &TraceId::new("t-2").unwrap());
        assert_eq!(trace_id(&params).unwrap().as_str(), "t-2");
    }
}
