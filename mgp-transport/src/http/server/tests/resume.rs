//! A stream that broke, and the client that comes back to it.

use super::{Rig, Stream, request};
use crate::http::server::ApiKey;
use axum::body::Body;
use http::{Request, Response, StatusCode};
use mgp_types::context::Principal;
use std::{sync::atomic::Ordering, time::Duration};
use tokio::time::Instant;

const STEPS: &str = r#"{"jsonrpc":"2.0","id":1,"method":"steps"}"#;
const POLL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"poll"}"#;
const ANNOUNCE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"announce"}"#;

fn after(session: &str, event: &str) -> Request<Body> {
    request("GET", &[("mcp-session-id", session), ("last-event-id", event)], "")
}

async fn resumed(rig: &Rig, session: &str, event: &str) -> Stream {
    Stream::of(rig.send(after(session, event)).await)
}

async fn refused(rig: &Rig, session: &str, event: &str) -> (StatusCode, String) {
    rig.text(after(session, event)).await
}

/// Begins a call that waits, and reads its first two messages. Returns its stream and the id of the first message.
async fn broken(rig: &Rig, session: &str) -> (Stream, String) {
    let mut stream = Stream::of(rig.call(session, STEPS).await);
    assert!(stream.next().await.unwrap().contains("step 1"));
    let first = stream.last_id.clone();
    assert!(stream.next().await.unwrap().contains("step 2"));
    rig.probe.begun.notified().await;
    (stream, first)
}

/// Opens a session with a call whose stream broke before its answer. Returns the session and the id of the first message.
async fn unread_answer(rig: &Rig) -> (String, String) {
    let session = rig.open().await;
    let (stream, first) = broken(rig, &session).await;
    drop(stream);
    rig.probe.gate.notify_one();
    until_finished(rig, 1).await;
    (session, first)
}

/// Waits until so many calls have finished. Other tasks have their turns meanwhile, and a paused clock stands still.
async fn until_finished(rig: &Rig, count: usize) {
    while rig.probe.finished.load(Ordering::SeqCst) < count {
        tokio::task::yield_now().await;
    }
}

fn has(events: &[String], parts: &[&str]) {
    assert_eq!(events.len(), parts.len(), "{events:?}");
    for (event, part) in events.iter().zip(parts) {
        assert!(event.contains(part), "{events:?}: {part}");
    }
}

#[tokio::test]
async fn a_stream_resumes_after_the_last_event_until_the_answer() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let (stream, first) = broken(&rig, &session).await;
    drop(stream);
    let mut stream = resumed(&rig, &session, &first).await;
    assert!(stream.next().await.unwrap().contains("step 2"));
    rig.probe.gate.notify_one();
    has(&stream.rest().await, &["step 3", "stepped"]);
}

