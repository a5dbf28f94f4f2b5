//! The stateless revisions: each POST stands for itself.

use super::{Rig, Stream, request};
use crate::http::server::ApiKey;
use axum::body::Body;
use http::{HeaderName, Request, StatusCode};
use mgp_types::context::Principal;
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, time::Duration};
use tokio::task::JoinHandle;
use xtask_testing::{until, within};

/// Returns the body of a request.
fn body(id: i64, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// Returns a request as a well-behaved client sends it, with the headers that the test adds, and without those that are empty.
fn post(id: i64, method: &str, params: Value, headers: &[(&str, &str)]) -> Request<Body> {
    let key = if method == "resources/read" { "uri" } else { "name" };
    let name = params[key].as_str().unwrap_or_default().to_owned();
    let own = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", method), ("mcp-name", &name)];
    let headers: Vec<_> = own.iter().chain(headers).copied().collect();
    request("POST", &headers, &body(id, method, params))
}

/// Sends a request. Returns the status, the code of the error, and the body.
async fn refused(rig: &Rig, request: Request<Body>) -> (u16, i64, String) {
    let (status, text) = rig.text(request).await;
    let answer: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{status}: {text}"));
    (status.as_u16(), answer["error"]["code"].as_i64().unwrap_or_default(), text)
}

/// Begins a call that waits. Returns its response to come.
async fn begin_wait(rig: &Rig, id: i64) -> JoinHandle<http::Response<Body>> {
    let call = tokio::spawn(rig.send_owned(post(id, "wait", json!({}), &[])));
    within(rig.probe.begun.notified()).await;
    call
}

#[tokio::test]
async fn a_json_only_client_gets_the_answer_and_no_subscription() {
    let rig = Rig::new(|b| b);
    let (status, text) = rig.text(post(1, "progress", json!({}), &[("accept", "application/json")])).await;
    assert_eq!((status, &*text), (StatusCode::OK, r#"{"jsonrpc":"2.0","id":1,"result":"done"}"#));
    let (status, _, text) =
        refused(&rig, post(2, "subscriptions/listen", json!({}), &[("accept", "application/json")])).await;
    assert_eq!(status, 406);
    assert!(text.contains("expected text/event-stream") && text.contains(r#""id":2"#), "{text}");
}

#[tokio::test]
async fn each_request_is_answered_without_a_session() {
    let rig = Rig::new(|b| b);
    let response = rig.send(post(1, "whoami", json!({}), &[])).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert!(response.headers().get("mcp-session-id").is_none());
    let mut sessions = Vec::new();
    for header in ["", "made up", "made up"] {
        let (status, text) = rig.text(post(1, "session", json!({}), &[("mcp-session-id", header)])).await;
        assert_eq!(status, StatusCode::OK, "{text}");
        sessions.push(text);
    }
    sessions.dedup();
    assert_eq!(sessions.len(), 3, "no request shares a session with another: {sessions:?}");
    assert_eq!(rig.server.sessions(), 0);
}

#[tokio::test]
async fn missing_wrong_and_repeated_headers_are_refused() {
    let rig = Rig::new(|b| b);
    let calls = [
        ("tools/call", json!({"name": "a"})),
        ("prompts/get", json!({"name": "a"})),
        ("resources/read", json!({"uri": "a"})),
    ];
    for (method, params) in calls {
        for name in ["mcp-protocol-version", "mcp-method", "mcp-name"] {
            for wrong in ["", "b", "2025-11-25", "=?base64?*?="] {
                let (status, code, text) =
                    refused(&rig, post(1, method, params.clone(), &[(name, wrong)])).await;
                assert_eq!((status, code), (400, -32020), "{method} {name} {wrong:?}: {text}");
                assert!(text.contains(r#""id":1"#) && text.to_lowercase().contains(name), "{text}");
            }
            let mut twice = post(1, method, params.clone(), &[]);
            let same = twice.headers()[name].clone();
            twice.headers_mut().append(name.parse::<HeaderName>().unwrap(), same);
            let (status, code, text) = refused(&rig, twice).await;
            assert_eq!((status, code), (400, -32020), "{method} {name} twice: {text}");
        }
        assert_eq!(rig.send(post(1, method, params, &[])).await.status(), StatusCode::OK);
    }
    // What names nothing needs no name, and one that is there is not looked at.
    for name in ["", "whatever"] {
        let answered = rig.send(post(1, "tools/list", json!({}), &[("mcp-name", name)])).await;
        assert_eq!(answered.status(), StatusCode::OK);
    }
}

#[tokio::test]
async fn a_name_may_be_in_base64_in_its_header() {
    let rig = Rig::new(|b| b);
    for (name, header) in [
        ("Zürich", "=?base64?WsO8cmljaA==?="),
        ("plain", "=?base64?cGxhaW4=?="),
        (" blank", "=?base64?IGJsYW5r?="),
        ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
    ] {
        let call = |header| post(1, "tools/call", json!({"name": name}), &[("mcp-name", header)]);
        let (status, text) = rig.text(call(header)).await;
        assert_eq!(status, StatusCode::OK, "{name}: {text}");
        let (status, code, _) = refused(&rig, call("=?base64?YQ==?=")).await;
        assert_eq!((status, code), (400, -32020), "{name}");
    }
}

#[tokio::test]
async fn a_missing_or_wrong_envelope_is_refused() {
    let rig = Rig::new(|b| b);
    const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    for (version, meta, code) in [
        ("2026-07-28", json!({}), -32602),
        ("2026-07-28", json!({CAPABILITIES: {}}), -32602),
        ("2026-07-28", json!({VERSION: "2026-07-28"}), -32602),
        ("2026-07-28", json!({VERSION: 7, CAPABILITIES: {}}), -32602),
        ("2026-07-28", json!({VERSION: "2026-07-28", CAPABILITIES: []}), -32602),
        ("2099-01-01", json!({VERSION: "2099-01-01", CAPABILITIES: {}}), -32022),
        ("2025-11-25", json!({VERSION: "2025-11-25", CAPABILITIES: {}}), -32022),
    ] {
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": "whoami", "params": {"_meta": meta}}).to_string();
        let headers = [("mcp-protocol-version", version), ("mcp-method", "whoami")];
        let (status, found, text) = refused(&rig, request("POST", &headers, &body)).await;
        assert_eq!((status, found), (400, code), "{meta}: {text}");
    }
    // The body alone makes it such a request too.
    let (status, code, text) = refused(&rig, request("POST", &[], &body(1, "whoami", json!({})))).await;
    assert_eq!((status, code), (400, -32020), "{text}");
}

#[tokio::test]
async fn an_error_s_status_names_the_side_at_fault() {
    let rig = Rig::new(|b| b);
    for (code, status) in [
        (-32601, 404),
        (-32020, 400),
        (-32021, 400),
        (-32022, 400),
        (-32602, 200),
        (-32603, 200),
        (-32600, 200),
        (-32002, 200),
        (1000, 200),
    ] {
        let (found, told, text) = refused(&rig, post(1, "fail", json!({"code": code}), &[])).await;
        assert_eq!((found, told), (status, code), "{text}");
    }
}

#[tokio::test]
async fn messages_before_the_answer_make_it_a_stream() {
    let rig = Rig::new(|b| b);
    let told = Stream::of(rig.send(post(5, "progress", json!({}), &[])).await).rest().await;
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].contains("notifications/progress") && told[2].contains(r#""result":"done""#), "{told:?}");
}

#[tokio::test]
async fn closing_the_response_cancels_the_call() {
    let rig = Rig::new(|b| b);
    // Before anything was answered.
    let waiting = begin_wait(&rig, 1).await;
    waiting.abort();
    until(|| rig.probe.cancelled.load(Ordering::SeqCst) > 0).await;
    // After its stream has begun.
    let rig = Rig::with_config(|config| config.json_timeout = Duration::from_millis(1));
    let waiting = begin_wait(&rig, 1).await;
    let stream = Stream::of(within(waiting).await.unwrap());
    drop(stream);
    until(|| rig.probe.cancelled.load(Ordering::SeqCst) > 0).await;
    assert_eq!(rig.probe.finished.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn reading_an_answer_cancels_nothing() {
    let rig = Rig::new(|b| b);
    let waiting = begin_wait(&rig, 1).await;
    rig.probe.gate.notify_one();
    let told = Stream::of(within(waiting).await.unwrap()).rest().await;
    assert!(told.last().unwrap().contains("waited"), "{told:?}");
    assert_eq!(rig.probe.cancelled.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn ids_of_different_clients_may_be_equal() {
    let rig = Rig::new(|b| b);
    let (one, other) = (begin_wait(&rig, 1).await, begin_wait(&rig, 1).await);
    for ended in 1..=2 {
        rig.probe.gate.notify_one();
        until(|| rig.probe.finished.load(Ordering::SeqCst) >= ended).await;
    }
    for call in [one, other] {
        let told = Stream::of(within(call).await.unwrap()).rest().await;
        assert!(told.last().unwrap().contains(r#""id":1"#), "{told:?}");
    }
}

#[tokio::test]
async fn an_excess_request_is_refused_until_a_slot_is_free() {
    let rig = Rig::with_config(|config| config.requests = 1);
    let waiting = begin_wait(&rig, 1).await;
    let (status, code, text) = refused(&rig, post(2, "whoami", json!({}), &[])).await;
    assert_eq!((status, code), (503, -32603), "{text}");
    assert!(text.contains(r#""id":2"#), "{text}");
    waiting.abort();
    let _ = waiting.await;
    assert_eq!(rig.send(post(3, "whoami", json!({}), &[])).await.status(), StatusCode::OK);
    // One that was refused for its headers holds no place.
    refused(&rig, post(4, "whoami", json!({}), &[("mcp-method", "")])).await;
    assert_eq!(rig.send(post(5, "whoami", json!({}), &[])).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn draining_ends_subscriptions_and_waits_for_calls() {
    let rig = Rig::new(|b| b);
    let listening = tokio::spawn(rig.send_owned(post(1, "subscriptions/listen", json!({}), &[])));
    within(rig.probe.begun.notified()).await;
    let mut listening = Stream::of(within(listening).await.unwrap());
    assert!(listening.next().await.unwrap().contains("acknowledged"));
    let waiting = begin_wait(&rig, 2).await;
    let server = rig.server.clone();
    let draining = tokio::spawn(async move { server.drain().await });
    let ended = within(listening.next()).await.unwrap();
    assert!(ended.contains(r#""result":"ended""#), "{ended}");
    assert_eq!(within(listening.next()).await, None);
    drop(listening);
    let (status, _, text) = refused(&rig, post(3, "whoami", json!({}), &[])).await;
    assert_eq!(status, 503, "{text}");
    assert!(!draining.is_finished());
    rig.probe.gate.notify_one();
    let told = Stream::of(within(waiting).await.unwrap()).rest().await;
    assert!(told.last().unwrap().contains("waited"), "{told:?}");
    within(draining).await.unwrap();
}

#[tokio::test]
async fn draining_cancels_a_call_that_does_not_end_in_time() {
    let rig = Rig::with_config(|config| config.drain_timeout = Duration::from_millis(50));
    let _waiting = begin_wait(&rig, 1).await;
    within(rig.server.drain()).await;
    until(|| rig.probe.cancelled.load(Ordering::SeqCst) > 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_loses_only_its_stream() {
    let rig = Rig::with_config(|config| {
        config.stream_messages = 2;
        config.write_timeout = Duration::from_millis(100);
    });
    let slow = rig.send(post(1, "flood", json!({}), &[])).await;
    let other = begin_wait(&rig, 2).await;
    // The call goes on without its reader.
    until(|| rig.probe.finished.load(Ordering::SeqCst) > 0).await;
    let read = within(Stream::of(slow).rest()).await;
    assert!(read.len() < 11 && !read.iter().any(|event| event.contains("done")), "{read:?}");
    rig.probe.gate.notify_one();
    let told = Stream::of(within(other).await.unwrap()).rest().await;
    assert!(told.last().unwrap().contains("waited"), "{told:?}");
}

#[tokio::test]
async fn a_notification_is_accepted_and_a_response_is_refused() {
    let rig = Rig::new(|b| b);
    let version = [("mcp-protocol-version", "2026-07-28")];
    let notification =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    let (status, text) = rig.text(request("POST", &version, &notification.to_string())).await;
    assert_eq!((status, &*text), (StatusCode::ACCEPTED, ""));
    assert_eq!(rig.probe.notified.load(Ordering::SeqCst), 0, "nothing in these revisions waits for one");
    let response = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    let (status, text) = rig.text(request("POST", &version, &response.to_string())).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{text}");
}

#[tokio::test]
async fn a_notification_cannot_cancel_another_client_s_request() {
    let rig = Rig::new(|b| b);
    let waiting = begin_wait(&rig, 1).await;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    rig.send(request("POST", &[("mcp-protocol-version", "2026-07-28")], &cancel.to_string())).await;
    rig.probe.gate.notify_one();
    let told = Stream::of(within(waiting).await.unwrap()).rest().await;
    assert!(told.last().unwrap().contains("waited"), "{told:?}");
}

#[tokio::test]
async fn a_request_has_the_principal_of_its_own_key() {
    let rig = Rig::new(|b| {
        b.api_key(ApiKey::of("one"), Principal::agent("agent.one"))
            .api_key(ApiKey::of("two"), Principal::operator("operator.two"))
    });
    for (key, who) in [("one", r#"["agent.one",false]"#), ("two", r#"["operator.two",true]"#)] {
        let (status, text) = rig.text(post(1, "whoami", json!({}), &[("x-api-key", key)])).await;
        assert!(status == StatusCode::OK && text.contains(who), "{key}: {text}");
    }
    for key in ["", "three"] {
        let (status, _) = rig.text(post(1, "whoami", json!({}), &[("x-api-key", key)])).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED);
    }
}

#[tokio::test]
async fn a_server_cannot_send_a_request_to_a_stateless_client() {
    let rig = Rig::new(|b| b);
    let (_, text) = within(rig.text(post(1, "ask", json!({}), &[]))).await;
    assert!(text.contains("error") && !text.contains("roots/list\",\"params"), "{text}");
}

#[tokio::test]
async fn session_methods_do_not_exist_here() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    for method in ["GET", "DELETE"] {
        for session in ["", &session] {
            let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-session-id", session)];
            let response = rig.send(request(method, &headers, "")).await;
            assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED, "{method} {session}");
            assert_eq!(response.headers()["allow"], "POST");
        }
    }
    assert_eq!(rig.server.sessions(), 1);
}
