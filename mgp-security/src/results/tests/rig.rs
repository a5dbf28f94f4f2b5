//! A layer around a service with a given answer.

use super::super::{SecretPolicy, SecretSearchLayer};
use crate::audit::MemorySink;
use mgp_transport::seam::{BoxError, Incoming, Reply};
use mgp_types::{json::RawJson, rpc::RawParams};
use serde_json::{Value, json};
use std::sync::Arc;
use tower::{Layer, ServiceExt, service_fn};

/// A GitHub token that was made up, in two parts so that no scanner takes this file for a leak.
pub(super) fn token() -> String {
    format!("ghp{}", "_x7Qd2LwZ9rTb4NcV8sKf1JhG5mYp3AeU6oRi")
}

/// Returns the result of a tool with one text.
pub(super) fn text_result(text: &str) -> String {
    json!({"content": [{"type": "text", "text": text}]}).to_string()
}

/// Returns a reply with a result.
pub(super) fn ok(result: &str) -> Reply {
    Reply::ok(RawJson::parse(result.to_owned()).unwrap())
}

/// Sends a request through the layer to a service with this reply. Returns the reply that leaves, and the trail.
pub(super) async fn through(policy: SecretPolicy, method: &'static str, reply: Reply) -> (Reply, MemorySink) {
    let sink = MemorySink::new(100);
    let layer = SecretSearchLayer::new("srv", policy, Arc::new(sink.clone()));
    let inner = service_fn(move |_: Incoming| {
        let reply = reply.clone();
        async { Ok::<_, BoxError>(reply) }
    });
    let reply = layer.layer(inner).oneshot(Incoming::request(1, method, RawParams::none())).await.unwrap();
    (reply, sink)
}

/// Returns a result as it leaves with the policy `mask`.
pub(super) async fn masked(result: &str) -> String {
    let (reply, _) = through(SecretPolicy::Mask, "tools/call", ok(result)).await;
    assert!(reply.as_error().is_none(), "{reply:?}");
    reply.result().unwrap().to_string()
}

/// Returns the details of the events in a trail.
pub(super) fn details(sink: &MemorySink) -> Vec<Value> {
    let details = |event: &mgp_types::audit::AuditEvent| {
        assert_eq!(event.event_type.to_string(), "dev.cloto.mgp.SECRET_FOUND");
        serde_json::to_value(&event.details).unwrap()
    };
    sink.events().iter().map(details).collect()
}
