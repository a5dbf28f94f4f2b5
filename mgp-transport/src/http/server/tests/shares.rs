//! The shares of sessions and requests that one caller may have beside others.

use super::{Rig, request};
use crate::http::server::{ApiKey, HttpServerConfig};
use axum::body::Body;
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use mgp_types::context::Principal;
use serde_json::json;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":4,"method":"initialize"}"#;
const WHOAMI: &str = r#"{"jsonrpc":"2.0","id":5,"method":"whoami"}"#;

/// Returns a server with keys. The part of a key before its first dot names the principal that the key stands for.
fn rig(keys: &[&str]) -> Rig {
    Rig::new(|mut builder| {
        for key in keys {
            let owner = key.split('.').next().unwrap();
            builder = builder.api_key(ApiKey::of(key), Principal::agent(owner));
        }
        builder.config(HttpServerConfig {
            sessions: 3,
            sessions_of_one: Some(2),
            requests: 3,
            requests_of_one: Some(2),
            ..HttpServerConfig::default()
        })
    })
}

fn open(key: &str) -> Request<Body> {
    request("POST", &[("x-api-key", key)], INITIALIZE)
}

/// Opens a session, and its stream, which keeps the session in use.
async fn in_use(rig: &Rig, key: &str) -> (String, Response<Body>) {
    let opened = rig.send(open(key)).await;
    assert_eq!(opened.status(), StatusCode::OK, "{key}");
    let session = opened.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    let headers = [("x-api-key", key), ("mcp-session-id", &*session)];
    let stream = rig.send(request("GET", &headers, "")).await;
    (session, stream)
}

fn stateless(key: &str, method: &str) -> Request<Body> {
    stateless_of(&json!({}), key, method)
}

fn with_mgp(key: &str, method: &str) -> Request<Body> {
    let mgp = json!({"version": "0.3.0", "extensions": []});
    stateless_of(&json!({"extensions": {"dev.cloto/mgp": mgp}}), key, method)
}

