//! Checkpoints: calls that go on where an earlier one ended.

use crate::support::{Client, result};
use mgp_server_sdk::{
    CallToolResult, Error, Prompt, Server, StreamSink, Tool, ToolError,
    checkpoint::Checkpoint,
    extract::{Args, PartialResult},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::{future::pending, time::Duration};

const KEY: &str = "dev.cloto/checkpoint";

#[derive(Deserialize, JsonSchema)]
struct WorkArgs {
    ends: String,
}

/// Works from one row to the next, and ends as the arguments say.
async fn work(
    Args(WorkArgs { ends }): Args<WorkArgs>,
    checkpoint: Checkpoint,
    partial: PartialResult,
    mut sink: StreamSink,
) -> Result<CallToolResult, ToolError> {
    let row: u32 = checkpoint.state()?.unwrap_or(0);
    checkpoint.save("an earlier state")?;
    checkpoint.save(&(row + 1))?;
    let text = format!("row {row}");
    match &*ends {
        "error" => Err(ToolError::new(text)),
        "cleared" => {
            checkpoint.clear();
            Err(ToolError::new(text))
        }
        "never" => {
            sink.send_text(&text).await?;
            pending().await
        }
        "partly" => {
            partial.set(text)?;
            sink.send_text(".").await?;
            pending().await
        }
        _ => Ok(CallToolResult::text(text)),
    }
}

fn server() -> Server {
    Server::new("s", "1").tool(Tool::new("work", "", work)).tool(Tool::new("other", "", work))
}

fn call(tool: &str, ends: &str, checkpoint: &Value) -> Value {
    let mut params = json!({"name": tool, "arguments": {"ends": ends}, "_mgp": {"stream": true}});
    if !checkpoint.is_null() {
        params["_meta"] = json!({KEY: checkpoint});
    }
    params
}

#[tokio::test]
async fn a_failed_call_resumes_from_its_checkpoint() {
    for client in [Client::mgp(server()).await, Client::plain(server()).await] {
        let mut checkpoint = Value::Null;
        for row in 0..3 {
            let result = client.request("tools/call", call("work", "error", &checkpoint)).await.unwrap();
            assert_eq!(
                (&result["isError"], &result["content"][0]["text"]),
                (&json!(true), &json!(format!("row {row}")))
            );
            checkpoint = result["_meta"][KEY].clone();
            assert!(checkpoint.is_string(), "{result}");
        }
        for ends in ["well", "cleared"] {
            let result = client.request("tools/call", call("work", ends, &Value::Null)).await.unwrap();
            assert_eq!(result.get("_meta"), None, "{ends}");
        }
    }
}

#[tokio::test]
async fn a_cancelled_call_leaves_its_checkpoint_in_both_answers() {
    let client = Client::mgp(server()).await;
    for (ends, text) in [("never", "row 0"), ("partly", "row 0")] {
        let mut checkpoint = Value::Null;
        for _ in 0..2 {
            let mut running = client.start("tools/call", call("work", ends, &checkpoint)).await;
            running.next().await;
            let cancel = json!({"request_id": running.id()});
            let cancelled = client.request("mgp/stream/cancel", cancel).await.unwrap();
            let answer = result(running).await.unwrap();
            let partial = &cancelled["partial_result"];
            assert_eq!(partial["_meta"], answer["_meta"]);
            assert_eq!(partial["content"], answer["content"]);
            let expected = if checkpoint.is_null() { text } else { "row 1" };
            assert_eq!(partial["content"][0]["text"], expected, "{ends}");
            checkpoint = partial["_meta"][KEY].clone();
            assert!(checkpoint.is_string(), "{cancelled}");
        }
    }
}

#[tokio::test]
async fn only_this_call_s_unchanged_checkpoint_is_accepted() {
    let client = Client::mgp(server()).await;
    let failed = client.request("tools/call", call("work", "error", &Value::Null)).await.unwrap();
    let good = failed["_meta"][KEY].as_str().unwrap();
    let foreign = Client::mgp(server()).await;
    let foreign = foreign.request("tools/call", call("work", "error", &Value::Null)).await.unwrap();
    let (before, after) = good.split_at(good.len() / 2);
    let letter = if after.starts_with('b') { 'c' } else { 'b' };
    let changed = format!("{before}{letter}{}", &after[1..]);
    for (tool, ends, checkpoint, problem) in [
        ("work", "error", foreign["_meta"][KEY].clone(), "a checkpoint of this server, unchanged"),
        ("work", "error", json!(changed), "a checkpoint of this server, unchanged"),
        ("work", "error", json!("x".repeat(100_000)), "at most 98304 bytes, found 100000"),
        ("work", "error", json!({"row": 3}), "expected a string, found an object"),
        ("other", "error", json!(good), "another tool"),
        ("work", "well", json!(good), "other arguments"),
    ] {
        let error = client.request("tools/call", call(tool, ends, &checkpoint)).await.unwrap_err();
        assert_eq!(error.code, -32602, "{error}");
        assert!(error.message.contains(KEY) && error.message.contains(problem), "{error}");
        assert!(error.message.ends_with("call the tool without it to begin anew"), "{error}");
    }
}

#[tokio::test]
async fn instances_that_share_a_key_share_checkpoints() {
    let instance = || server().state_key([7; 32]);
    let (one, other) = (Client::mgp(instance()).await, Client::mgp(instance()).await);
    let failed = one.request("tools/call", call("work", "error", &Value::Null)).await.unwrap();
    let checkpoint = &failed["_meta"][KEY];
    let result = other.request("tools/call", call("work", "error", checkpoint)).await.unwrap();
    assert_eq!(result["content"][0]["text"], "row 1");
    let none = server().checkpoint_lifetime(Duration::from_millis(999)).build();
    assert!(matches!(none, Err(Error::Limit { limit: "checkpoint_lifetime" })));
}

#[tokio::test]
async fn a_checkpoint_is_bounded_and_of_the_tool_s_type() {
    let large = async |checkpoint: Checkpoint| checkpoint.save(&"x".repeat(64 * 1024));
    let typed = async |checkpoint: Checkpoint| -> Result<String, ToolError> {
        checkpoint.save("a text")?;
        let state: Option<u32> = checkpoint.state()?;
        Err(ToolError::new(format!("{state:?}")))
    };
    let server =
        Server::new("s", "1").tool(Tool::new("large", "", large)).tool(Tool::new("typed", "", typed));
    let client = Client::plain(server).await;
    let problem = "the state of a checkpoint has 65538 bytes, expected at most 65536";
    assert!(client.failure("large", json!({})).await.starts_with(problem));
    let failed = client.request("tools/call", json!({"name": "typed", "arguments": {}})).await.unwrap();
    let again = json!({"name": "typed", "arguments": {}, "_meta": failed["_meta"]});
    let error = client.request("tools/call", again).await.unwrap_err();
    assert!(error.code == -32602 && error.message.contains("cannot be used any more"), "{error}");
}

#[test]
fn only_tools_save_checkpoints_and_each_saves_one() {
    let prompt = async |_: Checkpoint| "text";
    let misplaced = Server::new("s", "1").prompt(Prompt::new("p", "", prompt)).build().unwrap_err();
    assert!(misplaced.to_string().contains("handlers of tools"), "{misplaced}");
    let twice = async |_: Checkpoint, _: Checkpoint| "text";
    let repeated = Server::new("s", "1").tool(Tool::new("t", "", twice)).build().unwrap_err();
    assert!(repeated.to_string().contains("Checkpoint"), "{repeated}");
}
