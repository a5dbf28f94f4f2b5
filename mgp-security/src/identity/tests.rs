//! Tests of who the caller is.

use super::*;
use crate::testing::{Inner, TestCall, code, other_message};
use mgp_transport::seam::{BoxError, CancelToken, Incoming, RefusalKind, Reply};
use mgp_types::context::{ActorType, Principal};
use std::sync::{Arc, Mutex};
use tower::{Layer, ServiceExt, service_fn};

/// Calls through the layer; returns the reply and the message as the inner service got it.
async fn identified(call: TestCall) -> (Reply, Option<Incoming>) {
    let seen = Arc::new(Mutex::new(None));
    let inner = service_fn({
        let seen = seen.clone();
        move |message: Incoming| {
            *seen.lock().unwrap() = Some(message);
            std::future::ready(Ok::<_, BoxError>(Reply::none()))
        }
    });
    let reply = IdentityLayer::new().layer(inner).oneshot(call.message).await.unwrap();
    let seen = seen.lock().unwrap().take();
    (reply, seen)
}

fn agent() -> Option<Principal> {
    Some(Principal::agent("a"))
}

#[tokio::test]
async fn a_session_of_nobody_is_refused() {
    for call in [TestCall::new("{}"), TestCall::new("{}").on_session(None, &CancelToken::new())] {
        let record = call.record.clone();
        let (reply, seen) = identified(call.principal("forged")).await;
        assert_eq!((code(&reply), seen.is_none()), (Some(1002), true));
        assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::Identity);
    }
}

#[tokio::test]
async fn the_principal_is_the_session_s_whatever_the_request_says() {
    let call = TestCall::new(r#"{"agent_id":"b","_mgp":{"principal":"b","agent_id":"b"}}"#)
        .on_session(agent(), &CancelToken::new())
        .principal("b");
    let record = call.record.clone();
    let (_, seen) = identified(call).await;
    assert_eq!(seen.unwrap().ext.get::<Principal>(), agent().as_ref());
    assert_eq!(record.read().principal, agent());
}

#[tokio::test]
async fn a_delegation_is_read_from_mgp_and_marks_the_actor() {
    for params in [r#"{"_mgp":{"delegation":["b","c"]}}"#, r#"{"\u005fmgp":{"d\u0065legation":["b","c"]}}"#] {
        let call = TestCall::new(params).on_session(agent(), &CancelToken::new());
        let record = call.record.clone();
        let (_, seen) = identified(call).await;
        let ids: Vec<_> = seen
            .unwrap()
            .ext
            .get::<Delegation>()
            .unwrap()
            .agents()
            .iter()
            .map(|agent| agent.id().to_owned())
            .collect();
        assert_eq!(ids, ["b", "c"]);
        let record = record.read();
        assert_eq!(record.principal.unwrap().actor(), ActorType::Delegated);
        assert_eq!(record.details[0].1.as_str(), r#"["b","c"]"#);
    }
}

#[tokio::test]
async fn a_delegation_inside_the_arguments_does_not_count() {
    let call = TestCall::new(r#"{"arguments":{"_mgp":{"delegation":["b"]}}}"#);
    let (_, seen) = identified(call.on_session(agent(), &CancelToken::new())).await;
    assert!(seen.unwrap().ext.get::<Delegation>().is_none());
}

#[tokio::test]
async fn chains_that_are_too_long_or_malformed_are_refused() {
    for (params, expected) in [
        (r#"{"_mgp":{"delegation":["a","b","c"]}}"#, None),
        (r#"{"_mgp":{"delegation":["a","b","c","d"]}}"#, Some(1000)),
        (r#"{"_mgp":{"delegation":"a"}}"#, Some(-32602)),
        (r#"{"_mgp":{"delegation":[7]}}"#, Some(-32602)),
        (r#"{"_mgp":{"delegation":[""]}}"#, Some(-32602)),
        (r#"{"_mgp":7}"#, None),
        (r#"{"_meta":{"mgp":"0.3.0"}}"#, None),
        (r#"{"_mgp":7,"_meta":{"mgp":{"delegation":"a"}}}"#, Some(-32602)),
        (r#"{"_mgp":{},"_mgp":{}}"#, Some(-32602)),
        (r#"{"_mgp":{"delegation":[]}}"#, None),
    ] {
        let (reply, seen) = identified(TestCall::new(params).on_session(agent(), &CancelToken::new())).await;
        assert_eq!((code(&reply), seen.is_none()), (expected, expected.is_some()), "{params}");
    }
}

#[tokio::test]
async fn other_messages_pass_on_any_session() {
    let inner = Inner::new();
    IdentityLayer::new().layer(inner.clone()).oneshot(other_message()).await.unwrap();
    assert_eq!(inner.reached(), 1);
}
