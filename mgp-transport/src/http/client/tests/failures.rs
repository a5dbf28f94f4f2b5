//! The errors of calls when HTTP goes wrong.

use super::{HandMadeServer, SeenRequest, events, json, status};
use crate::{
    connection::{Config, Connection},
    http::client::{HttpClientConfig, tests::hand_made::echo},
    seam::CallError,
};
use mgp_types::{error::Recovery, rpc::RawParams};
use std::time::Duration;

async fn error_of(server: &HandMadeServer) -> (i64, String) {
    let config = HttpClientConfig {
        reconnect_delay: Duration::from_millis(1),
        min_reconnect_delay: Duration::from_millis(1),
        ..HttpClientConfig::patient()
    };
    let builder = Connection::builder(echo()).config(Config { max_frame: 1000, ..Default::default() });
    let connection = server.connect_with(config, builder);
    match connection.peer().request_raw("x", RawParams::none()).await {
        Err(CallError::Peer(error)) => (error.code, error.message),
        other => panic!("expected an error of the call, found {other:?}"),
    }
}

#[tokio::test]
async fn a_call_that_http_cannot_carry_reports_the_reason() {
    let html = || {
        let mut response = status(200, "<html>");
        response.headers_mut().insert("content-type", "text/html".parse().unwrap());
        response
    };
    let rpc = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"not initialized"}}"#;
    type Answer = Box<dyn Fn(&SeenRequest) -> axum::response::Response + Send + Sync>;
    let cases: Vec<(Answer, i64, &str)> = vec![
        (Box::new(|_| status(500, "boom\n")), 5002, "HTTP 500 Internal Server Error: boom"),
        (Box::new(|_| status(401, "")), 1002, "HTTP 401 Unauthorized"),
        (Box::new(|_| status(403, "")), 1001, "HTTP 403 Forbidden"),
        (Box::new(|_| status(429, "")), 3000, "HTTP 429"),
        (Box::new(|_| status(404, "")), 5000, "HTTP 404"),
        (Box::new(move |_| status(400, rpc)), -32000, "not initialized"),
        (Box::new(|_| status(202, "")), 5000, "(HTTP 202 Accepted) without an answer"),
        (Box::new(move |_| html()), 5000, r#"Content-Type of an answer: "text/html""#),
        (Box::new(|_| events("data: {}\n\n")), 5000, "without an answer"),
        (Box::new(|_| events(&format!("data: {}\n\n", "x".repeat(2000)))), 5000, "longer than 1000 bytes"),
        (Box::new(|seen| json(seen, &format!("{:?}", "x".repeat(2000)))), 5000, "longer than 1000 bytes"),
        (Box::new(|seen| json(seen, "{")), 5000, "cannot be read"),
    ];
    for (answer, code, part) in cases {
        let answer = std::sync::Arc::new(answer);
        let server = HandMadeServer::new(move |seen| {
            let response = answer(&seen);
            async move { response }
        })
        .await;
        let (found, message) = error_of(&server).await;
        assert!(found == code && message.contains(part), "{part}: {found} {message}");
    }
}

#[tokio::test]
async fn a_server_s_retry_advice_reaches_the_call() {
    let told = |code: u16, wait: &'static str| {
        move |_: &SeenRequest| {
            let mut response = status(code, "");
            response.headers_mut().insert("retry-after", wait.parse().unwrap());
            response
        }
    };
    type Answer = Box<dyn Fn(&SeenRequest) -> axum::response::Response + Send + Sync>;
    type Advice = (bool, Option<u64>, bool);
    let cases: Vec<(Answer, Advice)> = vec![
        (Box::new(told(429, "3")), (true, Some(3000), false)),
        (Box::new(told(503, "120")), (false, Some(120_000), true)),
        (Box::new(told(503, "soon")), (false, None, true)),
        (Box::new(told(502, "3")), (false, None, true)),
        (Box::new(|_| status(202, "")), (false, None, true)),
    ];
    for (answer, expected) in cases {
        let answer = std::sync::Arc::new(answer);
        let server = HandMadeServer::new(move |seen| {
            let response = answer(&seen);
            async move { response }
        })
        .await;
        assert_eq!(advice_of(&server).await, expected);
    }
    let gone = HandMadeServer::new(|_| async { status(200, "") }).await;
    gone.task_ends().await;
    assert_eq!(advice_of(&gone).await, (true, None, false), "nobody was reached");
}

/// Returns whether a failed call may be tried again, the milliseconds to wait before that, and whether the call may have run.
async fn advice_of(server: &HandMadeServer) -> (bool, Option<u64>, bool) {
    match server.connect().peer().request_raw("x", RawParams::none()).await {
        Err(CallError::Peer(error)) => {
            let advice = Recovery::from_error(&error).unwrap();
            (advice.retryable, advice.retry_after_ms, advice.is_outcome_unknown())
        }
        other => panic!("expected an error of the call, found {other:?}"),
    }
}

#[tokio::test]
async fn a_missing_server_is_an_error_without_its_url() {
    let server = HandMadeServer::new(|_| async { status(200, "") }).await;
    server.task_ends().await;
    let (code, message) = error_of(&server).await;
    assert_eq!(code, 5002);
    assert!(message.starts_with("failed to reach the server: Connection refused"), "{message}");
}

#[tokio::test]
async fn redirects_are_followed_only_within_the_same_server() {
    let other = HandMadeServer::new(|seen| async move { json(&seen, "{}") }).await;
    let target = other.url();
    let server = HandMadeServer::new(move |seen| {
        let target = target.clone();
        async move {
            if seen.path == "/mcp/" && seen.what == "POST here" {
                return json(&seen, r#""here""#);
            }
            let mut response = status(307, "");
            let location = if seen.what == "POST away" { target } else { "/mcp/".to_owned() };
            response.headers_mut().insert("location", location.parse().unwrap());
            response
        }
    })
    .await;
    let config = HttpClientConfig { bearer: Some("secret".into()), ..HttpClientConfig::patient() };
    let connection = server.connect_with(config, Connection::builder(echo()));
    let here = connection.peer().request_raw("here", RawParams::none()).await.unwrap();
    assert_eq!(here.as_str(), r#""here""#);
    // The path is kept.
    connection.peer().request_raw("here", RawParams::none()).await.unwrap();
    assert_eq!(server.seen().len(), 3);
    let error = connection.peer().request_raw("away", RawParams::none()).await.unwrap_err();
    assert!(error.to_string().contains("is not followed"), "{error}");
    let error = connection.peer().request_raw("round", RawParams::none()).await.unwrap_err();
    assert!(error.to_string().contains("in a loop"), "{error}");
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn refused_notifications_are_counted_once_answered() {
    let server = HandMadeServer::new(|seen| async move {
        tokio::time::sleep(Duration::from_millis(20)).await;
        status(if seen.what.ends_with("bad") { 500 } else { 202 }, "")
    })
    .await;
    let connection = server.connect();
    for (method, refused) in [("good", 0), ("bad", 1), ("good", 1), ("bad", 2)] {
        connection.peer().notify(method, RawParams::none()).await.unwrap();
        assert_eq!(connection.peer().settled().await, refused);
    }
}
