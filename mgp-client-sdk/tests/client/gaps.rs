//! §12.4, §12.6 Chunks that are missing, late or repeated, and estimates of the remaining time, as the client's stream reports them.

use crate::{
    scripted::{self, Script},
    support::{builder, within},
};
use mgp_client_sdk::{
    Era, EraChoice,
    client::{Client, ToolEvent},
    mcp::{ElicitParams, ElicitResult},
};
use mgp_server_sdk::{Progress, ProgressStep, Server, StreamContent, StreamSink, Tool, ToolError, ask::Ask};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

fn chunk(call: &Value, index: u64) -> Value {
    let content = json!({"type": "text", "text": index.to_string()});
    json!({"method": "notifications/mgp.stream.chunk",
        "params": {"request_id": call["id"], "index": index, "content": content}})
}

/// Connects a client to a server that sends these messages before the answer to each call.
async fn connect(messages: impl Fn(&Value) -> Vec<Value> + Send + Sync + 'static) -> Client {
    let capabilities = json!({"tools": {}, "mgp": {"version": "0.3.0", "extensions": ["streaming"]}});
    let script: Script = Arc::new(move |line| match line["method"].as_str() {
        Some("tools/call") => [messages(line), scripted::result(json!({"content": []}))].concat(),
        _ => scripted::plain(line, &capabilities).unwrap_or_default(),
    });
    scripted::connect(script, builder(), EraChoice::Known(Era::Initialize)).await.0.unwrap()
}

async fn events(client: &Client) -> Vec<String> {
    let mut call = client.stream("work", ());
    let mut events = Vec::new();
    while let Some(event) = within(call.next()).await {
        events.push(match event {
            ToolEvent::Chunk(chunk) => chunk.content.as_text().unwrap().to_owned(),
            ToolEvent::Gap { first, missing } => format!("gap {first}+{missing}"),
            ToolEvent::Progress(step) => format!("{} {:?}", step.progress, step.estimated_remaining()),
            other => panic!("{other:?}"),
        });
    }
    call.raw_result().await.unwrap();
    events
}

#[tokio::test]
async fn missing_chunks_are_reported_and_late_ones_are_dropped() {
    for (indices, expected) in [
        (&[0, 1, 2][..], &["0", "1", "2"][..]),
        (&[2], &["gap 0+2", "2"]),
        (&[0, 2, 1, 2, 3], &["0", "gap 1+1", "2", "3"]),
        (&[0, 0, u64::MAX, 1], &["0", "gap 1+18446744073709551614", "18446744073709551615"]),
    ] {
        let client = connect(move |call| indices.iter().map(|index| chunk(call, *index)).collect()).await;
        assert_eq!(events(&client).await, expected, "{indices:?}");
        assert_eq!(events(&client).await, expected, "each call counts from 0");
    }
}

#[tokio::test]
async fn estimates_of_the_remaining_time_are_read_in_both_forms() {
    let client = connect(|call| {
        let token = &call["params"]["_meta"]["progressToken"];
        let step = |progress: f64, mgp: Value| {
            json!({"method": "notifications/progress",
                "params": {"progressToken": token, "progress": progress, "_mgp": mgp}})
        };
        vec![
            step(1.0, json!({"estimated_remaining_ms": 4500})),
            step(2.0, json!({"estimated_remaining_ms": "soon"})),
            json!({"method": "notifications/mgp.stream.progress",
                "params": {"request_id": call["id"], "progress": 0.5, "estimated_remaining_ms": 7}}),
        ]
    })
    .await;
    assert_eq!(events(&client).await, ["1.0 Some(4.5s)", "2.0 None", "0.5 Some(7ms)"]);
}

#[tokio::test]
async fn a_handler_s_estimate_reaches_the_client() {
    let work = async |mut progress: Progress| {
        let step = ProgressStep::new(1.0).total(2.0).remaining(Duration::from_millis(4500));
        progress.report_step(step).await
    };
    let server = Server::new("s", "1").tool(Tool::new("work", "", work));
    let (input, output) = server.build().unwrap().in_process();
    let client = builder().connect(input, output).await.unwrap();
    assert_eq!(events(&client).await, ["1 Some(4.5s)"]);
}

#[tokio::test]
async fn a_handler_replayed_after_its_question_repeats_no_text() {
    async fn work(ask: Ask, mut sink: StreamSink) -> Result<StreamContent, ToolError> {
        sink.send_text("before").await?;
        let is_confirmed = ask.confirm("sure", "Sure?").await?;
        sink.send_text(&format!("after {is_confirmed}")).await?;
        Ok(sink.finish())
    }
    for era in [Era::Initialize, Era::Stateless] {
        let server = Server::new("s", "1").tool(Tool::new("work", "", work));
        let (input, output) = server.build().unwrap().in_process();
        let says_yes = async |_: ElicitParams| ElicitResult::accept();
        let client = builder().era(EraChoice::Known(era)).on_elicit(says_yes);
        let client = client.connect(input, output).await.unwrap();
        assert_eq!(events(&client).await, ["before", "after true"], "{era:?}");
    }
}
