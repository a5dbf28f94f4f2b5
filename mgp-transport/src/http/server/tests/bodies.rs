//! The bytes that bodies hold: of one caller, of all, and for how long.

use super::{Rig, request};
use crate::http::server::{ApiKey, HttpServerConfig};
use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use mgp_types::context::Principal;
use std::{convert::Infallible, sync::Arc, time::Duration};
use tokio::{sync::Notify, task::JoinHandle};

const PART: usize = 300_000;

fn rig() -> Rig {
    Rig::new(|builder| {
        builder
            .api_key(ApiKey::of("alice"), Principal::agent("alice"))
            .api_key(ApiKey::of("bob"), Principal::agent("bob"))
            .config(HttpServerConfig {
                max_body: 400_000,
                total_body_limit: 1_000_000,
                total_body_limit_of_one: Some(600_000),
                ..HttpServerConfig::default()
            })
    })
}

/// Returns a request whose body stops after its first part, and a [`Notify`] that tells when that part was taken.
fn unfinished(key: &str) -> (Request<Body>, Arc<Notify>) {
    let taken = Arc::new(Notify::new());
    let ring = taken.clone();
    let parts = stream::unfold(true, move |is_first| {
        let ring = ring.clone();
        async move {
            if !is_first {
                ring.notify_one();
                std::future::pending::<()>().await;
            }
            Some((Ok::<_, Infallible>(Bytes::from_static(&[b' '; PART])), false))
        }
    });
    let mut request = request("POST", &[("x-api-key", key)], "");
    *request.body_mut() = Body::from_stream(parts);
    (request, taken)
}

/// Begins a body that nobody finishes.
async fn begin(rig: &Rig, key: &str) -> JoinHandle<Response<Body>> {
    let (request, taken) = unfinished(key);
    let call = tokio::spawn(rig.send_owned(request));
    taken.notified().await;
    call
}

async fn refusal(rig: &Rig, key: &str) -> (StatusCode, String) {
    let response = rig.send(unfinished(key).0).await;
    assert_eq!(response.headers()["retry-after"], "1");
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn unfinished_bodies_are_bounded_per_caller_and_in_total() {
    let rig = rig();
    let (first, _second) = (begin(&rig, "alice").await, begin(&rig, "alice").await);
    let (status, text) = refusal(&rig, "alice").await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    assert!(
        text.contains(r#"those of \"alice\" may hold 600000 together (total_body_limit_per_agent)"#),
        "{text}"
    );
    let _third = begin(&rig, "bob").await;
    let (status, text) = refusal(&rig, "bob").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(text.contains("those of all callers may hold 1000000 together (total_body_limit)"), "{text}");
    // Bodies of an ordinary size need no share.
    let ping = r#"{"jsonrpc":"2.0","id":4,"method":"initialize"}"#;
    assert_eq!(rig.send(request("POST", &[("x-api-key", "bob")], ping)).await.status(), StatusCode::OK);
    // A client that is gone gives back what it held.
    first.abort();
    first.await.unwrap_err();
    begin(&rig, "bob").await;
}

#[tokio::test]
async fn a_body_holds_its_share_until_its_request_is_handled() {
    let rig = Rig::with_config(|config| (config.max_body, config.total_body_limit) = (120_000, 150_000));
    let (first, second) = (rig.open().await, rig.open().await);
    let call = |session: &str| {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"wait","params":{{"text":"{}"}}}}"#,
            "x".repeat(100_000)
        );
        request("POST", &[("mcp-session-id", session)], &body)
    };
    let waiting = tokio::spawn(rig.send_owned(call(&first)));
    rig.probe.begun.notified().await;
    assert_eq!(rig.send(call(&second)).await.status(), StatusCode::SERVICE_UNAVAILABLE);
    rig.probe.gate.notify_one();
    let answered = waiting.await.unwrap();
    answered.into_body().collect().await.unwrap();
    rig.probe.gate.notify_one();
    assert_eq!(rig.send(call(&second)).await.status(), StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_arrive_is_refused_in_time() {
    let (request, _) = unfinished("alice");
    let start = tokio::time::Instant::now();
    let (status, text) = rig().text(request).await;
    assert_eq!((status, start.elapsed()), (StatusCode::REQUEST_TIMEOUT, Duration::from_secs(30)));
    assert!(text.contains("the body did not arrive within 30s"), "{text}");
}

#[tokio::test]
async fn a_body_announced_as_too_long_is_refused_unread() {
    let rig = rig();
    let (status, text) = rig.text(request("POST", &[("x-api-key", "bob")], &" ".repeat(400_001))).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(text.contains("expected at most 400000 bytes (body_limit)"), "{text}");
}

#[tokio::test]
async fn a_chunked_body_is_read_whole() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let params = format!(r#"{{"text":"{}"}}"#, "x".repeat(200_000));
    let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":{params}}}"#);
    for size in [1000, 70_000, 150_000] {
        let parts =
            text.as_bytes().chunks(size).map(|part| Ok::<_, Infallible>(Bytes::copy_from_slice(part)));
        let mut request = request("POST", &[("mcp-session-id", &session)], "");
        *request.body_mut() = Body::from_stream(stream::iter(parts.collect::<Vec<_>>()));
        let (status, answer) = rig.text(request).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        assert_eq!(answer, format!(r#"{{"jsonrpc":"2.0","id":1,"result":{params}}}"#));
    }
}
