//! §12 Chunks, progress and cancelling.

use crate::support::{Client, result, settle};
use mgp_server_sdk::{
    Call, Json, Progress, Server, StreamSink, Tool, ToolError,
    extract::{FromCall, PartialResult},
};
use mgp_transport::seam::{CallEvent, PendingCall};
use serde_json::{Value, json};
use std::{
    future::{pending, poll_fn},
    sync::Arc,
};
use tokio::sync::Notify;

async fn next(call: &mut PendingCall) -> (String, Value) {
    match poll_fn(|cx| call.poll_next(cx)).await {
        CallEvent::Notification(notification) => {
            let params = notification.params.get().map_or(Value::Null, |json| json.decode().unwrap());
            (notification.method.to_string(), params)
        }
        CallEvent::Reply(reply) => ("reply".to_owned(), reply.unwrap().decode().unwrap()),
    }
}

/// A sink inside an extractor that does not declare it; an extractor that declares it is refused when the server is built.
struct SecondSink;

impl FromCall for SecondSink {
    type Rejection = ToolError;

    async fn from_call(call: &Call) -> Result<Self, ToolError> {
        StreamSink::from_call(call).await.map(|_| Self)
    }
}

fn counter() -> Server {
    let finish = async |mut sink: StreamSink| {
        sink.send_text("1").await.unwrap();
        sink.send_text("2").await.unwrap();
        sink.finish()
    };
    let own = async |mut sink: StreamSink| {
        sink.send_text("1").await.unwrap();
        "done"
    };
    let steps = async |mut progress: Progress| {
        progress.report(1.0, Some(2.0), Some("half")).await.unwrap();
        progress.report(2.0, Some(2.0), None).await.unwrap();
    };
    let twice = async |_: StreamSink, _: SecondSink| ();
    Server::new("s", "1")
        .tool(Tool::new("finish", "", finish))
        .tool(Tool::new("own", "", own))
        .tool(Tool::new("steps", "", steps))
        .tool(Tool::new("twice", "", twice))
}

#[tokio::test]
async fn chunks_arrive_in_order_before_the_streamed_answer() {
    let client = Client::mgp(counter()).await;
    for (tool, chunks, text) in [("finish", 2, "12"), ("own", 1, "done")] {
        let mut call = client.start("tools/call", json!({"name": tool, "_mgp": {"stream": true}})).await;
        for index in 0..chunks {
            let (method, params) = next(&mut call).await;
            assert_eq!((&*method, &params["index"]), ("notifications/mgp.stream.chunk", &json!(index)));
        }
        let (kind, result) = next(&mut call).await;
        assert_eq!((&*kind, &result["content"][0]["text"]), ("reply", &json!(text)), "{tool}");
        let how = &result["_mgp"];
        assert_eq!((&how["streamed"], &how["chunks_sent"]), (&json!(true), &json!(chunks)), "{tool}");
    }
}

#[tokio::test]
async fn a_client_without_chunks_gets_the_whole_answer() {
    let client = Client::mgp(counter()).await;
    let result = client.call("finish", json!({})).await.unwrap();
    assert_eq!(result, json!({"content": [{"type": "text", "text": "12"}]}));
}

#[tokio::test]
async fn progress_uses_the_client_s_token() {
    let client = Client::plain(counter()).await;
    let id = client.connection.peer().next_id();
    let params = crate::support::raw(&json!({"name": "steps", "_meta": {"progressToken": id}}));
    let mut call = client.connection.peer().start_as(id, "tools/call", params).await.unwrap();
    let half = json!({"progressToken": id, "progress": 1, "total": 2, "message": "half"});
    assert_eq!(next(&mut call).await, ("notifications/progress".to_owned(), half));
    assert_eq!(next(&mut call).await.1["progress"], 2);
    assert_eq!(next(&mut call).await.0, "reply");
}

#[tokio::test]
async fn a_handler_cannot_take_two_sinks() {
    let client = Client::mgp(counter()).await;
    let error = client.call("twice", json!({})).await.unwrap_err();
    assert_eq!(error.code, -32603);
    assert!(error.message.contains("taken already"), "{error}");
}

/// Notifies on drop.
struct Bell(Arc<Notify>);

impl Drop for Bell {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[tokio::test]
async fn a_cancelled_call_drops_its_handler_and_is_answered_once() {
    let dropped = Arc::new(Notify::new());
    let ring = dropped.clone();
    let endless = move |mut sink: StreamSink| {
        let bell = Bell(ring.clone());
        async move {
            let _bell = bell;
            sink.send_text("so far").await.unwrap();
            pending::<()>().await;
        }
    };
    let client = Client::mgp(Server::new("s", "1").tool(Tool::new("endless", "", endless))).await;
    let id = client.connection.peer().next_id();
    let params = crate::support::raw(&json!({"name": "endless", "_mgp": {"stream": true}}));
    let mut call = client.connection.peer().start_as(id, "tools/call", params).await.unwrap();
    assert_eq!(next(&mut call).await.1["index"], 0);
    let cancel = client.request("mgp/stream/cancel", json!({"request_id": id})).await.unwrap();
    assert_eq!(cancel["cancelled"], true);
    dropped.notified().await;
    let result = result(call).await.unwrap();
    assert_eq!(result["_mgp"]["cancelled"], true);
    assert_eq!(result["content"][0]["text"], "so far");
    let again = client.request("mgp/stream/cancel", json!({"request_id": id})).await.unwrap();
    assert_eq!(again, json!({"cancelled": false, "reason": "not_active"}));
}

#[tokio::test]
async fn a_plain_client_that_cancels_its_call_drops_the_handler() {
    let dropped = Arc::new(Notify::new());
    let ring = dropped.clone();
    let endless = move || {
        let bell = Bell(ring.clone());
        async move {
            let _bell = bell;
            pending::<()>().await;
        }
    };
    let client = Client::plain(Server::new("s", "1").tool(Tool::new("endless", "", endless))).await;
    let call = client.start("tools/call", json!({"name": "endless"})).await;
    settle().await;
    drop(call);
    dropped.notified().await;
    client.request("ping", json!({})).await.unwrap();
}

#[tokio::test]
async fn a_handler_submits_its_partial_result_as_it_goes() {
    let search = async |partial: PartialResult, mut sink: StreamSink| {
        assert!(partial.is_wanted());
        partial.set("searched: attic").unwrap();
        partial.set(Json(json!({"searched": ["attic", "cellar"]}))).unwrap();
        assert!(partial.set("x".repeat(1024 * 1024)).is_err());
        sink.send_text("attic, cellar").await.unwrap();
        pending::<()>().await;
    };
    let client = Client::mgp(Server::new("s", "1").tool(Tool::new("search", "", search))).await;
    let mut call = client.start("tools/call", json!({"name": "search", "_mgp": {"stream": true}})).await;
    next(&mut call).await;
    let cancel = client.request("mgp/stream/cancel", json!({"request_id": call.id()})).await.unwrap();
    let searched = json!({"searched": ["attic", "cellar"]});
    assert_eq!(cancel["partial_result"]["structuredContent"], searched);
    let result = result(call).await.unwrap();
    assert_eq!(result["structuredContent"], searched);
    assert_eq!(result["_mgp"]["cancelled"], true);

    let quick = async |partial: PartialResult| partial.set("partial").map(|()| "whole");
    let server = || Server::new("s", "1").tool(Tool::new("quick", "", quick));
    for client in [Client::mgp(server()).await, Client::plain(server()).await] {
        let result = client.call("quick", json!({})).await.unwrap();
        assert_eq!(result["content"], json!([{"type": "text", "text": "whole"}]));
    }
}
