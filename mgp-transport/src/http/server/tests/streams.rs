//! The choice of the stream that carries a message, and streams that nobody reads.

use super::{Rig, Stream, request};
use http::StatusCode;
use std::{sync::atomic::Ordering, time::Duration};
use xtask_testing::until;

fn get(session: &str) -> http::Request<axum::body::Body> {
    request("GET", &[("mcp-session-id", session), ("accept", "text/event-stream")], "")
}

#[tokio::test]
async fn a_question_on_a_request_s_stream_is_answered_by_a_post() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let mut stream = Stream::of(rig.call(&session, r#"{"jsonrpc":"2.0","id":1,"method":"ask"}"#).await);
    let question = stream.next().await.unwrap();
    assert_eq!(question, r#"{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{}}"#);
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#;
    assert_eq!(rig.call(&session, answer).await.status(), StatusCode::ACCEPTED);
    assert_eq!(stream.rest().await, [r#"{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}"#]);
}

#[tokio::test]
async fn other_messages_wait_for_the_session_s_stream() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let announce = r#"{"jsonrpc":"2.0","id":1,"method":"announce"}"#;
    let (status, text) = rig.text(request("POST", &[("mcp-session-id", &session)], announce)).await;
    assert_eq!((status, &*text), (StatusCode::OK, r#"{"jsonrpc":"2.0","id":1,"result":"announced"}"#));
    let mut stream = Stream::of(rig.send(get(&session)).await);
    assert!(stream.next().await.unwrap().contains("list_changed"));
    assert!(stream.next().await.unwrap().contains("hello"));
}

#[tokio::test]
async fn there_is_one_reopenable_stream_per_session() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let first = rig.send(get(&session)).await;
    let (status, text) = rig.text(get(&session)).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert!(text.contains("open already"), "{text}");
    drop(first);
    Stream::of(rig.send(get(&session)).await);
}

#[tokio::test]
async fn late_messages_of_a_call_go_to_the_session_s_stream() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    for open in [true, false] {
        let stream = if open { Some(Stream::of(rig.send(get(&session)).await)) } else { None };
        let call = tokio::spawn(rig.send_owned(request(
            "POST",
            &[("mcp-session-id", &session)],
            r#"{"jsonrpc":"2.0","id":1,"method":"wait"}"#,
        )));
        rig.probe.begun.notified().await;
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
        let before = rig.probe.finished.load(Ordering::SeqCst);
        rig.probe.gate.notify_one();
        until(|| rig.probe.finished.load(Ordering::SeqCst) > before).await;
        if let Some(mut stream) = stream {
            assert!(stream.next().await.unwrap().contains("late"));
        }
    }
    // The second one was dropped: the next message on a new stream is another.
    rig.call(&session, r#"{"jsonrpc":"2.0","id":1,"method":"announce"}"#).await;
    let mut stream = Stream::of(rig.send(get(&session)).await);
    assert!(stream.next().await.unwrap().contains("list_changed"));
    assert!(stream.next().await.unwrap().contains("hello"));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_accepts_nothing_loses_only_that_stream() {
    let rig = Rig::with_config(|config| config.stream_messages = 2);
    let session = rig.open().await;
    let flood = r#"{"jsonrpc":"2.0","id":1,"method":"flood"}"#;
    let unread = rig.call(&session, flood).await;
    let before = tokio::time::Instant::now();
    // While nobody reads, the sender waits; after the time limit it goes on.
    while rig.probe.finished.load(Ordering::SeqCst) == 0 {
        assert!(before.elapsed() < Duration::from_secs(40));
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert!(before.elapsed() >= Duration::from_secs(30));
    let events = Stream::of(unread).rest().await;
    assert!(!events.iter().any(|event| event.contains("done")), "{events:?}");
    // The session lives.
    let echo = r#"{"jsonrpc":"2.0","id":2,"method":"echo"}"#;
    assert_eq!(rig.call(&session, echo).await.status(), StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_slowly_gets_everything() {
    let rig = Rig::with_config(|config| config.stream_messages = 2);
    let session = rig.open().await;
    let mut stream = Stream::of(rig.call(&session, r#"{"jsonrpc":"2.0","id":1,"method":"flood"}"#).await);
    let mut count = 0;
    while let Some(event) = stream.next().await {
        if event != ":" {
            count += 1;
        }
        tokio::time::sleep(Duration::from_secs(20)).await;
    }
    assert_eq!(count, 11);
}

#[tokio::test]
async fn unread_notifications_are_dropped_and_block_nobody() {
    let rig = Rig::with_config(|config| config.stream_messages = 2);
    let session = rig.open().await;
    let announce = r#"{"jsonrpc":"2.0","id":1,"method":"announce"}"#;
    for _ in 0..5 {
        assert_eq!(rig.call(&session, announce).await.status(), StatusCode::OK);
    }
    let mut stream = Stream::of(rig.send(get(&session)).await);
    assert!(stream.next().await.unwrap().contains("list_changed"));
    assert!(stream.next().await.unwrap().contains("hello"));
    rig.server.drain().await;
    assert_eq!(stream.rest().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_client_that_reads_slowly_blocks_nobody_else() {
    let rig = Rig::with_config(|config| config.stream_messages = 2);
    let (session, other) = (rig.open().await, rig.open().await);
    let flood = r#"{"jsonrpc":"2.0","id":1,"method":"flood"}"#;
    let unread = rig.call(&session, flood).await;
    let echo = r#"{"jsonrpc":"2.0","id":2,"method":"echo"}"#;
    for session in [&session, &other] {
        assert_eq!(rig.call(session, echo).await.status(), StatusCode::OK);
        assert_eq!(rig.probe.finished.load(Ordering::SeqCst), 0, "the flood waits for its reader");
    }
    assert_eq!(Stream::of(unread).rest().await.len(), 11);
}
