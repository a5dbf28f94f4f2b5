//! POST: the messages that are accepted, and the form of their answers.

use super::{Rig, Stream, request};
use crate::http::server::ReplyForm;
use axum::body::Body;
use http::{Response, StatusCode};
use http_body_util::BodyExt;
use std::{sync::atomic::Ordering, time::Duration};
use xtask_testing::{until, within};

const ECHO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":{"n":1.10}}"#;

#[tokio::test]
async fn an_answer_without_earlier_messages_is_json() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let response = rig.call(&session, ECHO).await;
    assert_eq!(response.headers()["content-type"], "application/json");
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, r#"{"jsonrpc":"2.0","id":1,"result":{"n":1.10}}"#);
}

#[tokio::test]
async fn messages_before_the_answer_make_it_a_stream() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let call = r#"{"jsonrpc":"2.0","id":"p","method":"progress"}"#;
    let events = Stream::of(rig.call(&session, call).await).rest().await;
    assert_eq!(events.len(), 3);
    assert!(events[..2].iter().all(|event| event.contains("notifications/progress")), "{events:?}");
    assert_eq!(events[2], r#"{"jsonrpc":"2.0","id":"p","result":"done"}"#);
}

#[tokio::test]
async fn a_server_can_be_configured_to_answer_only_with_streams() {
    let rig = Rig::with_config(|config| config.reply_form = ReplyForm::Stream);
    let session = rig.open().await;
    let events = Stream::of(rig.call(&session, ECHO).await).rest().await;
    assert_eq!(events, [r#"{"jsonrpc":"2.0","id":1,"result":{"n":1.10}}"#]);
}

#[tokio::test(start_paused = true)]
async fn a_slow_answer_becomes_a_stream_with_keep_alives() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let call = rig.begin_wait(&session, 1).await;
    let mut stream = Stream::of(call.await.unwrap());
    assert_eq!(stream.next().await.as_deref(), Some(":"));
    assert_eq!(stream.next().await.as_deref(), Some(":"));
    rig.probe.gate.notify_one();
    let events = stream.rest().await;
    assert_eq!(events.last().unwrap(), r#"{"jsonrpc":"2.0","id":1,"result":"waited"}"#);
}

#[tokio::test]
async fn notifications_and_responses_are_accepted_without_a_body() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    for body in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"notifications/mgp.lifecycle","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":77,"result":{}}"#,
    ] {
        let headers = [("mcp-session-id", &*session)];
        let answer = rig.text(request("POST", &headers, body)).await;
        assert_eq!(answer, (StatusCode::ACCEPTED, String::new()));
    }
    // The next request is dispatched after the notifications.
    rig.call(&session, ECHO).await;
    assert_eq!(rig.probe.notified.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn an_invalid_message_is_refused_with_a_json_rpc_error() {
    let rig = Rig::with_config(|config| config.max_body = 2000);
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":{}1{}}}"#,
        r#"{"a":"#.repeat(200),
        "}".repeat(200)
    );
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(3000));
    for (body, status, part) in [
        ("{", 400, r#""code":-32700"#),
        ("", 400, r#""code":-32700"#),
        (r#"{"jsonrpc":"2.0","id":5,"method":7}"#, 400, r#""id":5,"error":{"code":-32600"#),
        (&*deep, 400, "128 levels"),
        (&*long, 413, "at most 2000 bytes"),
    ] {
        let (found, text) = rig.text(request("POST", &[], body)).await;
        assert_eq!(found.as_u16(), status, "{text}");
        assert!(text.starts_with(r#"{"jsonrpc":"2.0","id":"#) && text.contains(part), "{text}");
    }
}

#[tokio::test]
async fn a_body_at_the_limit_is_read() {
    let padded = format!("{}{}", " ".repeat(2000 - ECHO.len()), ECHO);
    let rig = Rig::with_config(|config| config.max_body = 2000);
    let session = rig.open().await;
    assert_eq!(rig.call(&session, &padded).await.status(), StatusCode::OK);
    assert_eq!(rig.call(&session, &format!(" {padded}")).await.status(), StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test(start_paused = true)]
async fn an_incomplete_body_is_given_up() {
    let rig = Rig::new(|b| b);
    let mut never = request("POST", &[], "");
    *never.body_mut() =
        Body::from_stream(futures_util::stream::pending::<Result<bytes::Bytes, std::io::Error>>());
    let (status, text) = rig.text(never).await;
    assert_eq!(status, StatusCode::REQUEST_TIMEOUT);
    assert!(text.contains("30s"), "{text}");
}

#[tokio::test]
async fn a_trailing_slash_makes_no_difference() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    for (path, status) in [("/mcp", 200), ("/mcp/", 200), ("/mcp//", 404), ("/mcp/x", 404)] {
        let mut call = request("POST", &[("mcp-session-id", &session)], ECHO);
        *call.uri_mut() = path.parse().unwrap();
        assert_eq!(rig.send(call).await.status().as_u16(), status, "{path}");
    }
    let rig = Rig::new(|b| b.path("/tools/mcp/"));
    for path in ["/tools/mcp/", "/tools/mcp"] {
        let mut call = request("GET", &[], "");
        *call.uri_mut() = path.parse().unwrap();
        assert_eq!(rig.send(call).await.status(), StatusCode::BAD_REQUEST, "{path}: a session is missing");
    }
}

#[tokio::test]
async fn content_type_and_accept_are_checked() {
    let rig = Rig::new(|b| b);
    for (headers, status) in
        [(("content-type", "text/plain"), 415), (("content-type", ""), 415), (("accept", "text/html"), 406)]
    {
        let (found, text) = rig.text(request("POST", &[headers], ECHO)).await;
        assert_eq!(found.as_u16(), status, "{text}");
        assert!(text.contains(r#""code":-32600"#) && text.contains("expected"), "{text}");
    }
    let session = rig.open().await;
    let headers = [("mcp-session-id", &*session), ("accept", "application/json")];
    assert_eq!(rig.send(request("GET", &headers, "")).await.status(), StatusCode::NOT_ACCEPTABLE);
    assert_eq!(rig.send(request("PUT", &headers, "")).await.status(), StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test(start_paused = true)]
async fn a_json_only_client_gets_just_the_answer() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let headers = [("mcp-session-id", &*session), ("accept", "application/json")];
    let call = |method: &str| {
        let body = format!(r#"{{"jsonrpc":"2.0","id":"p","method":"{method}"}}"#);
        rig.send_owned(request("POST", &headers, &body))
    };
    let text = async |response: Response<Body>| {
        assert_eq!(response.headers()["content-type"], "application/json");
        response.into_body().collect().await.unwrap().to_bytes()
    };
    assert_eq!(text(call("progress").await).await, r#"{"jsonrpc":"2.0","id":"p","result":"done"}"#);
    let waiting = tokio::spawn(call("wait"));
    rig.probe.begun.notified().await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    rig.probe.gate.notify_one();
    assert_eq!(text(waiting.await.unwrap()).await, r#"{"jsonrpc":"2.0","id":"p","result":"waited"}"#);
    // A question cannot reach this client: whoever asks learns of it at once.
    let asked = text(within(call("ask")).await).await;
    assert!(asked.starts_with(br#"{"jsonrpc":"2.0","id":"p","error""#), "{asked:?}");
}

#[tokio::test]
async fn a_stream_only_client_gets_a_stream() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let headers = [("mcp-session-id", &*session), ("accept", "text/event-stream")];
    let events = Stream::of(rig.send(request("POST", &headers, ECHO)).await).rest().await;
    assert_eq!(events, [r#"{"jsonrpc":"2.0","id":1,"result":{"n":1.10}}"#]);
}

#[tokio::test]
async fn a_duplicate_id_of_a_running_request_is_refused() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let first = rig.begin_wait(&session, 9).await;
    let headers = [("mcp-session-id", &*session)];
    let second = r#"{"jsonrpc":"2.0","id":9,"method":"echo"}"#;
    let (status, text) = rig.text(request("POST", &headers, second)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(text.contains("still running"), "{text}");
    rig.probe.gate.notify_one();
    let events = Stream::of(first.await.unwrap()).rest().await;
    assert!(events.last().unwrap().contains("waited"), "{events:?}");
}

#[tokio::test]
async fn a_request_that_was_cancelled_ends_in_silence() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    for (id, count) in [("", 1), (r#""id":null,"#, 2)] {
        // The id is free again.
        let call = rig.begin_wait(&session, 3).await;
        let cancel = r#""method":"notifications/cancelled","params":{"requestId":3}}"#;
        let cancel = format!(r#"{{"jsonrpc":"2.0",{id}{cancel}"#);
        assert_eq!(rig.call(&session, &cancel).await.status(), StatusCode::ACCEPTED);
        assert_eq!(Stream::of(call.await.unwrap()).rest().await, Vec::<String>::new());
        assert_eq!(rig.probe.cancelled.load(Ordering::SeqCst), count);
    }
    assert_eq!(rig.call(&session, ECHO).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn an_unsupported_revision_is_refused_after_initialize() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    for (version, status) in [("2025-06-18", 200), ("2024-11-05", 200), ("soon", 400)] {
        let headers = [("mcp-session-id", &*session), ("mcp-protocol-version", version)];
        let (found, text) = rig.text(request("POST", &headers, ECHO)).await;
        assert_eq!(found.as_u16(), status, "{version}: {text}");
        if status == 400 {
            assert!(text.contains(version) && text.contains("2025-11-25"), "{text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_disconnecting_client_does_not_cancel_its_call() {
    let rig = Rig::with_config(|config| config.json_timeout = Duration::from_secs(3600));
    let session = rig.open().await;
    let request =
        request("POST", &[("mcp-session-id", &session)], r#"{"jsonrpc":"2.0","id":1,"method":"wait"}"#);
    let call = tokio::spawn(rig.send_owned(request));
    rig.probe.begun.notified().await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    rig.probe.gate.notify_one();
    until(|| rig.probe.finished.load(Ordering::SeqCst) > 0).await;
    assert_eq!(rig.probe.cancelled.load(Ordering::SeqCst), 0);
    // Its answer went nowhere and its id is free again.
    assert_eq!(rig.call(&session, ECHO).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn the_idempotency_key_header_reaches_the_call_in_both_eras() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#;
    for header in ["idempotency-key", "x-idempotency-key"] {
        let headers = [("mcp-session-id", &*session), (header, "op-1")];
        let (status, answer) = rig.text(request("POST", &headers, call)).await;
        assert_eq!(status, StatusCode::OK);
        assert!(answer.contains(r#""_meta":{"idempotency_key":"op-1"}"#), "{answer}");
        let stateless = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{
            "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
        let headers = [
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "a"),
            (header, "op-1"),
        ];
        let (status, answer) = rig.text(request("POST", &headers, stateless)).await;
        assert_eq!(status, StatusCode::OK);
        assert!(answer.contains(r#""idempotency_key":"op-1""#), "{answer}");
    }
    let headers = [("mcp-session-id", &*session), ("idempotency-key", "a"), ("x-idempotency-key", "b")];
    let (status, answer) = rig.text(request("POST", &headers, call)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(answer.contains(r#""id":1"#) && answer.contains("expected the same"), "{answer}");
    let session = rig.open_as("2025-03-26").await;
    let headers = [("mcp-session-id", &*session), ("idempotency-key", "a")];
    let (status, answer) = rig.text(request("POST", &headers, &format!("[{call}]"))).await;
    assert!(status == StatusCode::BAD_REQUEST && answer.contains("names one call"), "{answer}");
}
