//! Servers whose definitions, answers and greetings break MCP's schema: hosts get a valid form, and the operator is told.

use crate::{
    log,
    raw_host::{As, ERAS},
    raw_server::{RawServer, result},
    support::{full, server_rule, start},
};
use mgp_kernel::Era;
use mgp_types::lifecycle::ServerState;
use serde_json::{Value, json};

fn page(message: &Value) -> Option<Value> {
    Some(match message["method"].as_str()? {
        "tools/list" => json!({"tools": [
            {"name": "odd", "title": null, "inputSchema": {"required": null}},
            {"name": "broken", "inputSchema": {"type": "string"}},
        ]}),
        "tools/call" => json!({"content": "sunny", "structuredContent": null, "isError": "false"}),
        "resources/list" => json!({"resources": [{"uri": "a:b", "size": "7"}]}),
        "resources/read" => json!({"contents": [{"text": "x"}]}),
        "prompts/list" => json!({"prompts": [{"name": "p", "description": 7}]}),
        "prompts/get" => json!({"messages": [{"role": "system", "content": ["hi"]}]}),
        _ => return None,
    })
}

#[tokio::test]
async fn invalid_mcp_reaches_hosts_in_a_valid_form_with_a_warning() {
    let (warnings, _guard) = log::keep();
    let capabilities = json!({"tools": {}, "resources": {}, "prompts": {}});
    let server = RawServer::new(Era::Initialize, capabilities, |message| {
        page(message).map(|page| vec![result(message, page)])
    });
    let setup = start(|kernel, _| kernel.server(server.spec("s")).config(full)).await;
    setup.kernel.access().put(server_rule("agent.test", "s")).await.unwrap();
    for era in ERAS {
        let mut host = setup.raw_host(As::plain(era)).await;
        let listed = host.get("tools/list", json!({})).await;
        let tools = listed["tools"].as_array().unwrap();
        let odd = tools.iter().find(|tool| tool["name"] == "odd").unwrap();
        assert_eq!((&odd["inputSchema"], odd.get("title")), (&json!({"type": "object"}), None), "{odd}");
        assert!(tools.iter().all(|tool| tool["name"] != "broken"), "{listed}");
        let called = host.call("odd", json!({})).await;
        assert_eq!(called["content"], json!([{"type": "text", "text": "sunny"}]), "{era:?} {called}");
        assert_eq!(called["isError"], json!(false), "{era:?} {called}");
        let null = called.get("structuredContent");
        assert_eq!(null.is_some(), era == Era::Stateless, "only the stateless revision has it: {called}");
        let listed = host.get("resources/list", json!({})).await;
        let resource =
            listed["resources"].as_array().unwrap().iter().find(|one| one["uri"] == "a:b").unwrap();
        assert_eq!((&resource["name"], resource.get("size")), (&json!("a:b"), None), "{resource}");
        let refused = host.refused("resources/read", json!({"uri": "a:b"})).await;
        assert!(refused.to_string().contains("/contents"), "{refused}");
        let prompt = host.get("prompts/get", json!({"name": "p"})).await;
        let message = json!({"role": "user", "content": {"type": "text", "text": "hi"}});
        assert_eq!(prompt["messages"], json!([message]), "{era:?}");
    }
    let notices = setup.kernel.operator().notices();
    for (word, reason) in [
        ("\"broken\"", "/inputSchema"),
        ("\"odd\"", "/title"),
        ("\"a:b\"", "/name"),
        ("\"p\"", "/description"),
    ] {
        let told = notices.iter().any(|notice| notice.text.contains(word) && notice.text.contains(reason));
        assert!(told, "{word}: {notices:?}");
    }
    let own = setup.kernel.operator().judged_tool("odd").unwrap().definition;
    assert!(own.as_str().contains("\"title\":null"), "{own}");
    let logged = warnings.take();
    let is_logged = |message: &str, text: &str| {
        logged.iter().any(|warning| warning.message.contains(message) && warning.text.contains(text))
    };
    let shown = "s that break MCP's schema are shown to hosts in a valid form";
    assert!(is_logged(&format!("tool{shown}"), "/title"), "{logged:?}");
    // Resources and prompts share a limit, so one of them may only be counted.
    let of_entries = [("resource", "/name"), ("prompt", "/description")];
    let is_one_logged = of_entries.iter().any(|(noun, text)| is_logged(&format!("{noun}{shown}"), text));
    assert!(is_one_logged, "{logged:?}");
    assert!(is_logged("an answer that breaks", ""), "{logged:?}");
}

#[tokio::test]
async fn a_greeting_with_a_wrong_name_or_instructions_is_accepted() {
    for (info, instructions) in
        [(json!(null), json!(7)), (json!({"name": 7}), json!(["a"])), (json!("s"), json!(null))]
    {
        let server = RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
            (message["method"] == "initialize").then(|| {
                let greeting = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                    "serverInfo": info, "instructions": instructions});
                vec![result(message, greeting)]
            })
        });
        let setup = start(|kernel, _| kernel.server(server.spec("s"))).await;
        assert_eq!(setup.kernel.servers()[0].status().state, ServerState::Connected);
    }
}
