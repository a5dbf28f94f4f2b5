//! Servers with the extension proposals' forms of a list and of results, which plain hosts get in MCP's forms.

use crate::{
    raw_host::{As, ERAS},
    raw_server::{RawServer, result},
    support::{full, server_rule, start},
};
use mgp_kernel::Era;
use mgp_types::context::TrustLevel;
use serde_json::{Value, json};

fn answer(message: &Value) -> Value {
    match message["params"]["name"].as_str() {
        Some("search") => json!({
            "result": {"total": 1}, "provenance": {"source": "db:tickets", "confidence": "exact"}, "session_state": "abc"
        }),
        _ => {
            json!({"error": {"code": "SCOPE_INSUFFICIENT", "message": "not yours", "category": "auth_required"}})
        }
    }
}

#[tokio::test]
async fn a_plain_host_can_use_a_server_of_the_proposals() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let page = match message["method"].as_str() {
            Some("tools/list") => json!({"tools": [
                {"name": "search", "description": "Searches", "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}}},
                {"name": "erase"},
            ]}),
            Some("tools/call") => answer(message),
            _ => return None,
        };
        Some(vec![result(message, page)])
    });
    let mut spec = server.spec("srv");
    spec.trust = TrustLevel::Trusted;
    let setup = start(|kernel, _| kernel.server(spec).config(full)).await;
    setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
    for era in ERAS {
        let mut host = setup.raw_host(As::plain(era)).await;
        let listed = host.get("tools/list", json!({})).await;
        assert_eq!(
            listed["tools"][0]["inputSchema"]["properties"]["query"],
            json!({"type": "string"}),
            "{listed}"
        );
        assert_eq!(listed["tools"][1]["inputSchema"], json!({"type": "object"}), "{listed}");
        let found = host.call("search", json!({"query": "login"})).await;
        assert_eq!(found["content"], json!([{"type": "text", "text": r#"{"total":1}"#}]), "{found}");
        assert_eq!(found["structuredContent"], json!({"total": 1}), "{found}");
        assert_eq!(found["_meta"]["provenance"]["source"], "db:tickets", "{found}");
        assert_eq!(found["_meta"]["session_state"], "abc", "{found}");
        let failed = host.call("erase", json!({})).await;
        assert_eq!(
            (&failed["isError"], &failed["content"][0]["text"]),
            (&json!(true), &json!("not yours")),
            "{failed}"
        );
        let error = &failed["_meta"]["dev.cloto/result"]["error"];
        assert_eq!(
            (&error["error_type"], &error["error_details"]["code"]),
            (&json!("PermissionError"), &json!("SCOPE_INSUFFICIENT"))
        );
    }
    // The trail knows that the call failed.
    let failed = setup.calls().iter().filter(|call| call.contains("FAILURE srv.erase")).count();
    assert_eq!(failed, ERAS.len(), "{:?}", setup.calls());
}
