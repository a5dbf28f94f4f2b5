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
async fn a_tool_that_cannot_be_read_or_indexed_is_named_in_one_warning_within_bounds() {
    let (warnings, _guard) = log::keep();
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let schema = json!({"type": "object"});
        let tool = |name: String| json!({"name": name, "inputSchema": schema});
        let long = |start: String| tool(format!("{start}{}", "x".repeat(5000)));
        let mut tools = vec![
            tool("good".into()),
            long("bad\u{1b}[2J one".into()),
            long(String::new()),
            json!({"name": 8, "inputSchema": schema}),
        ];
        tools.extend((0..40).map(|n| long(format!("more {n}"))));
        (message["method"] == "tools/list").then(|| vec![result(message, json!({"tools": tools}))])
    });
    let setup = start(|kernel, _| kernel.server(server.spec("raw")).exposure(Exposure::Full)).await;
    let host = setup.host().await;
    let listed = within(host.list_tools()).await.unwrap();
    assert!(listed.iter().any(|tool| tool.name == "good"), "{listed:?}");
    let said: Vec<_> =
        warnings.take().into_iter().filter(|warning| warning.message.contains("left out")).collect();
    let [unreadable, unusable] = &said[..] else { panic!("{said:?}") };
    assert!(unreadable.text.contains("tool 4 of the list (invalid name: "), "{}", unreadable.text);
    let message = &unusable.text;
    assert!(message.contains(r"bad\u{1b}[2J one") && message.contains("42"), "{message}");
    assert!(message.len() < 3000, "{} bytes: {message}", message.len());
}
