//! Requests of our client with results as JSON.

use mgp_client_sdk::client::Client;
use mgp_types::{json::RawJson, rpc::RawParams};
use serde_json::{Value, json};

/// Sends a request, and returns its result.
pub(super) async fn request(client: &Client, method: &'static str, params: &Value) -> Result<Value, String> {
    let params = RawJson::parse(params.to_string()).map_err(|error| error.to_string())?;
    let failed = |error| format!("{method} failed: {error}");
    let call = client.peer().start(method, RawParams::from(params)).await.map_err(failed)?;
    let result = call.reply().await.map_err(failed)?;
    serde_json::from_str(result.as_str())
        .map_err(|error| format!("the result of {method} is not JSON: {error}"))
}

/// Calls a tool with members for its `_meta`, and returns the result.
pub(super) async fn call(
    client: &Client,
    tool: &str,
    arguments: &Value,
    meta: &Value,
) -> Result<Value, String> {
    request(client, "tools/call", &json!({ "name": tool, "arguments": arguments, "_meta": meta })).await
}
