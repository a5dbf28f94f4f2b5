//! The innermost service of the pipeline sends no dry run.

use crate::{
    raw_host::{As, RawHost},
    raw_server::{RawServer, text},
    support::{agent_test, ready},
};
use mgp_kernel::{Era, Kernel};
use mgp_transport::seam::{BoxPeerService, ToolCall};
use serde_json::json;
use tower::{ServiceExt, layer::layer_fn};

#[tokio::test]
async fn the_innermost_service_never_sends_a_dry_run() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        (message["method"] == "tools/call").then(|| vec![text(message, "done")])
    });
    // A layer of the program stands behind all gates but the last.
    let dry = layer_fn(|inner: BoxPeerService<ToolCall>| {
        inner.map_request(|mut call: ToolCall| {
            call.dry_run = call.arguments().is_some_and(|arguments| arguments.as_str().contains("dry"));
            call
        })
    });
    let builder = Kernel::builder().config(agent_test).layer(dry);
    let kernel = builder.server(server.spec("srv")).start().await.unwrap();
    ready(&kernel).await;
    let mut host = RawHost::connect(&kernel, As::mgp(Era::Initialize)).await;
    for (arguments, sent) in [(json!({"dry": true}), 0), (json!({}), 1), (json!({"dry": true}), 1)] {
        let asked = host.send("tools/call", json!({"name": "work", "arguments": arguments})).await;
        let answer = host.answer_to(asked).await;
        assert!(answer.get("result").is_some(), "{answer}");
        assert_eq!(server.read_of("tools/call").len(), sent);
    }
}