fn stateless_of(capabilities: &serde_json::Value, key: &str, method: &str) -> Request<Body> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    let body = json!({"jsonrpc": "2.0", "id": 4, "method": method, "params": {"_meta": meta}});
    let headers = [("x-api-key", key), ("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    request("POST", &headers, &body.to_string())
}

#[tokio::test]
async fn one_caller_cannot_take_all_sessions_from_another() {
    let rig = rig(&["alice", "alice.2", "bob", "carol"]);
    let (first, second) = (in_use(&rig, "alice").await, in_use(&rig, "alice.2").await);
    let (status, text) = rig.text(open("alice")).await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    assert!(text.contains(r#""id":4"#) && text.contains("too many sessions of this caller: 2"), "{text}");
    let of_bob = in_use(&rig, "bob").await;
    let (status, text) = rig.text(open("carol")).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(text.contains("too many sessions: 3"), "{text}");
    // What one gives back, they may take again.
    let headers = [("x-api-key", "alice"), ("mcp-session-id", &*first.0)];
    assert_eq!(rig.send(request("DELETE", &headers, "")).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(rig.send(open("alice")).await.status(), StatusCode::OK);
    drop((second, of_bob));
}

#[tokio::test]
async fn an_idle_session_is_evicted_for_its_caller_or_a_smaller_one() {
    let rig = rig(&["alice", "bob", "carol"]);
    let session = async |key: &str| {
        let response = rig.send(open(key)).await;
        assert_eq!(response.status(), StatusCode::OK, "{key}");
        response.headers()["mcp-session-id"].to_str().unwrap().to_owned()
    };
    let lives = async |key: &str, session: &str| {
        let headers = [("x-api-key", key), ("mcp-session-id", session)];
        rig.send(request("POST", &headers, WHOAMI)).await.status() == StatusCode::OK
    };
    let (alice, of_bob) = ([session("alice").await, session("alice").await], session("bob").await);
    // A caller that may have no more loses one of its own.
    let third = session("alice").await;
    assert!(!lives("alice", &alice[0]).await && lives("bob", &of_bob).await);
    // A caller without a session gets one of alice, who has two; bob, who has only one, keeps it.
    let of_carol = session("carol").await;
    assert!(lives("bob", &of_bob).await && lives("carol", &of_carol).await);
    assert!(!lives("alice", &alice[1]).await && lives("alice", &third).await);
    // With one each, nobody gets a second one from another.
    session("carol").await;
    assert!(!lives("carol", &of_carol).await);
    assert!(lives("bob", &of_bob).await && lives("alice", &third).await);
}

#[tokio::test]
async fn one_caller_cannot_take_all_sessionless_requests() {
    let rig = rig(&["alice", "bob"]);
    let mut waiting = Vec::new();
    for _ in 0..2 {
        waiting.push(tokio::spawn(rig.send_owned(stateless("alice", "wait"))));
        rig.probe.begun.notified().await;
    }
    let (status, text) = rig.text(stateless("alice", "whoami")).await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    assert!(text.contains(r#""id":4"#) && text.contains("too many requests of this caller: 2"), "{text}");
    assert_eq!(rig.send(stateless("bob", "whoami")).await.status(), StatusCode::OK);
    for call in &waiting {
        call.abort();
    }
    for call in waiting {
        call.await.unwrap_err();
    }
    assert_eq!(rig.send(stateless("alice", "whoami")).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_refusal_for_lack_of_room_says_when_to_retry() {
    async fn refused(rig: &Rig, request: Request<Body>) -> (u16, serde_json::Value) {
        let response = rig.send(request).await;
        assert_eq!(response.headers()["retry-after"], "1");
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&body).unwrap())
    }

    let rig = rig(&["alice", "bob"]);
    let (mut waiting, mut sessions) = (Vec::new(), Vec::new());
    for (key, status) in [("alice", 429), ("bob", 503)] {
        // Alice takes all that are hers, and Bob what is left.
        let count = if status == 429 { 2 } else { 1 };
        for _ in 0..count {
            waiting.push(tokio::spawn(rig.send_owned(stateless(key, "wait"))));
            rig.probe.begun.notified().await;
            sessions.push(in_use(&rig, key).await);
        }
        for request in [open(key), stateless(key, "whoami")] {
            let (found, answer) = refused(&rig, request).await;
            assert_eq!((found, &answer["id"]), (status, &json!(4)), "{answer}");
            assert_eq!(answer["error"]["code"], -32603);
            let report = &answer["error"]["data"];
            assert_eq!((&report["retryable"], &report["retry_after_seconds"]), (&json!(true), &json!(1)));
            assert!(report.get("_mgp").is_none(), "{report}");
        }
        // A client that has MGP is told in its words.
        let (_, answer) = refused(&rig, with_mgp(key, "whoami")).await;
        let advice = &answer["error"]["data"]["_mgp"];
        assert_eq!(answer["error"]["code"], 3001, "{answer}");
        assert_eq!((&advice["retryable"], &advice["retry_after_ms"]), (&json!(true), &json!(1000)));
    }
}

#[tokio::test]
async fn a_sole_caller_may_use_everything() {
    for keys in [&[][..], &["alice", "alice.2"]] {
        let rig = rig(keys);
        let key = keys.first().copied().unwrap_or_default();
        let mut sessions = Vec::new();
        for _ in 0..3 {
            sessions.push(in_use(&rig, key).await);
        }
        assert_eq!(rig.send(open(key)).await.status(), StatusCode::SERVICE_UNAVAILABLE);
        let mut waiting = Vec::new();
        for _ in 0..3 {
            waiting.push(tokio::spawn(rig.send_owned(stateless(key, "wait"))));
            rig.probe.begun.notified().await;
        }
        assert_eq!(rig.send(stateless(key, "whoami")).await.status(), StatusCode::SERVICE_UNAVAILABLE);
    }
}
