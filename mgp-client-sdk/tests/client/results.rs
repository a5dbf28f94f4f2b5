//! Structured content is checked against the output schema of its tool.

use crate::{
    scripted::{self, plain, result},
    support::{builder, within},
};
use mgp_client_sdk::{
    CallError, Era, EraChoice, RawJson,
    client::{Client, ClientBuilder},
    mcp::CallToolResult,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// A client of a server that lists one tool with this output schema, and answers its calls with this result.
async fn against(schema: &Value, answer: &Value, builder: ClientBuilder, era: Era) -> Client {
    let tool = json!({"name": "sum", "inputSchema": {"type": "object"}, "outputSchema": schema});
    let answer = answer.clone();
    let script = move |line: &Value| {
        plain(line, &json!({"tools": {}})).unwrap_or_else(|| match line["method"].as_str() {
            Some("tools/list") => result(json!({"tools": [tool], "ttlMs": 0, "cacheScope": "private"})),
            Some("tools/call") => result(answer.clone()),
            _ => Vec::new(),
        })
    };
    scripted::connect(Arc::new(script), builder, EraChoice::Known(era)).await.0.unwrap()
}

async fn call(client: &Client) -> Result<CallToolResult, CallError> {
    within(client.call_tool("sum", RawJson::empty_object())).await
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]})
}

#[tokio::test]
async fn structured_content_that_does_not_fit_is_an_error() {
    let answer = json!({"content": [], "structuredContent": {"sum": "five"}});
    for era in [Era::Initialize, Era::Stateless] {
        let client = against(&schema(), &answer, builder(), era).await;
        // Before the list, nobody knows of the schema.
        call(&client).await.unwrap();
        within(client.list_tools()).await.unwrap();
        let error = call(&client).await.unwrap_err();
        assert!(matches!(error, CallError::Result { method: "tools/call", .. }), "{error:?}");
        let expected = r#"unexpected result of tools/call: invalid structuredContent: /sum: "five" is not of type "integer""#;
        assert_eq!(error.to_string(), expected);
    }
}

#[tokio::test]
async fn a_tool_with_an_output_schema_needs_structured_content() {
    for (answer, fits) in [
        (json!({"content": [], "structuredContent": {"sum": 5}}), true),
        (json!({"content": []}), false),
        (json!({"content": [], "isError": true}), true),
        (json!({"content": [], "isError": true, "structuredContent": {"why": 1}}), true),
    ] {
        let client = against(&schema(), &answer, builder(), Era::Initialize).await;
        within(client.list_tools()).await.unwrap();
        assert_eq!(call(&client).await.is_ok(), fits, "{answer}");
    }
}

#[tokio::test]
async fn checking_results_can_be_turned_off() {
    let answer = json!({"content": [], "structuredContent": {"sum": "five"}});
    let client = against(&schema(), &answer, builder().check_results(false), Era::Initialize).await;
    within(client.list_tools()).await.unwrap();
    call(&client).await.unwrap();
}

#[tokio::test]
async fn an_unusable_schema_lets_results_pass_and_fetches_nothing() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let remote = format!("http://{}/sum.json", listener.local_addr().unwrap());
    let answer = json!({"content": [], "structuredContent": {"sum": "five"}});
    for schema in [
        json!({"$ref": remote}),
        json!({"$schema": "https://example.test/mine", "type": "string"}),
        json!({"$ref": "#"}),
        json!(7),
    ] {
        let client = against(&schema, &answer, builder(), Era::Initialize).await;
        within(client.list_tools()).await.unwrap();
        call(&client).await.unwrap();
    }
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[tokio::test]
async fn structured_content_is_any_value_that_fits() {
    for (schema, content, fits) in [
        (json!({"type": "array", "items": {"type": "integer"}}), json!([1, 2]), true),
        (json!({"type": "array", "items": {"type": "integer"}}), json!([1, "2"]), false),
        (json!({"type": "string"}), json!("x"), true),
        (json!({}), json!(7), true),
    ] {
        let answer = json!({"content": [], "structuredContent": content});
        let client = against(&schema, &answer, builder(), Era::Stateless).await;
        within(client.list_tools()).await.unwrap();
        assert_eq!(call(&client).await.is_ok(), fits, "{schema} {content}");
    }
}

#[tokio::test]
async fn bare_data_of_a_server_is_read_as_its_result() {
    let answer = json!({"result": {"sum": 5}, "provenance": {"source": "s"}});
    let client = against(&schema(), &answer, builder(), Era::Initialize).await;
    within(client.list_tools()).await.unwrap();
    let outcome = call(&client).await.unwrap().outcome::<Value>().unwrap();
    assert_eq!(outcome.provenance[0].to_string(), "s");
    assert_eq!(outcome.into_data().unwrap(), json!({"sum": 5}));
}
