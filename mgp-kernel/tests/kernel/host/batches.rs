//! Batches of a host of 2025-03-26, which alone has them.

use crate::support::open;
use mgp_transport::{connection::Config, memory};
use mgp_types::context::Principal;
use serde_json::{Value, json};
use xtask_testing::RawPeer;

#[tokio::test]
async fn a_batch_passes_every_gate_and_exists_only_in_its_revision() {
    for (revision, has_batches) in [("2025-03-26", true), ("2025-06-18", false)] {
        let setup = open().await;
        let (here, there) = memory::pair();
        let agent = Principal::agent("agent.test");
        let connection = setup.kernel.face().serve(agent, Config::default(), there.0, there.1);
        tokio::spawn(connection.closed());
        let mut peer = RawPeer::new(here);
        let hello = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "h", "version": "1"}});
        let call = |id: i64, tool: &str| {
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": {"name": tool, "arguments": {"a": id, "b": 1}}})
        };
        peer.request(1, "initialize", hello).await;
        let greeting = peer.text().await;
        assert!(greeting.contains(revision), "{greeting}");
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let batch = json!([ready, call(2, "add"), call(3, "add"), call(4, "nothing")]);
        peer.send(batch).await;
        let mut answers = Vec::new();
        while answers.len() < if has_batches { 3 } else { 1 } {
            match peer.message().await {
                Value::Array(several) => answers.extend(several),
                // A tool that was called may be listed from then on.
                changed if changed["method"] == "notifications/tools/list_changed" => {}
                one => answers.push(one),
            }
        }
        answers.sort_by_key(|answer| answer["id"].as_i64());
        if has_batches {
            assert_eq!(answers[0]["result"]["content"][0]["text"], "3");
            assert_eq!(answers[1]["result"]["content"][0]["text"], "4");
            assert!(answers[2].get("error").is_some(), "{}", answers[2]);
            let mut calls = setup.calls_recorded(3).await;
            calls.sort_unstable();
            assert_eq!(calls[..2], ["TOOL_BLOCKED BLOCKED .nothing", "TOOL_EXECUTED SUCCESS test.add"]);
        } else {
            assert_eq!(answers[0]["error"]["code"], -32600, "{}", answers[0]);
            assert_eq!(setup.calls(), [""; 0]);
        }
    }
}
