//! Calls with types of the program, and what a tool sends before its result.

use crate::support::{Way, builder, connect, everything, within};
use mgp_client_sdk::{
    RawJson,
    client::{Client, ToolCallError, ToolEvent},
    mcp::{ElicitParams, ElicitResult},
};
use mgp_server_sdk::{Json, Progress, Server, StreamContent, StreamSink, Tool, ToolError, ask::Ask};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Point {
    x: i64,
}

/// A client of a server whose tools answer in every form.
async fn client() -> Client {
    let server = Server::new("s", "1")
        .tool(Tool::new("point", "Answers for a program", async || Json(Point { x: 7 })))
        .tool(Tool::new("number", "Answers with a number", async || "7"))
        .tool(Tool::new("json", "Answers with JSON", async || r#"{"x":7}"#))
        .tool(Tool::new("nothing", "Answers with nothing", async || ""))
        .tool(Tool::new("fails", "Fails", async || Err::<String, _>(ToolError::new("out of ink"))));
    let (input, output) = server.build().unwrap().in_process();
    within(builder().connect(input, output)).await.unwrap()
}

#[tokio::test]
async fn a_result_is_read_from_structured_content_or_text() {
    let client = client().await;
    assert_eq!(within(client.call::<Point>("point", ())).await.unwrap(), Point { x: 7 });
    assert_eq!(within(client.call::<Point>("json", ())).await.unwrap(), Point { x: 7 });
    assert_eq!(within(client.call::<u8>("number", ())).await.unwrap(), 7);
    assert_eq!(within(client.call::<String>("number", ())).await.unwrap(), "7");
    within(client.call::<()>("nothing", ())).await.unwrap();
    let unexpected = within(client.call::<u8>("json", RawJson::empty_object())).await.unwrap_err();
    assert!(matches!(unexpected, ToolCallError::Result { .. }), "{unexpected}");
    let failed = within(client.call::<String>("fails", ())).await.unwrap_err();
    assert!(failed.to_string().contains(r#"the tool "fails" failed: "#), "{failed}");
    assert!(failed.to_string().contains("out of ink"), "{failed}");
}

#[tokio::test]
async fn arguments_of_any_type_are_sent_on_every_connection() {
    for way in Way::ALL {
        let connected = connect(*way, everything(), builder()).await;
        let arguments = BTreeMap::from([("a", 1), ("b", 2)]);
        let sum: f64 = within(connected.client.call("add", &arguments)).await.unwrap();
        assert!((sum - 3.0).abs() < f64::EPSILON, "{way:?}");
    }
}

async fn work(mut progress: Progress, mut sink: StreamSink, ask: Ask) -> Result<StreamContent, ToolError> {
    let form = RawJson::parse(r#"{"type":"object","properties":{}}"#)?;
    ask.elicit("go", ElicitParams::form("Go on?", form)).await?;
    for step in [1.0, 2.0] {
        progress.report(step, Some(2.0), None).await?;
        sink.send_text(&format!("{step} ")).await?;
    }
    Ok(sink.finish())
}

#[tokio::test]
async fn a_stream_yields_progress_and_chunks_in_order() {
    let accept = |_: ElicitParams| async { ElicitResult::accept() };
    for way in Way::ALL {
        let server = Server::new("s", "1").tool(Tool::new("work", "Works", work));
        let connected = connect(*way, server, builder().on_elicit(accept)).await;
        let mut call = connected.client.stream("work", ());
        let mut heard = String::new();
        while let Some(event) = within(call.next()).await {
            match event {
                ToolEvent::Progress(step) => heard += &format!("p{} ", step.progress.as_f64().unwrap()),
                ToolEvent::Chunk(chunk) => heard += chunk.content.as_text().unwrap(),
                _ => {}
            }
        }
        assert_eq!(heard, "p1 1 p2 2 ", "{way:?}");
        assert!(within(call.next()).await.is_none());
        assert_eq!(within(call.result::<String>()).await.unwrap(), "1 2 ", "{way:?}");
    }
}

#[tokio::test]
async fn an_unread_stream_still_has_a_result() {
    let client = client().await;
    assert_eq!(within(client.stream("number", ()).result::<u8>()).await.unwrap(), 7);
    let failed = within(client.stream("fails", ()).raw_result()).await.unwrap();
    assert!(failed.failed());
}
