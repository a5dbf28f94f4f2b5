//! Arguments that stand in headers too, over HTTP in the stateless era.

use crate::{
    http_by_hand::{self, json_body},
    scripted::{self, Lines, plain, result},
    support::{builder, json, within},
};
use mgp_client_sdk::{Era, EraChoice, client::Client};
use serde_json::{Value, json};
use std::sync::Arc;

fn tools() -> Value {
    let tool = |name: &str, properties: Value| json!({"name": name, "inputSchema": {"type": "object", "properties": properties}});
    let header = |name: &str| json!({"type": "string", "x-mcp-header": name});
    let list = [
        tool("routed", json!({"region": header("Region"), "query": {"type": "string"}})),
        tool("plain", json!({})),
        tool("spaced", json!({"a": header("A B")})),
        tool("twice", json!({"a": header("X"), "b": header("x")})),
    ];
    json!({"tools": list})
}

/// A server that wants the header of `routed`.
fn answer(line: &Value) -> Value {
    if let Some(said) = plain(line, &json!({"tools": {}})) {
        return said[0].clone();
    }
    match line["method"].as_str() {
        Some("tools/list") => result(tools())[0].clone(),
        _ if line["params"]["name"] == "routed" && line["headers"].get("mcp-param-region").is_none() => {
            json!({"error": {"code": -32020, "message": "missing header"}})
        }
        _ => json!({"result": {"resultType": "complete", "content": []}}),
    }
}

async fn open(era: Era) -> (Client, Lines) {
    let builder = builder().era(EraChoice::Known(era));
    let script = |line: &Value| json_body(answer(line), line);
    let (client, lines) = http_by_hand::connect(Arc::new(script), builder).await;
    (client.unwrap(), lines)
}

async fn names(client: &Client) -> Vec<String> {
    let tools = within(client.list_tools()).await.unwrap();
    tools.into_iter().map(|tool| tool.name).collect()
}

#[tokio::test]
async fn a_tool_with_invalid_header_annotations_is_left_out_over_http() {
    let all = ["routed", "plain", "spaced", "twice"];
    assert_eq!(names(&open(Era::Stateless).await.0).await, all[..2]);
    assert_eq!(names(&open(Era::Initialize).await.0).await, all);
    let script = |line: &Value| plain(line, &json!({})).unwrap_or_else(|| result(tools()));
    let known = EraChoice::Known(Era::Stateless);
    let (client, _) = scripted::connect(Arc::new(script), builder(), known).await;
    assert_eq!(names(&client.unwrap()).await, all, "over byte streams there are no headers");
}

#[tokio::test]
async fn an_argument_is_sent_in_its_header_once_tools_are_listed() {
    let (client, lines) = open(Era::Stateless).await;
    names(&client).await;
    let arguments = json(r#"{"region":"Zürich","query":"x"}"#);
    within(client.call_tool("routed", arguments)).await.unwrap();
    let calls = lines.of("tools/call");
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0]["headers"]["mcp-param-region"], "=?base64?WsO8cmljaA==?=");
    assert!(calls[0]["headers"].get("mcp-param-query").is_none());
}

#[tokio::test]
async fn a_call_without_its_header_is_repeated_after_listing() {
    let (client, lines) = open(Era::Stateless).await;
    within(client.call_tool("routed", json(r#"{"region":"x"}"#))).await.unwrap();
    let methods = lines.methods();
    assert_eq!(methods[1..], ["tools/call", "tools/list", "tools/call"]);
    let again = within(client.call_tool("routed", json("{}"))).await.unwrap_err();
    assert!(again.to_string().contains("missing header"), "once, and not for ever: {again}");
    assert_eq!(lines.of("tools/call").len(), 4);
}
