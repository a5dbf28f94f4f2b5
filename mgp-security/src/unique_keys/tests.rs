//! Tests of duplicate keys in calls.

use super::*;
use crate::testing::{Inner, TestCall};
use mgp_transport::seam::{GateLayer, RefusalKind};
use mgp_types::mcp::CallToolResult;
use tower::{Layer, ServiceExt};

#[tokio::test]
async fn a_call_with_a_duplicate_key_is_refused_by_its_position() {
    for (params, place) in [
        (r#"{"arguments":{"a":1,"b":{"a":1}}}"#, None),
        ("{}", None),
        (r#"{"arguments":{"a":1,"a":2}}"#, Some("/arguments\"")),
        (r#"{"arguments":{"a":[{"b":1,"\u0062":2}]}}"#, Some("/arguments/a/0\"")),
        (r#"{"_meta":{"k":1,"k":2}}"#, Some("/_meta\"")),
    ] {
        let (inner, call) = (Inner::new(), TestCall::new(params));
        let record = call.record.clone();
        let reply = GateLayer::new(UniqueKeys).layer(inner.clone()).oneshot(call.identified()).await.unwrap();
        assert_eq!(inner.reached(), usize::from(place.is_none()), "{params}");
        let Some(place) = place else { continue };
        let result: CallToolResult = reply.result().unwrap().decode().unwrap();
        let text = result.content[0].as_text().unwrap().replace("\\\"", "\"");
        assert!(result.failed() && text.contains(place) && text.contains("duplicate key"), "{text}");
        let refusal = record.read().refusal.unwrap();
        assert!(refusal.kind == RefusalKind::Validation && refusal.reason.contains(place), "{refusal:?}");
    }
}
