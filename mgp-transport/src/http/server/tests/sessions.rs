//! Sessions: how they begin and end, and how many there are.

use super::{Rig, Stream, request};
use http::StatusCode;
use std::{sync::atomic::Ordering, time::Duration};
use xtask_testing::until;

const ECHO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#;

#[tokio::test]
async fn a_message_must_name_an_existing_session() {
    let rig = Rig::new(|b| b);
    let (status, text) = rig.text(request("POST", &[], ECHO)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(text.contains("missing Mcp-Session-Id") && text.contains(r#""id":1"#), "{text}");
    for method in ["POST", "GET", "DELETE"] {
        let headers = [("mcp-session-id", "0123")];
        let (status, text) = rig.text(request(method, &headers, ECHO)).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{method}");
        assert!(text.contains("unknown or expired session"), "{text}");
        if method != "POST" {
            assert_eq!(rig.send(request(method, &[], "")).await.status(), StatusCode::BAD_REQUEST);
        }
    }
}

#[tokio::test]
async fn every_session_has_an_unguessable_name() {
    let rig = Rig::new(|b| b);
    let (first, second) = (rig.open().await, rig.open().await);
    assert_ne!(first, second);
    for session in [&first, &second] {
        assert!(session.len() == 64 && session.bytes().all(|byte| byte.is_ascii_hexdigit()), "{session}");
    }
    assert_eq!(rig.server.sessions(), 2);
}

#[tokio::test]
async fn an_ended_session_cancels_its_calls_and_is_gone() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let headers = [("mcp-session-id", &*session)];
    let stream = Stream::of(rig.send(request("GET", &headers, "")).await);
    let call = rig.begin_wait(&session, 1).await;
    assert_eq!(rig.send(request("DELETE", &headers, "")).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(call.await.unwrap().status(), StatusCode::NOT_FOUND);
    assert_eq!(stream.rest().await, Vec::<String>::new());
    until(|| rig.probe.cancelled.load(Ordering::SeqCst) > 0).await;
    for method in ["POST", "GET", "DELETE"] {
        assert_eq!(rig.send(request(method, &headers, ECHO)).await.status(), StatusCode::NOT_FOUND);
    }
    assert_eq!(rig.server.sessions(), 0);
}

#[tokio::test]
async fn all_tasks_end_when_their_session_ends() {
    let rig = Rig::new(|b| b);
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = tasks();
    let session = rig.open().await;
    let call = rig.begin_wait(&session, 1).await;
    let headers = [("mcp-session-id", &*session)];
    let stream = rig.send(request("GET", &headers, "")).await;
    assert!(tasks() > before);
    rig.send(request("DELETE", &headers, "")).await;
    call.await.unwrap();
    drop(stream);
    until(|| tasks() == before).await;
}

#[tokio::test]
async fn a_refused_initialize_leaves_no_session() {
    let rig = Rig::new(|b| b);
    let body = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"refuse":true}}"#;
    let response = rig.send(request("POST", &[], body)).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert!(!response.headers().contains_key("mcp-session-id"));
    until(|| rig.server.sessions() == 0).await;
}

#[tokio::test]
async fn an_error_under_the_id_of_initialize_ends_no_session() {
    let rig = Rig::new(|b| b);
    // Its `initialize` has the id 0.
    let session = rig.open().await;
    let failing = r#"{"jsonrpc":"2.0","id":0,"method":"fail","params":{"code":-32603}}"#;
    let echo = r#"{"jsonrpc":"2.0","id":0,"method":"echo","params":{"n":1}}"#;
    for _ in 0..2 {
        let (status, text) = rig.text(request("POST", &[("mcp-session-id", &session)], failing)).await;
        assert!(status == StatusCode::OK && text.contains("as asked"), "{status} {text}");
        // What ends a session is handled by a task of its own.
        tokio::task::yield_now().await;
        let (status, text) = rig.text(request("POST", &[("mcp-session-id", &session)], echo)).await;
        assert!(status == StatusCode::OK && text.contains(r#""n":1"#), "{status} {text}");
    }
    assert_eq!(rig.server.sessions(), 1);
}

#[tokio::test]
async fn initialize_within_a_session_is_refused() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let body = r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#;
    let (status, text) = rig.text(request("POST", &[("mcp-session-id", &session)], body)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(text.contains("initialized already"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn the_longest_idle_session_is_evicted_for_an_excess_one() {
    let rig = Rig::with_config(|config| config.sessions = 3);
    let mut sessions = Vec::new();
    for _ in 0..3 {
        sessions.push(rig.open().await);
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    // The first one was used since, and the second one has its stream open.
    assert_eq!(rig.call(&sessions[0], ECHO).await.status(), StatusCode::OK);
    let stream = rig.send(request("GET", &[("mcp-session-id", &sessions[1])], "")).await;
    sessions.push(rig.open().await);
    let mut found = Vec::new();
    for session in &sessions {
        found.push(rig.call(session, ECHO).await.status().as_u16());
    }
    assert_eq!(found, [200, 200, 404, 200]);
    assert_eq!(rig.server.sessions(), 3);
    drop(stream);
}

#[tokio::test]
async fn an_excess_session_is_refused_while_all_are_in_use() {
    let rig = Rig::with_config(|config| config.sessions = 2);
    let (first, second) = (rig.open().await, rig.open().await);
    let stream = rig.send(request("GET", &[("mcp-session-id", &first)], "")).await;
    let call = rig.begin_wait(&second, 1).await;
    let body = r#"{"jsonrpc":"2.0","id":4,"method":"initialize"}"#;
    let (status, text) = rig.text(request("POST", &[], body)).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(text.contains(r#""id":4"#) && text.contains("too many sessions: 2"), "{text}");
    rig.send(request("DELETE", &[("mcp-session-id", &first)], "")).await;
    rig.open().await;
    drop((stream, call));
}

#[tokio::test(start_paused = true)]
async fn an_inactive_session_expires() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let minutes = |minutes: u64| tokio::time::sleep(Duration::from_secs(60 * minutes));
    for _ in 0..3 {
        minutes(29).await;
        assert_eq!(rig.call(&session, ECHO).await.status(), StatusCode::OK);
    }
    minutes(31).await;
    assert_eq!(rig.call(&session, ECHO).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(rig.server.sessions(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_running_call_or_open_stream_keeps_its_session() {
    let rig = Rig::new(|b| b);
    let hours = || tokio::time::sleep(Duration::from_secs(2 * 3600));
    let session = rig.open().await;
    let headers = [("mcp-session-id", &*session)];
    let stream = rig.send(request("GET", &headers, "")).await;
    hours().await;
    drop(stream);
    assert_eq!(rig.server.sessions(), 1);
    let call = rig.begin_wait(&session, 1).await;
    call.abort();
    hours().await;
    assert_eq!(rig.server.sessions(), 1);
    rig.probe.gate.notify_one();
    hours().await;
    assert_eq!(rig.server.sessions(), 0);
}
