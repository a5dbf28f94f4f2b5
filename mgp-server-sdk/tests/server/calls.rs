//! `tools/call`: every kind of result, and every way to fail.

use crate::support::{Client, unchecked};
use mgp_server_sdk::{
    AudioContent, CallToolResult, ContentBlock, ImageContent, Json, Server, Tool, ToolError,
    extract::{Args, RawArgs},
    mcp::{EmbeddedResource, ResourceContents, ResourceLink, TextContent},
};
use mgp_types::{error::ErrorCode, json::RawJson, rpc::ErrorObject};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

async fn add(Args(Add { a, b }): Args<Add>) -> String {
    (a + b).to_string()
}

fn adder() -> Server {
    Server::new("adder", "1").tool(Tool::new("add", "Adds two numbers", add))
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

async fn fails() -> Result<String, std::num::ParseIntError> {
    "x".parse::<i64>().map(|n| n.to_string())
}

async fn question_mark() -> Result<i64, ToolError> {
    Ok("x".parse::<i64>()?)
}

async fn refused() -> Result<(), ToolError> {
    Err(ToolError::protocol(ErrorCode::ToolDisabled.error("switched off")))
}

fn kinds() -> Server {
    let two = async || vec![ContentBlock::text("a"), ContentBlock::text("b")];
    let whole = async || CallToolResult { is_error: Some(true), ..CallToolResult::text("no") };
    Server::new("kinds", "1")
        .tool(Tool::new("string", "", async || String::from("s")))
        .tool(Tool::new("str", "", async || "s"))
        .tool(Tool::new("unit", "", async || ()))
        .tool(Tool::new("block", "", async || ContentBlock::text("b")))
        .tool(Tool::new("blocks", "", two))
        .tool(Tool::new("json", "", async || Json(Sum { sum: 3 })).output::<Sum>())
        .tool(Tool::new("list", "", async || Json(json!([1]))))
        .tool(Tool::new("whole", "", whole))
        .tool(Tool::new("fails", "", fails))
        .tool(Tool::new("question_mark", "", async || question_mark().await.map(|n| n.to_string())))
        .tool(Tool::new("refused", "", refused))
}

#[tokio::test]
async fn each_type_of_content_is_an_answer() {
    let resource = || EmbeddedResource::new(ResourceContents::text("file:///a", "b"));
    let server = Server::new("content", "1")
        .tool(Tool::new("text", "", async || TextContent::new("a")))
        .tool(Tool::new("image", "", || ImageContent::new(b"\x89PNG", "image/png")))
        .tool(Tool::new("audio", "", async || Ok::<_, ToolError>(AudioContent::new(b"RIFF", "audio/wav"))))
        .tool(Tool::new("link", "", async || ResourceLink::new("file:///a", "a")))
        .tool(Tool::new("resource", "", resource));
    let client = Client::plain(server).await;
    for (tool, block) in [
        ("text", json!({"type": "text", "text": "a"})),
        ("image", json!({"type": "image", "data": "iVBORw==", "mimeType": "image/png"})),
        ("audio", json!({"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"})),
        ("link", json!({"type": "resource_link", "uri": "file:///a", "name": "a"})),
        ("resource", json!({"type": "resource", "resource": {"uri": "file:///a", "text": "b"}})),
    ] {
        assert_eq!(client.call(tool, json!({})).await.unwrap(), json!({"content": [block]}), "{tool}");
    }
}

#[tokio::test]
async fn a_tool_is_called_with_its_arguments() {
    let client = Client::plain(adder()).await;
    assert_eq!(
        client.call("add", json!({"a": 1.5, "b": 2})).await.unwrap(),
        json!({"content": [{"type": "text", "text": "3.5"}]})
    );
    let as_text = client.call("add", json!(r#"{"a": 1.5, "b": 2}"#)).await.unwrap();
    assert_eq!(as_text["content"][0]["text"], "3.5", "the text of an object is the object");
    // An escaped name is the same name.
    let escaped = RawJson::parse(r#"{"name":"\u0061dd","arguments":{"a":1,"b":2}}"#).unwrap();
    let result = client.connection.peer().request_raw("tools/call", escaped).await.unwrap();
    assert!(result.as_str().contains(r#""text":"3""#), "{result}");
}

#[tokio::test]
async fn every_return_type_of_a_function_becomes_a_result() {
    let client = Client::plain(kinds()).await;
    let text = |text: &str| json!({"type": "text", "text": text});
    for (tool, expected) in [
        ("string", json!({"content": [text("s")]})),
        ("str", json!({"content": [text("s")]})),
        ("unit", json!({"content": []})),
        ("block", json!({"content": [text("b")]})),
        ("blocks", json!({"content": [text("a"), text("b")]})),
        ("json", json!({"content": [text(r#"{"sum":3}"#)], "structuredContent": {"sum": 3}})),
        ("whole", json!({"content": [text("no")], "isError": true})),
        ("fails", json!({"content": [text("invalid digit found in string")], "isError": true})),
        ("question_mark", json!({"content": [text("invalid digit found in string")], "isError": true})),
    ] {
        assert_eq!(client.call(tool, json!({})).await.unwrap(), expected, "{tool}");
    }
}

#[tokio::test]
async fn a_protocol_error_has_the_client_s_known_code() {
    let (plain, mgp) = (Client::plain(kinds()).await, Client::mgp(kinds()).await);
    assert_eq!(plain.call("refused", json!({})).await.unwrap_err().code, -32602);
    assert_eq!(mgp.call("refused", json!({})).await.unwrap_err().code, 4002);
    let error = plain.call("list", json!({})).await.unwrap_err();
    assert_eq!(error.code, -32603);
    assert!(error.message.contains("structured content is an array"), "{error}");
}

#[tokio::test]
async fn invalid_arguments_are_reported_by_field_and_expectation() {
    // What the schema does not say, the type does.
    let client = Client::plain(unchecked(adder())).await;
    for (arguments, expected) in [
        (json!({"a": "x", "b": 2}), "invalid arguments: a: invalid type: string \"x\", expected f64"),
        (json!({"a": null, "b": 2}), "invalid arguments: a: invalid type: null, expected f64"),
        (json!({"a": 1}), "invalid arguments: missing field `b`"),
        (json!([1, 2]), "invalid arguments: expected an object, found an array"),
        (json!("x"), "invalid arguments: expected an object, found a string"),
        (json!(null), "invalid arguments: expected an object, found null"),
    ] {
        assert_eq!(client.failure("add", arguments.clone()).await, expected, "{arguments}");
    }
    let missing = client.request("tools/call", json!({"name": "add"})).await.unwrap();
    assert_eq!(missing["content"][0]["text"], "invalid arguments: missing field `a`");
}

#[tokio::test]
async fn a_nested_field_is_named_by_its_path() {
    #[derive(Deserialize, JsonSchema)]
    struct Outer {
        items: Vec<Add>,
    }
    let sum = async |Args(Outer { items }): Args<Outer>| {
        items.iter().map(|Add { a, b }| a + b).sum::<f64>().to_string()
    };
    let client = Client::plain(unchecked(Server::new("s", "1").tool(Tool::new("sum", "", sum)))).await;
    assert_eq!(client.text("sum", json!({"items": [{"a": 1, "b": 2}]})).await, "3");
    let told = client.failure("sum", json!({"items": [{"a": 1, "b": 2}, {"a": true, "b": 2}]})).await;
    assert_eq!(told, "invalid arguments: items[1].a: invalid type: boolean `true`, expected f64");
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_that_names_it() {
    let (plain, mgp) = (Client::plain(adder()).await, Client::mgp(adder()).await);
    let error = plain.call("ad", json!({})).await.unwrap_err();
    assert_eq!((error.code, &*error.message), (-32602, "unknown tool: \"ad\""));
    let report = json!({
        "error_type": "ToolNotFound", "category": "invalid_input", "reason": "unknown tool: \"ad\"", "retryable": false,
    });
    assert_eq!(error.data.unwrap().decode::<Value>().unwrap(), report);
    let error = mgp.call("ad", json!({})).await.unwrap_err();
    assert_eq!((error.code, &*error.message), (4001, "unknown tool: \"ad\""));
}

#[tokio::test]
async fn params_without_a_name_are_refused() {
    let client = Client::plain(adder()).await;
    for (params, expected) in [
        (json!({}), "invalid params: missing name: expected the name of a tool"),
        (json!({"name": 7}), "invalid params: name: expected a string, found a number"),
    ] {
        let error: ErrorObject = client.request("tools/call", params).await.unwrap_err();
        assert_eq!((error.code, &*error.message), (-32602, expected));
    }
}

#[tokio::test]
async fn a_raw_tool_gets_the_text_of_its_arguments() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "number"}}});
    let echo = async |RawArgs(json): RawArgs| json.as_str().to_owned();
    let client = Client::plain(Server::new("s", "1").tool(Tool::raw("echo", "", schema.clone(), echo))).await;
    let exact = r#"{"name":"echo","arguments":{"n":123456789012345678901234567890.10}}"#;
    let result =
        client.connection.peer().request_raw("tools/call", RawJson::parse(exact).unwrap()).await.unwrap();
    assert!(result.as_str().contains("123456789012345678901234567890.10"), "{result}");
    assert_eq!(client.request("tools/list", json!({})).await.unwrap()["tools"][0]["inputSchema"], schema);
    assert_eq!(
        client.request("tools/call", json!({"name": "echo"})).await.unwrap()["content"][0]["text"],
        "{}"
    );
    let told = client.failure("echo", json!(1)).await;
    assert_eq!(told, "invalid arguments: expected an object, found a number");
}

#[tokio::test]
async fn a_panic_in_a_handler_is_an_error_and_the_connection_lives() {
    let boom = async || -> &'static str { panic!("boom") };
    let client = Client::plain(adder().tool(Tool::new("boom", "", boom))).await;
    assert_eq!(client.call("boom", json!({})).await.unwrap_err().code, -32603);
    assert_eq!(client.text("add", json!({"a": 1, "b": 1})).await, "2");
}
