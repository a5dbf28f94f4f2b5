//! Tests of the identity of the caller.

use super::*;
use crate::{
    audit::{MemorySink, REQUEST_BLOCKED},
    testing::{Inner, TestCall, code, context, other_message},
};
use mgp_transport::seam::{BoxError, CancelToken, Incoming, RefusalKind, Reply, ToolCall};
use mgp_types::{
    audit::AuditResult,
    context::{ActorType, Principal},
    json::RawJson,
    rpc::RawParams,
};
use parking_lot::Mutex;
use std::sync::Arc;
use tower::{Layer, ServiceExt, service_fn};

/// Makes a call through the layer. Returns the reply, and the call as the inner service got it.
async fn identified(call: TestCall) -> (Reply, Option<ToolCall>) {
    let seen = Arc::new(Mutex::new(None));
    let inner = service_fn({
        let seen = seen.clone();
        move |call: ToolCall| {
            *seen.lock() = Some(call);
            std::future::ready(Ok::<_, BoxError>(Reply::none()))
        }
    });
    let reply =
        IdentityLayer::new(Arc::new(MemorySink::new(10))).layer(inner).oneshot(call.call).await.unwrap();
    let seen = seen.lock().take();
    (reply, seen)
}

fn agent() -> Option<Principal> {
    Some(Principal::agent("a"))
}

/// Puts a principal into the context of a call, which does not count.
fn forged(mut call: TestCall, id: &str) -> TestCall {
    call.call.ext.insert(Principal::agent(id));
    call
}

#[tokio::test]
async fn a_session_of_nobody_is_refused() {
    for call in [TestCall::new("{}"), TestCall::new("{}").on_session(None, &CancelToken::new())] {
        let record = call.record.clone();
        let (reply, seen) = identified(forged(call, "forged")).await;
        assert_eq!((code(&reply), seen.is_none()), (Some(1002), true));
        assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::Identity);
    }
}

