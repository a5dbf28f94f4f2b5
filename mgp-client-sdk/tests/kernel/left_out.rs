//! Tools that are left out of a listing are named.

use crate::{
    log,
    raw_server::{RawServer, result},
    support::{start, within},
};
use mgp_client_sdk::Era;
use mgp_toolindex::exposure::Exposure;
use serde_json::json;

#[tokio::test]
async fn a_tool_that_cannot_be_read_is_named_in_one_warning_within_bounds() {
    let (warnings, _guard) = log::keep();
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let schema = json!({"type": "object"});
        let mut tools = vec![
            json!({"name": "good", "inputSchema": schema}),
            json!({"name": "bad\u{1b}[2J one", "inputSchema": schema, "description": 7}),
            json!({"name": "x".repeat(5000), "inputSchema": schema, "description": 7}),
            json!({"name": 8, "inputSchema": schema}),
        ];
        tools.extend((0..40).map(|n| json!({"name": format!("more {n}"), "description": 7})));
        (message["method"] == "tools/list").then(|| vec![result(message, json!({"tools": tools}))])
    });
    let setup = start(|kernel, _| kernel.server(server.spec("raw")).exposure(Exposure::Full)).await;
    let host = setup.host().await;
    let listed = within(host.list_tools()).await.unwrap();
    assert!(listed.iter().any(|tool| tool.name == "good"), "{listed:?}");
    let said: Vec<_> =
        warnings.take().into_iter().filter(|warning| warning.message.contains("left out")).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    let message = &said[0].text;
    assert!(message.contains(r"bad\u{1b}[2J one") && message.contains("tool 4 of the list"), "{message}");
    assert!(message.contains("43") && message.len() < 2500, "{} bytes: {message}", message.len());
}
