//! Tools: a list, and calls.

use super::connect::connect;
use crate::task::Task;
use mgp_client_sdk::{RawJson, RawObject, client::Client, mcp::Tool};

/// Lists the tools and calls one to add two numbers.
pub(super) async fn call(task: &Task) -> Result<(), String> {
    let client = connect(task).await?;
    let add = find(&client, "add_numbers").await?;
    call_one(&client, &add.name, RawJson::parse(r#"{"a":2,"b":3}"#).map_err(|error| error.to_string())?).await
}

/// Lists the tools and calls the one whose answer comes on a stream that breaks.
pub(super) async fn reconnect(task: &Task) -> Result<(), String> {
    let client = connect(task).await?;
    let tool = find(&client, "test_reconnection").await?;
    call_one(&client, &tool.name, RawJson::empty_object()).await
}

/// Sends a tool's schema back unchanged.
pub(super) async fn echo_schema(task: &Task) -> Result<(), String> {
    let client = connect(task).await?;
    let tool = find(&client, "json_schema_2020_12_tool").await?;
    let mut arguments = RawObject::new();
    arguments.insert("schema", tool.input_schema.ok_or("the tool has no schema")?);
    call_one(&client, "json_schema_echo", arguments.to_json()).await
}

/// Returns the tools that the server lists.
pub(super) async fn list(client: &Client) -> Result<Vec<Tool>, String> {
    client.list_tools().await.map_err(|error| format!("failed to list the tools: {error}"))
}

/// Calls a tool.
pub(super) async fn call_one(client: &Client, name: &str, arguments: RawJson) -> Result<(), String> {
    let called = client.call_tool(name, arguments).await;
    called.map(drop).map_err(|error| format!("failed to call {name}: {error}"))
}

async fn find(client: &Client, name: &str) -> Result<Tool, String> {
    let tools = list(client).await?;
    tools.into_iter().find(|tool| tool.name == name).ok_or_else(|| format!("the server does not list {name}"))
}
