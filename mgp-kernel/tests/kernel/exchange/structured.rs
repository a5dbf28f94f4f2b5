//! Structured content and its schema through the kernel: as they are.

use crate::{
    raw_host::{As, ERAS},
    raw_server::{RawServer, result},
    support::{full, server_rule, start},
};
use serde_json::json;

#[tokio::test]
async fn structured_content_reaches_hosts_of_both_eras_unchanged() {
    let schema = json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}},
        "$defs": {"n": {"type": "integer"}}, "x-own": [1, 2]});
    let content = json!({"n": 12_345_678_901_234_567_u64, "unknown": {"deep": [null, true]}});
    for server_era in ERAS {
        let (listed, said) = (schema.clone(), content.clone());
        let server = RawServer::new(server_era, json!({"tools": {}}), move |message| {
            let page = match message["method"].as_str() {
                Some("tools/list") => json!({"tools": [
                    {"name": "measure", "inputSchema": {"type": "object"}, "outputSchema": listed,
                        "annotations": {"readOnlyHint": true}},
                ]}),
                Some("tools/call") => {
                    let text = json!([{"type": "text", "text": said.to_string()}]);
                    json!({"content": text, "structuredContent": said, "resultType": "complete"})
                }
                _ => return None,
            };
            Some(vec![result(message, page)])
        });
        let setup = start(|kernel, _| kernel.server(server.spec("srv")).config(full)).await;
        setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
        for host_era in ERAS {
            let mut host = setup.raw_host(As::plain(host_era)).await;
            let tools = host.get("tools/list", json!({})).await;
            assert_eq!(tools["tools"][0]["outputSchema"], schema, "{host_era:?} {server_era:?}");
            let result = host.call("measure", json!({})).await;
            assert_eq!(result["structuredContent"], content, "{host_era:?} {server_era:?}");
            assert_eq!(result["content"][0]["text"], content.to_string(), "{host_era:?} {server_era:?}");
        }
    }
}
