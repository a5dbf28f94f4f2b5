//! Batches, which 2025-03-26 allows and no other revision.

use super::{Rig, Stream, request};
use http::{Response, StatusCode};
use http_body_util::BodyExt;
use std::sync::atomic::Ordering;

const ECHO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":{"n":1}}"#;
const SAID: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn batch(messages: &[&str]) -> String {
    format!(" [{}]\n", messages.join(",\n"))
}

async fn text(response: Response<axum::body::Body>) -> (u16, String) {
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn the_answers_of_a_batch_are_one_array() {
    let rig = Rig::new(|b| b);
    let session = rig.open_as("2025-03-26").await;
    let other = r#"{"jsonrpc":"2.0","id":"b","method":"whoami"}"#;
    let response = rig.call(&session, &batch(&[ECHO, SAID, other])).await;
    assert_eq!(response.headers()["content-type"], "application/json");
    let answers =
        r#"[{"jsonrpc":"2.0","id":1,"result":{"n":1}},{"jsonrpc":"2.0","id":"b","result":["local",false]}]"#;
    assert_eq!(text(response).await, (200, answers.to_owned()));
    assert_eq!(rig.probe.notified.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn messages_before_a_batch_s_answer_make_a_resumable_stream() {
    let rig = Rig::new(|b| b);
    let session = rig.open_as("2025-03-26").await;
    let progress = r#"{"jsonrpc":"2.0","id":"p","method":"progress"}"#;
    let mut stream = Stream::of(rig.call(&session, &batch(&[ECHO, progress])).await);
    assert!(stream.next().await.unwrap().contains(r#""id":1"#));
    let id = stream.last_id.clone();
    let rest = stream.rest().await;
    assert_eq!(rest.len(), 3, "{rest:?}");
    assert!(rest[2].contains(r#""id":"p""#), "{rest:?}");
    let headers = [("mcp-session-id", &*session), ("last-event-id", &id)];
    assert_eq!(Stream::of(rig.send(request("GET", &headers, "")).await).rest().await, rest);
}

#[tokio::test]
async fn a_batch_without_requests_is_accepted_without_a_body() {
    let rig = Rig::new(|b| b);
    let session = rig.open_as("2025-03-26").await;
    let answer = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
    let response = rig.call(&session, &batch(&[SAID, answer, SAID])).await;
    assert_eq!(text(response).await, (202, String::new()));
    rig.call(&session, ECHO).await;
    assert_eq!(rig.probe.notified.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn an_unreadable_message_has_its_own_answer() {
    let rig = Rig::with_config(|config| config.stream_messages = 1);
    let session = rig.open_as("2025-03-26").await;
    let (status, found) = text(rig.call(&session, &batch(&["7", "{}", ECHO])).await).await;
    assert_eq!(status, 200);
    assert_eq!(found.matches(r#""id":null,"error":{"code":-32600"#).count(), 2, "{found}");
    assert!(found.ends_with(r#",{"jsonrpc":"2.0","id":1,"result":{"n":1}}]"#), "{found}");
    let (status, found) = text(rig.call(&session, &batch(&["7", SAID])).await).await;
    assert!(status == 200 && found.starts_with("[{") && found.contains("-32600"), "{found}");
}

#[tokio::test]
async fn other_revisions_have_no_batches() {
    let rig = Rig::new(|b| b);
    for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let session = rig.open_as(version).await;
        let (status, found) = text(rig.call(&session, &batch(&[ECHO])).await).await;
        assert_eq!(status, 400, "{version}");
        assert!(found.contains("batches are not supported"), "{found}");
    }
    let (status, found) = rig.text(request("POST", &[], &batch(&[ECHO]))).await;
    assert!(status == StatusCode::BAD_REQUEST && found.contains("missing Mcp-Session-Id"), "{found}");
}

#[tokio::test]
async fn a_batch_is_bounded_without_initialize_or_duplicate_ids() {
    let rig = Rig::with_config(|config| config.session.batch = 3);
    let session = rig.open_as("2025-03-26").await;
    let open = r#"{"jsonrpc":"2.0","id":2,"method":"initialize"}"#;
    for (messages, part) in [
        (&[SAID; 4][..], "at most 3 messages, found 4"),
        (&[][..], "at least one message"),
        (&[ECHO, open][..], "initialize must come alone"),
        (&[ECHO, SAID, ECHO][..], "twice in this batch"),
    ] {
        let (status, found) = text(rig.call(&session, &batch(messages)).await).await;
        assert_eq!(status, 400, "{found}");
        assert!(found.contains(part), "{found}");
    }
    assert_eq!(rig.probe.notified.load(Ordering::SeqCst), 0);
    // Its ids are free.
    assert_eq!(rig.call(&session, ECHO).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_batch_of_cancelled_requests_gets_no_answer() {
    let rig = Rig::new(|b| b);
    let session = rig.open_as("2025-03-26").await;
    let wait = r#"{"jsonrpc":"2.0","id":5,"method":"wait"}"#;
    let call =
        tokio::spawn(rig.send_owned(request("POST", &[("mcp-session-id", &session)], &batch(&[wait]))));
    rig.probe.begun.notified().await;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#;
    rig.call(&session, &batch(&[cancel])).await;
    assert_eq!(text(call.await.unwrap()).await, (202, String::new()));
}
