//! HTTP+SSE: one stream, and an address for messages.

use super::{Rig, Stream, request};
use crate::http::server::ApiKey;
use axum::body::Body;
use http::{Request, StatusCode};
use mgp_types::context::Principal;
use std::{sync::atomic::Ordering, time::Duration};
use xtask_testing::until;

fn rig() -> Rig {
    Rig::new(|b| b.http_sse("/sse"))
}

fn to(uri: &str, mut request: Request<Body>) -> Request<Body> {
    *request.uri_mut() = uri.parse().unwrap();
    request
}

/// Opens a session. Returns its stream and the address for messages.
async fn open(rig: &Rig, headers: &[(&str, &str)]) -> (Stream, String) {
    let get = request("GET", &[&[("accept", "text/event-stream")], headers].concat(), "");
    let mut stream = Stream::of(rig.send(to("/sse", get)).await);
    let event = stream.next().await.unwrap();
    let uri = event.strip_prefix("event: endpoint\ndata: ").unwrap().to_owned();
    assert!(uri.starts_with("/messages?session_id="), "{uri}");
    (stream, uri)
}

async fn post(rig: &Rig, uri: &str, body: &str) -> (StatusCode, String) {
    // Clients of that time said nothing of what they accept here.
    rig.text(to(uri, request("POST", &[("accept", "")], body))).await
}