#[tokio::test]
async fn an_undelivered_answer_is_kept_for_a_returning_client() {
    let rig = Rig::new(|b| b);
    let (session, first) = unread_answer(&rig).await;
    for _ in 0..2 {
        // Asking again is no harm: this answer may have been lost on its way too.
        has(&resumed(&rig, &session, &first).await.rest().await, &["step 2", "step 3", "stepped"]);
    }
    assert_eq!(rig.probe.cancelled.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_waits_for_the_reader_of_an_answer() {
    let rig = Rig::new(|b| b);
    let (session, first) = unread_answer(&rig).await;
    let server = rig.server.clone();
    let draining = tokio::spawn(async move { server.drain().await });
    while !rig.call(&session, ANNOUNCE).await.status().is_server_error() {}
    has(&resumed(&rig, &session, &first).await.rest().await, &["step 2", "step 3", "stepped"]);
    draining.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_waits_briefly_for_a_lost_client() {
    let rig = Rig::new(|b| b);
    unread_answer(&rig).await;
    let begun = Instant::now();
    rig.server.drain().await;
    assert_eq!(begun.elapsed().as_secs(), 3);
}

#[tokio::test]
async fn only_the_stream_of_the_named_event_is_replayed() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let (stream, first) = broken(&rig, &session).await;
    let other = r#"{"jsonrpc":"2.0","id":2,"method":"progress"}"#;
    let mut other = Stream::of(rig.call(&session, other).await);
    other.next().await.unwrap();
    rig.call(&session, r#"{"jsonrpc":"2.0","id":3,"method":"announce"}"#).await;
    assert_ne!(first, other.last_id);
    rig.probe.gate.notify_one();
    drop(stream);
    has(&resumed(&rig, &session, &first).await.rest().await, &["step 2", "step 3", "stepped"]);
    let id = other.last_id.clone();
    drop(other);
    has(&resumed(&rig, &session, &id).await.rest().await, &["notifications/progress", "done"]);
}

#[tokio::test]
async fn an_event_of_another_session_or_none_is_refused() {
    let rig = Rig::new(|b| b);
    let (session, other) = (rig.open().await, rig.open().await);
    let (_stream, first) = broken(&rig, &session).await;
    // The other session has a stream of the same number.
    let (_other_stream, _) = broken(&rig, &other).await;
    let number = first.rsplit_once('-').unwrap().0;
    for event in [&*first, "x", "0-0-0", "1-1"] {
        let (status, text) = refused(&rig, &other, event).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{event}: {text}");
        assert!(text.contains("unknown Last-Event-ID"), "{text}");
    }
    let (of_session, _) = number.split_once('-').unwrap();
    for event in [format!("{number}-99"), format!("{of_session}-99-1")] {
        let (status, text) = refused(&rig, &session, &event).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{event}: {text}");
    }
    rig.probe.gate.notify_waiters();
}

#[tokio::test]
async fn a_stream_belongs_to_the_principal_that_opened_its_session() {
    let (mine, my_key) = ApiKey::generate().unwrap();
    let (yours, your_key) = ApiKey::generate().unwrap();
    let rig = Rig::new(|b| b.api_key(my_key, Principal::agent("a")).api_key(your_key, Principal::agent("b")));
    let key = [("x-api-key", &*mine)];
    let body = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#;
    let opened = rig.send(request("POST", &key, body)).await;
    let session = opened.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    let headers = [("x-api-key", &*mine), ("mcp-session-id", &*session)];
    let mut stream = Stream::of(rig.send(request("POST", &headers, STEPS)).await);
    stream.next().await.unwrap();
    let get = |key: &str| {
        request(
            "GET",
            &[("x-api-key", key), ("mcp-session-id", &session), ("last-event-id", &stream.last_id)],
            "",
        )
    };
    assert_eq!(rig.send(get(&yours)).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(rig.send(get(&mine)).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn kept_events_are_bounded_and_dropped_ones_are_gone() {
    let rig = Rig::with_config(|config| config.resume.messages = 1);
    let session = rig.open().await;
    let (stream, first) = broken(&rig, &session).await;
    let second = stream.last_id.clone();
    rig.probe.gate.notify_one();
    has(&stream.rest().await, &["step 3", "stepped"]);
    for event in [first, second] {
        let (status, text) = refused(&rig, &session, &event).await;
        assert_eq!(status, StatusCode::GONE, "{text}");
        assert!(text.contains("expired Last-Event-ID"), "{text}");
    }
}

#[tokio::test]
async fn the_number_of_kept_answers_is_bounded() {
    for (answers, bytes) in [(1, usize::MAX), (9, 300)] {
        let rig = Rig::with_config(|config| {
            (config.resume.answers, config.resume.answer_bytes) = (answers, bytes);
        });
        let session = rig.open().await;
        let mut ids = Vec::new();
        for _ in 0..2 {
            let (stream, first) = broken(&rig, &session).await;
            rig.probe.gate.notify_one();
            stream.rest().await;
            ids.push(first);
        }
        assert_eq!(refused(&rig, &session, &ids[0]).await.0, StatusCode::GONE);
        has(&resumed(&rig, &session, &ids[1]).await.rest().await, &["step 2", "step 3", "stepped"]);
    }
}

#[tokio::test(start_paused = true)]
async fn the_lifetime_of_a_kept_stream_is_bounded() {
    let rig = Rig::with_config(|config| {
        config.resume.timeout = Duration::from_secs(60);
        config.idle_timeout = Duration::from_secs(3600);
    });
    let session = rig.open().await;
    for answered in [false, true] {
        let (stream, first) = broken(&rig, &session).await;
        drop(stream);
        if answered {
            rig.probe.gate.notify_one();
            until_finished(&rig, 2).await;
        }
        tokio::time::sleep(Duration::from_secs(50)).await;
        let again = resumed(&rig, &session, &first).await;
        drop(again);
        tokio::time::sleep(Duration::from_secs(125)).await;
        assert_eq!(refused(&rig, &session, &first).await.0, StatusCode::GONE, "{answered}");
        if !answered {
            rig.probe.gate.notify_one();
            until_finished(&rig, 1).await;
        }
    }
}

#[tokio::test]
async fn a_returning_client_takes_its_stream_from_the_lost_connection() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let (stream, first) = broken(&rig, &session).await;
    let mut second = resumed(&rig, &session, &first).await;
    assert!(second.next().await.unwrap().contains("step 2"));
    assert_eq!(stream.rest().await, Vec::<String>::new());
    rig.probe.gate.notify_one();
    has(&second.rest().await, &["step 3", "stepped"]);
}

#[tokio::test]
async fn the_session_s_own_stream_is_resumed_too() {
    let rig = Rig::new(|b| b);
    let session = rig.open().await;
    let get = || request("GET", &[("mcp-session-id", &session)], "");
    rig.call(&session, ANNOUNCE).await;
    let mut stream = Stream::of(rig.send(get()).await);
    assert!(stream.next().await.unwrap().contains("list_changed"));
    let first = stream.last_id.clone();
    assert!(stream.next().await.unwrap().contains("hello"));
    drop(stream);
    rig.call(&session, ANNOUNCE).await;
    let mut stream = resumed(&rig, &session, &first).await;
    for part in ["hello", "list_changed", "hello"] {
        assert!(stream.next().await.unwrap().contains(part), "{part}");
    }
}

#[tokio::test]
async fn only_clients_that_can_read_them_get_events_without_data() {
    let rig = Rig::new(|b| b);
    for (version, primed) in [("2025-11-25", true), ("2025-06-18", false), ("2025-03-26", false)] {
        let session = rig.open_as(version).await;
        let progress = r#"{"jsonrpc":"2.0","id":1,"method":"progress"}"#;
        let mut call = Stream::of(rig.call(&session, progress).await);
        let get = request("GET", &[("mcp-session-id", &session)], "");
        let mut own = Stream::of(rig.send(get).await);
        rig.call(&session, ANNOUNCE).await;
        for (stream, part) in [(&mut call, "progress"), (&mut own, "list_changed")] {
            let first = stream.next().await.unwrap();
            assert_eq!(first == "retry: 1000\ndata: ", primed, "{version}: {first}");
            assert!(stream.last_id.ends_with("-0") == primed, "{version}: {}", stream.last_id);
            if primed {
                assert!(stream.next().await.unwrap().contains(part));
            }
        }
    }
    let silent = Rig::with_config(|config| config.resume.retry = None);
    let session = silent.open_as("2025-11-25").await;
    let get = request("GET", &[("mcp-session-id", &session)], "");
    assert_eq!(Stream::of(silent.send(get).await).next().await.unwrap(), "data: ");
}

#[tokio::test]
async fn a_handler_can_close_its_stream_for_polling() {
    let rig = Rig::new(|b| b);
    let session = rig.open_as("2025-11-25").await;
    let mut stream = Stream::of(rig.call(&session, POLL).await);
    assert_eq!(stream.next().await.unwrap(), "retry: 1000\ndata: ");
    let id = stream.last_id.clone();
    assert_eq!(stream.next().await, None);
    let mut stream = resumed(&rig, &session, &id).await;
    assert_eq!(stream.next().await.unwrap(), "retry: 1000\ndata: ");
    rig.probe.gate.notify_one();
    has(&stream.rest().await, &["meanwhile", r#""result":true"#]);
}

#[tokio::test]
async fn the_stream_of_a_client_that_cannot_resume_is_not_closed() {
    let rig = Rig::new(|b| b);
    for version in ["2025-06-18", "2024-11-05"] {
        let session = rig.open_as(version).await;
        rig.probe.gate.notify_one();
        let stream = Stream::of(rig.call(&session, POLL).await);
        has(&stream.rest().await, &["meanwhile", r#""result":false"#]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_can_be_configured_for_polling() {
    let rig = Rig::with_config(|config| {
        config.resume.poll_after = Some(Duration::from_secs(20));
        config.keep_alive = None;
    });
    for (version, polled) in [("2025-11-25", true), ("2025-06-18", false)] {
        let session = rig.open_as(version).await;
        let call = rig.begin_wait(&session, 1).await;
        let mut stream = Stream::of(call.await.unwrap());
        if polled {
            stream.next().await.unwrap();
            assert_eq!(stream.next().await, None);
            stream = resumed(&rig, &session, &stream.last_id.clone()).await;
            stream.next().await.unwrap();
        }
        rig.probe.gate.notify_one();
        has(&stream.rest().await, &["late", "waited"]);
    }
}

#[tokio::test(start_paused = true)]
async fn for_an_absent_client_notifications_are_bounded() {
    let rig = Rig::with_config(|config| config.resume.messages = 2);
    let session = rig.open_as("2025-11-25").await;
    let flood = r#"{"jsonrpc":"2.0","id":1,"method":"away"}"#;
    let mut stream = Stream::of(rig.call(&session, flood).await);
    stream.next().await.unwrap();
    let id = stream.last_id.clone();
    until_finished(&rig, 1).await;
    // On a paused clock, so that no time limit ends what waits.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let running = rig.server.0.sessions.all()[0].peer().running_count();
    assert_eq!(running, 0, "the answer waits for nobody");
    let events = resumed(&rig, &session, &id).await.rest().await;
    assert_eq!(events.len(), 4, "{events:?}");
    assert!(events[3].contains("\"result\""), "{events:?}");
}

#[tokio::test]
async fn a_server_s_question_waits_for_its_absent_client() {
    let rig = Rig::new(|b| b);
    let session = rig.open_as("2025-11-25").await;
    let ask = r#"{"jsonrpc":"2.0","id":1,"method":"ask away"}"#;
    let mut stream = Stream::of(rig.call(&session, ask).await);
    stream.next().await.unwrap();
    let mut stream = resumed(&rig, &session, &stream.last_id.clone()).await;
    stream.next().await.unwrap();
    assert!(stream.next().await.unwrap().contains("roots/list"));
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let accepted: Response<Body> = rig.call(&session, answer).await;
    assert_eq!(accepted.status(), StatusCode::ACCEPTED);
    has(&stream.rest().await, &[r#""result":{}"#]);
}