#[tokio::test]
async fn the_principal_is_always_that_of_the_session() {
    let call = TestCall::new(r#"{"agent_id":"b","_mgp":{"principal":"b","agent_id":"b"}}"#)
        .on_session(agent(), &CancelToken::new());
    let call = forged(call, "b");
    let record = call.record.clone();
    let (_, seen) = identified(call).await;
    assert_eq!(Some(seen.unwrap().principal), agent());
    assert_eq!(record.read().principal, agent());
}

#[tokio::test]
async fn a_delegation_is_read_from_mgp_and_marks_the_actor() {
    for params in [r#"{"_mgp":{"delegation":["b","c"]}}"#, r#"{"\u005fmgp":{"d\u0065legation":["b","c"]}}"#] {
        let call = TestCall::new(params).on_session(agent(), &CancelToken::new());
        let record = call.record.clone();
        let (_, seen) = identified(call).await;
        let principal = seen.unwrap().principal;
        assert_eq!(principal.parties().collect::<Vec<_>>(), ["a", "b", "c"]);
        let record = record.read();
        assert_eq!(record.principal.as_ref(), Some(&principal));
        assert_eq!(principal.actor(), ActorType::Delegated);
    }
}

#[tokio::test]
async fn the_reason_of_a_delegation_is_recorded() {
    let long = format!(r#"{{"_mgp":{{"delegation":{{"chain":["b"],"reason":"{}"}}}}}}"#, "x".repeat(1025));
    for (params, parties, reason) in [
        (
            r#"{"_mgp":{"delegation":{"chain":["b"],"reason":"on leave"}}}"#,
            Some(vec!["a", "b"]),
            Some("on leave"),
        ),
        (r#"{"_mgp":{"delegation":{"chain":["b"]}}}"#, Some(vec!["a", "b"]), None),
        (&*long, None, None),
    ] {
        let call = TestCall::new(params).on_session(agent(), &CancelToken::new());
        let record = call.record.clone();
        let (_, seen) = identified(call).await;
        let principal = seen.map(|seen| seen.principal);
        assert_eq!(principal.as_ref().map(|principal| principal.parties().collect()), parties);
        let record = record.read();
        let told = record.details.iter().find(|(name, _)| *name == "delegation_reason");
        assert_eq!(told.and_then(|(_, reason)| reason.to_text()).as_deref(), reason);
    }
}

#[tokio::test]
async fn a_delegation_inside_the_arguments_does_not_count() {
    let call = TestCall::new(r#"{"arguments":{"_mgp":{"delegation":["b"]}}}"#);
    let (_, seen) = identified(call.on_session(agent(), &CancelToken::new())).await;
    assert_eq!(Some(seen.unwrap().principal), agent());
}

#[tokio::test]
async fn overlong_and_malformed_chains_are_refused() {
    for (params, expected) in [
        (r#"{"_mgp":{"delegation":["a","b","c"]}}"#, None),
        (r#"{"_mgp":{"delegation":["a","b","c","d"]}}"#, Some(1000)),
        (r#"{"_mgp":{"delegation":"a"}}"#, Some(-32602)),
        (r#"{"_mgp":{"delegation":[7]}}"#, Some(-32602)),
        (r#"{"_mgp":{"delegation":{"chain":["a"],"reason":"on leave"}}}"#, None),
        (r#"{"_mgp":{"delegation":{"chain":[]}}}"#, None),
        (r#"{"_mgp":{"delegation":{"chain":["a","b","c","d"]}}}"#, Some(1000)),
        (r#"{"_mgp":{"delegation":{"chain":"a"}}}"#, Some(-32602)),
        (r#"{"_mgp":{"delegation":{"chain":["a"],"reason":7}}}"#, Some(-32602)),
        (r#"{"_mgp":{"delegation":{}}}"#, Some(-32602)),
        (r#"{"_mgp":{"delegation":{"chain":["a"]}},"_meta":{"mgp":{"delegation":["a"]}}}"#, None),
        (r#"{"_mgp":{"delegation":{"chain":["a"]}},"_meta":{"mgp":{"delegation":["b"]}}}"#, Some(-32602)),
        (r#"{"_mgp":{"delegation":[""]}}"#, Some(-32602)),
        (r#"{"_mgp":7}"#, None),
        (r#"{"_meta":{"mgp":"0.3.0"}}"#, None),
        (r#"{"_mgp":7,"_meta":{"mgp":{"delegation":"a"}}}"#, Some(-32602)),
        (r#"{"_mgp":{},"_mgp":{}}"#, Some(-32602)),
        (r#"{"_mgp":{"delegation":[]}}"#, None),
        (r#"{"_mgp":{"stream":true},"_meta":{"mgp":{"delegation":"a"}}}"#, Some(-32602)),
        (r#"{"_mgp":{"delegation":["a"]},"_meta":{"mgp":{"delegation":["a"]}}}"#, None),
        (r#"{"_mgp":{"delegation":["a"]},"_meta":{"mgp":{"delegation":["b"]}}}"#, Some(-32602)),
        (r#"{"_meta":{"mgp":{"delegation":["a"]},"mgp":{}}}"#, Some(-32602)),
        (r#"{"_meta":{"k":1,"k":2}}"#, None),
    ] {
        let (reply, seen) = identified(TestCall::new(params).on_session(agent(), &CancelToken::new())).await;
        assert_eq!((code(&reply), seen.is_none()), (expected, expected.is_some()), "{params}");
    }
}

/// Puts a message that is not a tool call on a session of agent `a`.
fn other(mut message: Incoming, params: &'static str) -> Incoming {
    message.params = RawJson::parse(params).unwrap().into();
    message.ext.insert(context(agent(), &CancelToken::new()));
    message
}

#[tokio::test]
async fn a_delegation_narrows_every_method_and_refusals_are_recorded() {
    let sink = MemorySink::new(10);
    let layer = IdentityLayer::new(Arc::new(sink.clone()));
    let parties = service_fn(|message: Incoming| async move {
        let principal = message.principal().cloned();
        let parties: Vec<String> = principal.iter().flat_map(Principal::parties).map(str::to_owned).collect();
        Ok::<_, BoxError>(Reply::from_value(&parties))
    });
    let request = |params| other(Incoming::request(1, "resources/list", RawParams::none()), params);
    let reply = layer.layer(parties).oneshot(request(r#"{"_mgp":{"delegation":["b"]}}"#)).await.unwrap();
    assert_eq!(reply.result().unwrap().as_str(), r#"["a","b"]"#);
    let reply = layer.layer(parties).oneshot(request(r#"{"_mgp":{"delegation":[1]}}"#)).await.unwrap();
    assert_eq!(code(&reply), Some(-32602));
    let event = sink.events().pop().unwrap();
    assert_eq!((event.event_type.as_str(), event.result), (REQUEST_BLOCKED, AuditResult::Blocked));
    assert_eq!(event.details.unwrap().text("method").as_deref(), Some("resources/list"));
    // A notification cannot be refused, so it is passed on without a caller.
    let notification = Incoming::notification("notifications/x", RawParams::none());
    let notification = other(notification, r#"{"_mgp":{"delegation":[1]}}"#);
    let reply = layer.layer(parties).oneshot(notification).await.unwrap();
    assert_eq!(reply.result().unwrap().as_str(), "[]");
    assert_eq!(sink.events().len(), 1);
}

#[tokio::test]
async fn other_messages_pass_on_any_session() {
    let inner = Inner::new();
    IdentityLayer::new(Arc::new(MemorySink::new(10)))
        .layer(inner.clone())
        .oneshot(other_message())
        .await
        .unwrap();
    assert_eq!(inner.reached(), 1);
}
