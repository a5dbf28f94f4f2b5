//! The replies and the events that leave the layer.

use super::{
    super::{CallSearch, SecretPolicy, SecretSearchLayer, find_secrets},
    rig::{details, masked, ok, text_result, through, token},
};
use crate::audit::{AuditError, AuditSink, MemorySink, StoreFuture};
use mgp_transport::seam::{BoxError, CallError, Incoming, Reply};
use mgp_types::{
    audit::{AuditEvent, AuditResult},
    context::Principal,
    error::ErrorCode,
    json::RawJson,
    mcp::McpErrorCode,
    rpc::{ErrorObject, RawParams},
};
use serde_json::{Value, json};
use std::sync::Arc;
use tower::{Layer, ServiceExt, service_fn};
use xtask_testing::TestCall;

#[tokio::test]
async fn a_secret_is_masked_and_recorded_without_its_text() {
    let sent = format!(r#"{{"content":[{{"type":"text","text":"a {0}\nb {0}"}}],"n":1e400}}"#, token());
    let (reply, sink) = through(SecretPolicy::Mask, "tools/call", ok(&sent)).await;
    let expected = sent.replace(&token(), "[secret: github-pat]");
    assert_eq!(reply.result().unwrap().as_str(), expected);
    let expected = json!({"method": "tools/call", "action": "masked", "secrets": {"github-pat": 2}});
    assert_eq!(details(&sink), [expected]);
    assert_eq!(sink.events()[0].result, AuditResult::Success);
    assert!(!format!("{:?}", sink.events()).contains(&token()[4..]));
}

#[tokio::test]
async fn warn_records_a_secret_and_leaves_it() {
    let sent = text_result(&token());
    let (reply, sink) = through(SecretPolicy::Warn, "tools/call", ok(&sent)).await;
    assert_eq!(reply.result().unwrap().as_str(), sent);
    let expected = json!({"method": "tools/call", "action": "left", "secrets": {"github-pat": 1}});
    assert_eq!(details(&sink), [expected]);
}

#[tokio::test]
async fn a_result_without_secrets_is_unchanged_and_not_recorded() {
    for (policy, text) in [
        (SecretPolicy::Off, token()),
        (SecretPolicy::Warn, "nothing".to_owned()),
        (SecretPolicy::Mask, "nothing".to_owned()),
    ] {
        let sent = RawJson::parse(text_result(&text)).unwrap();
        let (reply, sink) = through(policy, "tools/call", Reply::ok(sent.clone())).await;
        // Not even copied.
        assert_eq!(reply.result().unwrap().as_bytes().as_ptr(), sent.as_bytes().as_ptr(), "{policy}");
        assert!(sink.events().is_empty(), "{policy}");
    }
}

#[tokio::test]
async fn every_part_of_a_result_except_base64_is_searched() {
    let (token, mask) = (token(), "[secret: github-pat]");
    for (method, sent) in [
        ("tools/call", json!({"content": [], "structuredContent": {"a": [{"b": token}]}})),
        ("tools/call", json!({"content": [{"type": "resource", "resource": {"uri": "a:b", "text": token}}]})),
        (
            "tools/call",
            json!({"content": [{"type": "resource_link", "uri": format!("a:{token}"), "name": token}]}),
        ),
        ("tools/call", json!({"content": [], "_meta": {token.as_str(): 1}})),
        (
            "tools/call",
            json!({"content": [{"type": "image", "data": format!("{token} "), "mimeType": "a/b"}]}),
        ),
        ("resources/read", json!({"contents": [{"uri": "a:b", "text": format!("x={token}")}]})),
        ("prompts/get", json!({"messages": [{"role": "user", "content": {"type": "text", "text": token}}]})),
        ("completion/complete", json!({"completion": {"values": [token]}})),
    ] {
        let sent = sent.to_string();
        let (reply, sink) = through(SecretPolicy::Mask, method, ok(&sent)).await;
        assert_eq!(reply.result().unwrap().as_str(), sent.replace(&token, mask), "{method}");
        assert_eq!(details(&sink)[0]["method"], method);
    }
    let image = json!({"content": [{"type": "image", "data": token.replace('_', "/"), "mimeType": "a/b"}]});
    assert_eq!(masked(&image.to_string()).await, image.to_string());
}

#[tokio::test]
async fn escapes_hide_no_secret() {
    let escaped: String = token().chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
    let sent = format!(r#"{{"content":[{{"type":"text","text":"\/{escaped}\n\u00e9"}}]}}"#);
    assert_eq!(
        masked(&sent).await,
        r#"{"content":[{"type":"text","text":"\/[secret: github-pat]\n\u00e9"}]}"#
    );
    // A key and its value count together, also where the result is JSON in a text.
    let password = format!("hG7{}", "kQ2mZ9xW4vT1");
    let inner = json!({"password": password}).to_string();
    let found = masked(&text_result(&inner)).await;
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["content"][0]["text"], json!({"password": "[secret: generic-api-key]"}).to_string());
}

#[tokio::test]
async fn a_secret_found_once_is_masked_everywhere() {
    let password = format!("hG7{}", "kQ2mZ9xW4vT1");
    assert!(find_secrets(&format!("it is {password}, he said")).unwrap().is_empty());
    let sent = json!({
        "content": [{"type": "text", "text": format!("it is {password}, he said")}],
        "structuredContent": {"password": password},
    });
    let expected = sent.to_string().replace(&password, "[secret: generic-api-key]");
    assert_eq!(masked(&sent.to_string()).await, expected);
}

/// Documented in docs/results.md.
#[tokio::test]
async fn a_secret_in_two_parts_is_not_found() {
    let (first, second) = (&token()[..20], &token()[20..]);
    let sent =
        json!({"content": [{"type": "text", "text": first}, {"type": "text", "text": second}]}).to_string();
    assert_eq!(masked(&sent).await, sent);
}

#[tokio::test]
async fn errors_and_partial_results_are_searched_too() {
    let error = ErrorObject::new(-32000, format!("no access with {}", token()))
        .with_data(RawJson::from_value(&json!({"header": token(), "n": 1})).unwrap());
    let (reply, sink) = through(SecretPolicy::Mask, "tools/call", Reply::error(error)).await;
    let error = reply.as_error().unwrap();
    assert_eq!((error.code, &*error.message), (-32000, "no access with [secret: github-pat]"));
    let data = error.data.as_ref().unwrap().as_str();
    assert_eq!(data, r#"{"header":"[secret: github-pat]","n":1}"#);
    assert_eq!(details(&sink)[0]["secrets"], json!({"github-pat": 2}));

    let partial = Reply::cancelled(RawJson::parse(text_result(&token())).unwrap());
    let (reply, _) = through(SecretPolicy::Mask, "tools/call", partial).await;
    assert!(reply.is_cancelled());
    assert_eq!(reply.result().unwrap().as_str(), text_result("[secret: github-pat]"));
}

#[tokio::test]
async fn urls_for_the_user_to_visit_are_not_masked() {
    let url = format!("https://a.example/{}", token());
    let code = i64::from(McpErrorCode::UrlElicitationRequired);
    let elicitation = |mode: &str| json!({"mode": mode, "message": token(), "url": url});
    let data = json!({"elicitations": [elicitation("url"), elicitation("form"), {"mode": "url", "url": {"a": token()}}],
        "url": url});
    for (code, left) in [(code, true), (-32000, false)] {
        let error = ErrorObject::new(code, token()).with_data(RawJson::from_value(&data).unwrap());
        let (reply, sink) = through(SecretPolicy::Mask, "tools/call", Reply::error(error)).await;
        let masked = reply.as_error().unwrap();
        let mut expected = data.to_string().replace(&token(), "[secret: github-pat]");
        if left {
            expected = expected.replacen("https://a.example/[secret: github-pat]", &url, 1);
        }
        assert_eq!(serde_json::to_value(&masked.data).unwrap().to_string(), expected);
        assert_eq!((masked.code, &*masked.message), (code, "[secret: github-pat]"));
        let count = if left { 6 } else { 7 };
        assert_eq!(details(&sink)[0]["secrets"], json!({"github-pat": count}));
    }
    // If only the URLs contain a secret, the error is left as it is, and no data is needed.
    let alone = RawJson::from_value(&json!({"elicitations": [{"mode": "url", "url": url}]})).unwrap();
    for error in [ErrorObject::new(code, "go there").with_data(alone), ErrorObject::new(code, "go there")] {
        let (reply, sink) = through(SecretPolicy::Mask, "tools/call", Reply::error(error.clone())).await;
        assert_eq!((reply.as_error(), details(&sink).len()), (Some(&error), 0));
    }
}

#[tokio::test]
async fn an_infrastructure_error_is_searched_too() {
    for policy in [SecretPolicy::Mask, SecretPolicy::Warn] {
        let sink = MemorySink::new(10);
        let layer = SecretSearchLayer::new("srv", policy, Arc::new(sink.clone()));
        let inner = service_fn(|message: Incoming| async move {
            let params = RawParams::from(RawJson::from_value(&json!({"message": token()})).unwrap());
            CallSearch::of(&message).unwrap().params(params).await.unwrap();
            Err::<Reply, BoxError>(CallError::Unreadable(token()).into())
        });
        let message = Incoming::request(1, "tools/call", RawParams::none());
        let reply = layer.layer(inner).oneshot(message).await.unwrap();
        let error = reply.as_error().unwrap();
        assert_eq!(error.code, i64::from(ErrorCode::UpstreamError));
        assert_eq!(error.message.contains(&token()), policy == SecretPolicy::Warn, "{}", error.message);
        assert_eq!(details(&sink)[0]["secrets"], json!({"github-pat": 2}));
    }
}

#[tokio::test]
async fn secrets_in_notifications_of_dropped_requests_are_recorded() {
    let sink = MemorySink::new(10);
    let layer = SecretSearchLayer::new("srv", SecretPolicy::Warn, Arc::new(sink.clone()));
    let inner = service_fn(|message: Incoming| async move {
        let params = RawParams::from(RawJson::from_value(&json!({"message": token()})).unwrap());
        CallSearch::of(&message).unwrap().params(params).await.unwrap();
        std::future::pending::<Result<Reply, BoxError>>().await
    });
    let message = Incoming::request(1, "tools/call", RawParams::none());
    let mut answered = Box::pin(layer.layer(inner).oneshot(message));
    assert!(futures_util::poll!(&mut answered).is_pending());
    assert!(sink.events().is_empty());
    drop(answered);
    assert_eq!(details(&sink)[0]["secrets"], json!({"github-pat": 1}));
}

#[tokio::test]
async fn an_event_names_the_caller_and_the_tool() {
    let sink = MemorySink::new(10);
    let layer = SecretSearchLayer::new("srv", SecretPolicy::Mask, Arc::new(sink.clone()));
    let inner = service_fn(|message: Incoming| async move {
        let search = CallSearch::of(&message).unwrap();
        assert!(search.masks());
        let params = RawParams::from(RawJson::from_value(&json!({"message": token()})).unwrap());
        let params = search.params(params).await.unwrap();
        assert_eq!(params.get().unwrap().as_str(), r#"{"message":"[secret: github-pat]"}"#);
        Ok::<_, BoxError>(ok(&text_result(&token())))
    });
    let call = TestCall::new("{}").principal("ann").identified();
    layer.layer(inner).oneshot(call.into_message()).await.unwrap();
    let events = sink.events();
    assert_eq!(events.len(), 1);
    let target = events[0].target.get().unwrap();
    assert_eq!((events[0].actor.id.as_str(), target.server_id.get()), ("ann", Some(&"srv".to_owned())));
    assert_eq!(target.tool_name.get(), Some(&"t".to_owned()));
    assert_eq!(details(&sink)[0]["secrets"], json!({"github-pat": 2}));
}

#[tokio::test]
async fn a_standalone_notification_is_masked_and_recorded() {
    let sink = MemorySink::new(10);
    let params = || RawJson::from_value(&json!({"statusMessage": token()})).unwrap();
    for policy in [SecretPolicy::Off, SecretPolicy::Mask] {
        let layer = SecretSearchLayer::new("srv", policy, Arc::new(sink.clone()));
        let mut notification = Incoming::notification("notifications/tasks/status", params());
        notification.ext.insert(Principal::agent("ann"));
        let left = layer.notification(notification).await.unwrap();
        assert_eq!(left.get().unwrap().as_str().contains(&token()), policy == SecretPolicy::Off);
    }
    assert_eq!(sink.events()[0].actor.id, "ann");
    assert_eq!(details(&sink)[0]["secrets"], json!({"github-pat": 1}));
}

/// A sink that stores nothing.
#[derive(Debug)]
struct BrokenSink;

impl AuditSink for BrokenSink {
    fn record(&self, _: AuditEvent) -> StoreFuture {
        StoreFuture::ready(Err(AuditError::new("the disk is full")))
    }
}

#[tokio::test]
async fn a_result_whose_event_cannot_be_stored_is_withheld() {
    for policy in [SecretPolicy::Mask, SecretPolicy::Warn] {
        let layer = SecretSearchLayer::new("srv", policy, Arc::new(BrokenSink));
        let inner = service_fn(|_: Incoming| async { Ok::<_, BoxError>(ok(&text_result(&token()))) });
        let message = Incoming::request(1, "tools/call", RawParams::none());
        let reply = layer.layer(inner).oneshot(message).await.unwrap();
        assert!(reply.as_error().unwrap().message.contains("the disk is full"), "{policy}");
    }
}
