//! §12.7 Calls that the client ends before their answers.

use crate::{
    scripted::{self, Lines, Script},
    support::{Way, builder, connect as connect_to, timeless, within},
};
use mgp_client_sdk::{
    Era, EraChoice,
    client::{CancelOutcome, Client},
};
use mgp_server_sdk::{Server, StreamSink, Tool, ToolError};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

const CANCEL: &str = "mgp/stream/cancel";

/// Connects a client to a server that answers no call, and a cancellation with `answer`.
async fn connect(extensions: Value, answer: Vec<Value>) -> (Client, Lines) {
    let capabilities = json!({"tools": {}, "mgp": {"version": "0.3.0", "extensions": extensions}});
    let script: Script = Arc::new(move |line| match line["method"].as_str() {
        Some(CANCEL) => answer.clone(),
        _ => scripted::plain(line, &capabilities).unwrap_or_default(),
    });
    let builder = builder().timeout(Duration::from_secs(10));
    let (client, lines) = scripted::connect(script, builder, EraChoice::Known(Era::Initialize)).await;
    (client.unwrap(), lines)
}

#[tokio::test(start_paused = true)]
async fn cancelling_requests_the_partial_result_of_a_stream() {
    let partial = json!({"content": [{"type": "text", "text": "half"}]});
    let answer = scripted::result(json!({"cancelled": true, "partial_result": partial}));
    let (client, lines) = connect(json!(["streaming"]), answer).await;
    let mut call = client.stream("work", ());
    tokio::select! {
        _ = call.next() => panic!("there are no events"),
        _ = lines.wait_for("tools/call", 1) => {}
    }
    let CancelOutcome::Cancelled(Some(partial)) = within(call.cancel()).await.unwrap() else {
        panic!("expected a partial result");
    };
    assert_eq!(partial.content[0].as_text(), Some("half"));
    assert_eq!(partial.mgp.unwrap().get("cancelled").unwrap().as_str(), "true");
    let told = lines.of(CANCEL);
    assert_eq!(told[0]["params"]["request_id"], lines.of("tools/call")[0]["id"]);
    assert_eq!(told.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn without_streaming_a_call_is_cancelled_by_notification() {
    let (client, lines) = connect(json!([]), vec![]).await;
    let mut call = client.stream("work", ());
    tokio::select! {
        _ = call.next() => panic!("there are no events"),
        _ = lines.wait_for("tools/call", 1) => {}
    }
    let began = tokio::time::Instant::now();
    assert!(matches!(call.cancel().await.unwrap(), CancelOutcome::Cancelled(None)));
    assert_eq!(began.elapsed(), Duration::ZERO);
    lines.wait_for("notifications/cancelled", 1).await;
    assert!(lines.of(CANCEL).is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_dropped_or_timed_out_call_is_cancelled_by_method_too() {
    let (client, lines) = connect(json!(["streaming"]), scripted::result(json!({"cancelled": true}))).await;
    let mut call = client.stream("work", ());
    tokio::select! {
        _ = call.next() => panic!("there are no events"),
        _ = lines.wait_for("tools/call", 1) => {}
    }
    drop(call);
    lines.wait_for(CANCEL, 1).await;
    client.call_tool("work", ()).await.unwrap_err();
    let told = lines.wait_for(CANCEL, 2).await;
    let calls = lines.of("tools/call");
    for at in [0, 1] {
        assert_eq!(told[at]["params"]["request_id"], calls[at]["id"]);
    }
    lines.wait_for("notifications/cancelled", 2).await;
}

#[tokio::test]
async fn an_answered_call_is_not_cancelled() {
    let server = Server::new("s", "1").tool(Tool::new("hi", "", async || "hi"));
    let (input, output) = server.build().unwrap().in_process();
    let client = builder().connect(input, output).await.unwrap();
    let mut call = client.stream("hi", ());
    assert!(within(call.next()).await.is_none());
    let CancelOutcome::Answered(answer) = call.cancel().await.unwrap() else { panic!("expected the answer") };
    assert_eq!(answer.content[0].as_text(), Some("hi"));
}

#[tokio::test]
async fn cancelling_reaches_our_server_on_every_connection() {
    for way in Way::ALL.iter().copied() {
        let (dropped, mut is_dropped) = tokio::sync::mpsc::unbounded_channel();
        let count = move |mut sink: StreamSink| {
            let dropped = dropped.clone();
            async move {
                let _guard = on_drop(move || dropped.send(()).unwrap());
                sink.send_text("1 2").await?;
                std::future::pending::<Result<(), ToolError>>().await
            }
        };
        let server = Server::new("s", "1").tool(Tool::new("count", "", count));
        let connected = connect_to(way, server, builder()).await;
        let mut call = connected.client.stream("count", ());
        within(call.next()).await.expect("the first chunk");
        let is_named = matches!(way, Way::Stream(_)) || !way.is_stateless();
        let outcome = if is_named {
            // The client waits only so long for the partial result.
            timeless(call.cancel()).await.unwrap()
        } else {
            within(call.cancel()).await.unwrap()
        };
        match (is_named, outcome) {
            (true, CancelOutcome::Cancelled(Some(partial))) => {
                assert_eq!(partial.content[0].as_text(), Some("1 2"), "{way:?}");
            }
            (false, CancelOutcome::Cancelled(None)) => {}
            (_, other) => panic!("{way:?}: {other:?}"),
        }
        within(is_dropped.recv()).await;
    }
}

/// Returns a value that calls a function when it is dropped.
fn on_drop(f: impl FnOnce() + Send) -> impl Send {
    struct Guard<F: FnOnce()>(Option<F>);
    impl<F: FnOnce()> Drop for Guard<F> {
        fn drop(&mut self) {
            if let Some(f) = self.0.take() {
                f();
            }
        }
    }
    Guard(Some(f))
}
