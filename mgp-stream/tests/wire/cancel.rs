//! Cancellation, by notification and by method, and the answers that each side gets.

use super::support::{mgp, nothing_more, serve, settle, waits};
use mgp_stream::{cancel::CancelLayer, sink::StreamSink};
use mgp_transport::{
    connection::Connection,
    seam::{BoxError, CallContext, CancelCause, CancelToken, Incoming, Reply},
};
use mgp_types::{json::RawJson, negotiation::Negotiation, rpc::RawParams};
use serde_json::{Value, json};
use std::{
    future::{pending, poll_fn},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::Poll,
};
use tokio::sync::Notify;
use tower::{Layer, Service, ServiceExt};
use xtask_testing::RawPeer;

const CALL: &str = r#"{"jsonrpc":"2.0","id":20,"method":"tools/call","params":{"_mgp":{"stream":true}}}"#;
const CANCEL: &str =
    r#"{"jsonrpc":"2.0","id":22,"method":"mgp/stream/cancel","params":{"request_id":20,"reason":"enough"}}"#;
const CANCELLED: &str = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":20}}"#;

/// Rings when it is dropped.
struct DropBell(Arc<Notify>);

impl Drop for DropBell {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// Returns a server that streams two texts and then never ends. The bell rings when the handler is dropped.
fn endless(negotiated: Option<Negotiation>) -> (Connection, RawPeer, Arc<Notify>) {
    let dropped = Arc::new(Notify::new());
    let service = tower::service_fn({
        let dropped = dropped.clone();
        move |incoming: Incoming| {
            let bell = DropBell(dropped.clone());
            async move {
                let _bell = bell;
                let mut sink = StreamSink::open(&incoming)?;
                sink.send_text("so ").await?;
                sink.send_text("far").await?;
                pending::<Result<Reply, BoxError>>().await
            }
        }
    });
    let (connection, client) = serve(CancelLayer::new().layer(service), negotiated);
    (connection, client, dropped)
}

/// Reads two answers that may come in either order, and sorts them by id.
async fn answers(client: &mut RawPeer) -> (Value, Value) {
    let (first, second) = (client.message().await, client.message().await);
    if first["id"] == 20 { (first, second) } else { (second, first) }
}

#[tokio::test]
async fn a_cancelled_notification_drops_the_handler_in_silence() {
    let (_server, mut client, dropped) = endless(Some(mgp()));
    client.send(CALL).await;
    for index in 0..2 {
        assert_eq!(client.message().await["params"]["index"], index);
    }
    client.send(CANCELLED).await;
    dropped.notified().await;
    nothing_more(&mut client).await;
}

#[tokio::test]
async fn a_plain_client_cancels_into_silence_too() {
    let (_server, mut client, dropped) = endless(None);
    client.send(CALL).await;
    settle().await;
    client.send(CANCELLED).await;
    dropped.notified().await;
    nothing_more(&mut client).await;
}

#[tokio::test]
async fn cancelling_by_method_answers_both_requests_exactly_once() {
    let (_server, mut client, dropped) = endless(Some(mgp()));
    client.send(CALL).await;
    for index in 0..2 {
        assert_eq!(client.message().await["params"]["index"], index);
    }
    client.send(CANCEL).await;
    dropped.notified().await;
    let (call, cancel) = answers(&mut client).await;
    let content = json!([{"type": "text", "text": "so far"}]);
    let expected = json!({"cancelled": true, "partial_result": {"content": content}});
    assert_eq!(cancel, json!({"jsonrpc": "2.0", "id": 22, "result": expected}));
    assert_eq!((&call["id"], &call["result"]["content"]), (&json!(20), &content));
    let how = &call["result"]["_mgp"];
    assert_eq!(
        (&how["cancelled"], &how["streamed"], &how["chunks_sent"]),
        (&json!(true), &json!(true), &json!(2))
    );
    nothing_more(&mut client).await;
}

#[tokio::test]
async fn a_call_that_does_not_run_cannot_be_cancelled() {
    let done =
        tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::ok(RawJson::empty_object())) });
    let (_server, mut client) = serve(CancelLayer::new().layer(done), Some(mgp()));
    client.send(CALL).await;
    assert_eq!(client.message().await["id"], 20);
    let not_active = json!({"cancelled": false, "reason": "not_active"});
    for id in ["20", "\"20\"", "22", "99"] {
        client.send(CANCEL.replace(r#""request_id":20"#, &format!(r#""request_id":{id}"#))).await;
        assert_eq!(client.message().await["result"], not_active, "{id}");
    }
    client.send(CANCEL.replace("request_id", "id")).await;
    let error = client.message().await;
    assert_eq!(error["error"]["code"], -32602);
    assert!(error["error"]["message"].as_str().unwrap().contains("missing field `request_id`"), "{error}");
    nothing_more(&mut client).await;
}

/// Returns a server whose handler answers or never does, and the bell that lets its answers go out.
fn held_back(answers: bool) -> (Connection, RawPeer, Arc<Notify>) {
    let release = Arc::new(Notify::new());
    let service = tower::service_fn({
        let release = release.clone();
        move |incoming: Incoming| {
            let release = release.clone();
            async move {
                let handler = tower::service_fn(async |_: Incoming| {
                    if answers {
                        Ok::<_, BoxError>(Reply::ok(RawJson::string("whole")))
                    } else {
                        pending().await
                    }
                });
                let reply = CancelLayer::new().layer(handler).oneshot(incoming).await;
                // Like a layer that stores an event before the reply goes out.
                release.notified().await;
                reply
            }
        }
    });
    let (connection, client) = serve(service, Some(mgp()));
    (connection, client, release)
}

#[tokio::test]
async fn a_held_back_answer_cannot_be_cancelled() {
    let (server, mut client, release) = held_back(true);
    client.send(CALL).await;
    settle().await;
    let token = server.peer().running(&20.into()).unwrap();
    client.send(CANCEL).await;
    assert_eq!(client.message().await["result"], json!({"cancelled": false, "reason": "not_active"}));
    assert!(!token.is_cancelled());
    release.notify_one();
    assert_eq!(client.message().await, json!({"jsonrpc": "2.0", "id": 20, "result": "whole"}));
}

#[tokio::test]
async fn a_cancelled_call_with_a_held_back_answer_stays_cancelled() {
    let (_server, mut client, release) = held_back(false);
    client.send(CALL).await;
    settle().await;
    client.send(CANCEL).await;
    let partial = json!({"content": []});
    assert_eq!(client.message().await["result"], json!({"cancelled": true, "partial_result": partial}));
    client.send(CANCEL.replace(r#""id":22"#, r#""id":23"#)).await;
    assert_eq!(client.message().await["result"], json!({"cancelled": false, "reason": "not_active"}));
    release.notify_one();
    let answer = client.message().await;
    assert_eq!((&answer["id"], &answer["result"]["_mgp"]["cancelled"]), (&json!(20), &json!(true)));
}

#[tokio::test]
async fn a_call_cancelled_before_its_handler_starts_never_runs() {
    let (release, started) = (Arc::new(Notify::new()), Arc::new(AtomicUsize::new(0)));
    let handler = tower::service_fn({
        let started = started.clone();
        move |_: Incoming| {
            started.fetch_add(1, Ordering::Relaxed);
            async { Ok::<_, BoxError>(Reply::ok(RawJson::empty_object())) }
        }
    });
    let service = tower::service_fn({
        let release = release.clone();
        move |incoming: Incoming| {
            let (release, inner) = (release.clone(), CancelLayer::new().layer(handler.clone()));
            async move {
                release.notified().await;
                inner.oneshot(incoming).await
            }
        }
    });
    let (_server, mut client) = serve(service, Some(mgp()));
    client.send(CALL).await;
    settle().await;
    client.send(CANCEL).await;
    assert_eq!(client.message().await["result"], json!({"cancelled": true}));
    release.notify_one();
    let response = client.message().await;
    assert_eq!((&response["id"], &response["result"]["_mgp"]["cancelled"]), (&json!(20), &json!(true)));
    assert_eq!(started.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_client_that_vanishes_cancels_its_calls() {
    let (_server, mut client, dropped) = endless(Some(mgp()));
    client.send(CALL).await;
    client.message().await;
    drop(client);
    dropped.notified().await;
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_blocks_cancellation_does_not_delay_the_answer() {
    // The handler is reached, but never polled again: the layer around it does not poll it.
    let service = tower::service_fn(|incoming: Incoming| async move {
        let inner =
            CancelLayer::new().layer(tower::service_fn(|_: Incoming| pending::<Result<Reply, BoxError>>()));
        let mut call = Box::pin(inner.oneshot(incoming));
        assert!(waits(call.as_mut()));
        pending::<()>().await;
        call.await
    });
    let (_server, mut client) = serve(service, Some(mgp()));
    client.send(CALL).await;
    settle().await;
    client.send(CANCEL).await;
    assert_eq!(client.message().await["result"], json!({"cancelled": true}));
}

/// Returns a request with a token, on a connection that nobody reads.
fn with_token() -> (Connection, Incoming, CancelToken) {
    let (connection, _) =
        serve(tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) }), None);
    let (peer, cancel) = (connection.peer().clone(), CancelToken::new());
    let mut incoming = Incoming::request(1, "tools/call", RawParams::none());
    incoming.ext.insert(CallContext { peer, cancel: cancel.clone() });
    (connection, incoming, cancel)
}

#[tokio::test]
async fn the_layer_ends_a_call_on_its_token_and_passes_others_through() {
    let (mut service, mut handle) = tower_test::mock::spawn_layer(CancelLayer::new());
    handle.allow(3);

    let (_connection, incoming, token) = with_token();
    assert!(service.poll_ready().is_ready());
    let mut call = pin!(service.call(incoming));
    let _answer = handle.next_request().await.unwrap();
    assert!(poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx).is_pending())).await);
    token.cancel(CancelCause::Notification);
    assert!(call.await.unwrap().is_cancelled());

    let (_connection, incoming, _token) = with_token();
    assert!(service.poll_ready().is_ready());
    let call = service.call(incoming);
    handle.next_request().await.unwrap().1.send_response(Reply::ok(RawJson::string("a")));
    assert_eq!(call.await.unwrap(), Reply::ok(RawJson::string("a")));

    assert!(service.poll_ready().is_ready());
    let call = service.call(Incoming::request(1, "tools/call", RawParams::none()));
    handle.next_request().await.unwrap().1.send_response(Reply::ok(RawJson::string("b")));
    assert_eq!(call.await.unwrap(), Reply::ok(RawJson::string("b")));
}

#[tokio::test]
async fn the_handler_is_gone_when_the_layer_answers() {
    let dropped = Arc::new(AtomicUsize::new(0));
    struct Count(Arc<AtomicUsize>);
    impl Drop for Count {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let handler = tower::service_fn({
        let dropped = dropped.clone();
        move |_: Incoming| {
            let count = Count(dropped.clone());
            async move {
                let _count = count;
                pending::<Result<Reply, BoxError>>().await
            }
        }
    });
    let (_connection, incoming, token) = with_token();
    let mut call = pin!(CancelLayer::new().layer(handler).call(incoming));
    assert!(waits(call.as_mut()));
    token.cancel(CancelCause::Notification);
    // The future is kept, so only the layer can have dropped the handler.
    assert!(call.as_mut().await.unwrap().is_cancelled());
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
}
