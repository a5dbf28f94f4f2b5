//! Outcomes: statuses, typed errors and explanations, in results that every host can read.

use crate::support::Client;
use mgp_server_sdk::{
    ErrorType, Failure, Outcome, Server, Tool, ToolError, extract::Args, mcp::CallToolResult,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct CopyReport {
    rows: u32,
}

#[derive(Deserialize, JsonSchema)]
struct CopyArgs {
    how: String,
}

struct NoDisk;

impl From<NoDisk> for Failure {
    fn from(NoDisk: NoDisk) -> Self {
        Self::new("DiskMissing", "there is no disk").details("insert one").explanation("nothing was copied")
    }
}

fn copy(Args(CopyArgs { how }): Args<CopyArgs>) -> Result<Outcome<CopyReport>, Failure> {
    let full = || Failure::new(ErrorType::ApiLimitExceeded, "the disk is full");
    match how.as_str() {
        "done" => Ok(Outcome::success(CopyReport { rows: 3 })),
        "explained" => Ok(Outcome::success(CopyReport { rows: 3 }).explanation("all of them")),
        "same" => Ok(Outcome::no_change_needed(CopyReport { rows: 0 })),
        "part" => Ok(Outcome::partial_success(CopyReport { rows: 1 }, full())),
        "failed" => Ok(full().into()),
        _ => Err(NoDisk)?,
    }
}

fn server() -> Server {
    let error = async || Err::<String, ToolError>(Failure::new("Own", "own").into());
    Server::new("s", "1")
        .tool(Tool::new("copy", "Copies", copy))
        .tool(Tool::new("text", "Says hi", async || Outcome::success("hi")))
        .tool(Tool::new("nothing", "Does nothing", async || Outcome::success(())))
        .tool(Tool::new("list", "Is wrong", async || Outcome::success(json!([1]))))
        .tool(Tool::new("error", "Fails", error))
}

async fn copied(client: &Client, how: &str) -> Value {
    client.call("copy", json!({ "how": how })).await.unwrap()
}

#[tokio::test]
async fn every_outcome_is_readable_by_plain_hosts() {
    let client = Client::plain(server()).await;
    assert_eq!(
        copied(&client, "done").await,
        json!({
            "content": [{"type": "text", "text": r#"{"rows":3}"#}],
            "structuredContent": {"rows": 3},
            "_meta": {"dev.cloto/result": {"status": "success"}}
        })
    );
    assert_eq!(
        copied(&client, "part").await,
        json!({
            "content": [
                {"type": "text", "text": r#"{"rows":1}"#},
                {"type": "text", "text": "only a part was done: the disk is full"}
            ],
            "structuredContent": {"rows": 1},
            "_meta": {"dev.cloto/result": {
                "status": "partial_success",
                "error": {"error_type": "ApiLimitExceeded", "error_message": "the disk is full"}
            }}
        })
    );
    assert_eq!(
        copied(&client, "no disk").await,
        json!({
            "content": [
                {"type": "text", "text": "there is no disk"},
                {"type": "text", "text": "nothing was copied"}
            ],
            "isError": true,
            "_meta": {"dev.cloto/result": {
                "status": "failure",
                "error": {
                    "error_type": "DiskMissing",
                    "error_message": "there is no disk",
                    "error_details": "insert one"
                },
                "explanation": "nothing was copied"
            }}
        })
    );
}

#[tokio::test]
async fn the_handler_s_return_value_is_read_back() {
    let client = Client::plain(server()).await;
    let full = || Failure::new(ErrorType::ApiLimitExceeded, "the disk is full");
    for (how, expected) in [
        ("done", Outcome::success(CopyReport { rows: 3 })),
        ("explained", Outcome::success(CopyReport { rows: 3 }).explanation("all of them")),
        ("same", Outcome::no_change_needed(CopyReport { rows: 0 })),
        ("part", Outcome::partial_success(CopyReport { rows: 1 }, full())),
        ("failed", full().into()),
        ("no disk", Failure::from(NoDisk).into()),
    ] {
        let result: CallToolResult = serde_json::from_value(copied(&client, how).await).unwrap();
        assert_eq!(result.outcome::<CopyReport>().unwrap(), expected, "{how}");
    }
}

#[tokio::test]
async fn the_output_schema_is_that_of_the_data_and_texts_have_none() {
    let client = Client::plain(server()).await;
    let tools = client.request("tools/list", json!({})).await.unwrap()["tools"].clone();
    let schema = |name: &str| {
        let tools = tools.as_array().unwrap();
        tools.iter().find(|tool| tool["name"] == name).unwrap()["outputSchema"].clone()
    };
    assert_eq!(schema("copy")["required"], json!(["rows"]));
    assert_eq!((schema("text"), schema("nothing"), schema("list")), (json!(null), json!(null), json!(null)));
    let text = client.call("text", json!({})).await.unwrap();
    assert_eq!((&text["content"][0]["text"], &text["structuredContent"]), (&json!("hi"), &json!(null)));
    assert_eq!(client.call("nothing", json!({})).await.unwrap()["content"], json!([]));
    let wrong = client.call("list", json!({})).await.unwrap_err();
    assert!(wrong.message.contains("expected a JSON object, found an array"), "{wrong}");
}

#[tokio::test]
async fn errors_of_plain_handlers_have_a_type_too() {
    let client = Client::plain(server()).await;
    for (tool, arguments, error_type) in
        [("copy", json!({"how": 1}), "ValidationError"), ("error", json!({}), "Own")]
    {
        let failed = client.call(tool, arguments).await.unwrap();
        assert_eq!(failed["_meta"]["dev.cloto/result"]["error"]["error_type"], error_type, "{failed}");
        assert_eq!(failed["isError"], true);
    }
}