#[tokio::test]
async fn messages_are_posted_and_answers_come_on_the_stream() {
    let rig = rig();
    let (mut stream, uri) = open(&rig, &[]).await;
    let initialize =
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}"#;
    for (body, expected) in [
        (initialize, &["2024-11-05"][..]),
        (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, &[][..]),
        (r#"{"jsonrpc":"2.0","id":1,"method":"progress"}"#, &["progress", "progress", "done"][..]),
        (r#"{"jsonrpc":"2.0","id":2,"method":"ask"}"#, &["roots/list"][..]),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#, &[r#""id":2,"result":{"roots""#][..]),
        (r#"{"jsonrpc":"2.0","id":3,"method":"announce"}"#, &["list_changed", "hello", "announced"][..]),
    ] {
        assert_eq!(post(&rig, &uri, body).await, (StatusCode::ACCEPTED, String::new()), "{body}");
        for part in expected {
            let event = stream.next().await.unwrap();
            assert!(event.contains(part), "{event}: {part}");
        }
    }
    // Nobody can come back to such a stream, so nothing says from where.
    assert_eq!(stream.last_id, "");
}

#[tokio::test]
async fn it_is_off_by_default() {
    let rig = Rig::new(|b| b);
    for uri in ["/sse", "/messages"] {
        assert_eq!(rig.send(to(uri, request("GET", &[], ""))).await.status(), StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn a_message_s_fault_is_reported_at_once() {
    let rig = rig();
    let (_stream, uri) = open(&rig, &[]).await;
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for (uri, body, status, part) in [
        (&*uri, "{", 400, "-32700"),
        (&*uri, "[]", 400, "batches are not supported"),
        ("/messages", ping, 400, "missing session_id"),
        ("/messages?session_id=1", ping, 404, "unknown or expired session"),
    ] {
        let (found, text) = post(&rig, uri, body).await;
        assert_eq!(found.as_u16(), status, "{text}");
        assert!(text.contains(part), "{text}");
    }
    let text = to(&uri, request("POST", &[("content-type", "text/plain")], ping));
    assert_eq!(rig.send(text).await.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

#[tokio::test]
async fn host_origin_and_key_are_required_here_too() {
    let (mine, my_key) = ApiKey::generate().unwrap();
    let (yours, your_key) = ApiKey::generate().unwrap();
    let rig = Rig::new(|b| {
        b.http_sse("/sse").api_key(my_key, Principal::agent("a")).api_key(your_key, Principal::agent("b"))
    });
    let (mut stream, uri) = open(&rig, &[("x-api-key", &mine)]).await;
    let who = r#"{"jsonrpc":"2.0","id":1,"method":"whoami"}"#;
    for uri in ["/sse", &uri] {
        let method = if uri == "/sse" { "GET" } else { "POST" };
        for (headers, status) in [
            ([("x-api-key", &*mine), ("host", "evil.example")], 403),
            ([("x-api-key", &*mine), ("origin", "http://evil.example")], 403),
            ([("x-api-key", "wrong"), ("host", "localhost")], 401),
        ] {
            let found = rig.send(to(uri, request(method, &headers, who))).await.status();
            assert_eq!(found.as_u16(), status, "{method} {headers:?}");
        }
    }
    let as_you = rig.send(to(&uri, request("POST", &[("x-api-key", &yours)], who))).await;
    assert_eq!(as_you.status(), StatusCode::NOT_FOUND);
    rig.send(to(&uri, request("POST", &[("x-api-key", &mine)], who))).await;
    assert!(stream.next().await.unwrap().contains(r#"["a",false]"#));
}

#[tokio::test]
async fn a_session_of_one_transport_does_not_exist_for_the_other() {
    let rig = rig();
    let (_stream, uri) = open(&rig, &[]).await;
    let streamable = rig.open().await;
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let secret = uri.split_once('=').unwrap().1;
    assert_eq!(rig.call(secret, ping).await.status(), StatusCode::NOT_FOUND);
    let crossed = format!("/messages?session_id={streamable}");
    assert_eq!(post(&rig, &crossed, ping).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn sessions_are_counted_together() {
    let config = crate::http::server::HttpServerConfig { sessions: 2, ..Default::default() };
    let rig = Rig::new(|b| b.http_sse("/sse").config(config));
    let _first = open(&rig, &[]).await;
    let session = rig.open().await;
    // Its stream keeps it in use: an idle session gives way.
    let _second = rig.send(request("GET", &[("mcp-session-id", &*session)], "")).await;
    assert_eq!(rig.server.sessions(), 2);
    let (status, text) = rig.text(to("/sse", request("GET", &[], ""))).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(text.contains("too many sessions: 2"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_session_ends_with_its_stream_once_its_calls_have() {
    let rig = rig();
    let (stream, uri) = open(&rig, &[]).await;
    post(&rig, &uri, r#"{"jsonrpc":"2.0","id":1,"method":"wait"}"#).await;
    rig.probe.begun.notified().await;
    drop(stream);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let ping = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
    assert_eq!(post(&rig, &uri, ping).await.0, StatusCode::NOT_FOUND);
    assert_eq!((rig.server.sessions(), rig.probe.cancelled.load(Ordering::SeqCst)), (1, 0));
    rig.probe.gate.notify_one();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!((rig.server.sessions(), rig.probe.finished.load(Ordering::SeqCst)), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn endless_calls_are_cancelled_after_their_stream() {
    let rig = rig();
    let (stream, uri) = open(&rig, &[]).await;
    post(&rig, &uri, r#"{"jsonrpc":"2.0","id":1,"method":"wait"}"#).await;
    rig.probe.begun.notified().await;
    drop(stream);
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert_eq!((rig.server.sessions(), rig.probe.cancelled.load(Ordering::SeqCst)), (0, 1));
}

#[tokio::test]
async fn draining_waits_for_calls_and_opens_nothing() {
    let rig = rig();
    let (mut stream, uri) = open(&rig, &[]).await;
    post(&rig, &uri, r#"{"jsonrpc":"2.0","id":1,"method":"wait"}"#).await;
    rig.probe.begun.notified().await;
    let server = rig.server.clone();
    let drain = tokio::spawn(async move { server.drain().await });
    until(|| rig.server.0.draining.load(Ordering::Acquire)).await;
    let refused = rig.send(to("/sse", request("GET", &[], ""))).await;
    assert_eq!((refused.status().as_u16(), &refused.headers()["retry-after"]), (503, &"1".parse().unwrap()));
    assert_eq!(post(&rig, &uri, r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).await.0.as_u16(), 503);
    rig.probe.gate.notify_one();
    assert!(stream.next().await.unwrap().contains("late"));
    assert!(stream.next().await.unwrap().contains("waited"));
    assert_eq!(stream.next().await, None);
    drain.await.unwrap();
    assert_eq!(rig.server.sessions(), 0);
}
