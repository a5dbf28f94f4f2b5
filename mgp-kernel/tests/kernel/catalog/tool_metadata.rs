//! Tools' metadata beyond MCP through the kernel: shown whole, obeyed where they make calls stricter, and described in the manifest.

use crate::{
    raw_host::{As, ERAS},
    raw_server::{RawServer, result, says},
    support::{Setup, full, server_rule, start},
};
use mgp_discovery::config::CallerLimit;
use mgp_kernel::{Configuration, Era, KernelBuilder};
use mgp_security::permission::Deny;
use mgp_types::context::{KeyScopes, Principal, TrustLevel};
use serde_json::{Value, json};
use std::{
    num::{NonZeroU32, NonZeroU64},
    sync::atomic::{AtomicUsize, Ordering},
};

/// The tools of a plain server, with the proposals' names in several places.
fn tools() -> Value {
    json!({"tools": [
        {"name": "erase", "description": "Erases a repository", "inputSchema": {"type": "object", "properties": {"repo": {"type": "string"}}},
            "requires_confirmation": true, "confirmation_message": "This erases '{repo}' for good.", "risk_level": "destructive"},
        {"name": "measure", "description": "Measures an image", "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
            "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}, "_mgp": {"x": 1},
            "_meta": {"mgp": {"secret": 1}, "com.example/k": 7,
                "dev.cloto/tool": {"version": "1.2.0", "max_input_size_bytes": 40, "input_types": ["image/*"], "examples": [{"a": "b"}]}}},
    ]})
}

async fn setup(build: impl FnOnce(KernelBuilder) -> KernelBuilder) -> (Setup, RawServer) {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let page = match message["method"].as_str() {
            Some("tools/list") => tools(),
            Some("tools/call") => json!({"content": [{"type": "text", "text": "ran"}]}),
            _ => return None,
        };
        Some(vec![result(message, page)])
    });
    let mut spec = server.spec("srv");
    spec.trust = TrustLevel::Trusted;
    let setup = start(|kernel, _| build(kernel.server(spec).config(full))).await;
    setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
    (setup, server)
}

#[tokio::test]
async fn members_are_kept_and_plain_hosts_see_no_mgp() {
    let (setup, _server) = setup(|kernel| kernel).await;
    for era in ERAS {
        let mut host = setup.raw_host(As::plain(era)).await;
        let listed = host.get("tools/list", json!({})).await;
        let found = host.call("mgp_tools_discover", json!({"query": "measure an image"})).await;
        let loaded = host
            .call(
                "mgp_tools_request",
                json!({"requirements": {"capabilities": ["measure an image"], "input_types": ["image/png"]}}),
            )
            .await;
        let named = |list: &Value| {
            list.as_array().unwrap().iter().find(|tool| tool["name"] == "measure").cloned().unwrap()
        };
        for tool in [
            named(&listed["tools"]),
            named(&found["structuredContent"]["tools"]),
            named(&loaded["structuredContent"]["tools_loaded"]),
        ] {
            assert_eq!(tool["outputSchema"], tools()["tools"][1]["outputSchema"], "{tool}");
            assert_eq!(tool["annotations"], json!({"readOnlyHint": true}), "{tool}");
            assert_eq!(tool["_meta"]["dev.cloto/tool"]["examples"], json!([{"a": "b"}]), "{tool}");
            assert_eq!(tool["_meta"]["com.example/k"], 7, "{tool}");
            assert!(!tool.to_string().contains("secret") && tool.get("_mgp").is_none(), "{tool}");
        }
    }
}

#[tokio::test]
async fn a_plain_server_s_confirmation_is_obeyed_with_its_text() {
    let (setup, server) = setup(|kernel| kernel.approver(Deny)).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize).can(json!({}))).await;
    let refused =
        host.refused("tools/call", json!({"name": "erase", "arguments": {"repo": "front\nend"}})).await;
    assert!(refused["message"].as_str().unwrap().contains("mgp approve"), "{refused}");
    let pending = setup.kernel.confirmations().pending().await.unwrap();
    assert!(
        pending[0].reason.contains("its server says: \"This erases 'front end' for good.\""),
        "{}",
        pending[0].reason
    );
    assert!(pending[0].every_time);
    assert_eq!(server.read_of("tools/call").len(), 0);
}

#[tokio::test]
async fn arguments_over_the_tool_s_limit_do_not_reach_its_server() {
    let (setup, server) = setup(|kernel| kernel).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    host.call("measure", json!({"a": "x".repeat(32)})).await;
    let refused =
        host.refused("tools/call", json!({"name": "measure", "arguments": {"a": "x".repeat(33)}})).await;
    assert_eq!(refused["code"], 4000, "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("at most 40 bytes of JSON, found 41"), "{refused}");
    assert_eq!(server.read_of("tools/call").len(), 1);
    let mut stranger = setup.raw_host(As::mgp(Era::Initialize).of("stranger")).await;
    let refused =
        stranger.refused("tools/call", json!({"name": "measure", "arguments": {"a": "x".repeat(33)}})).await;
    assert_eq!(refused["code"], 1001, "{refused}");
}

#[tokio::test]
async fn the_manifest_names_only_tools_that_its_reader_may_call() {
    let (setup, _server) = setup(|kernel| kernel).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let manifest = host.get("mgp/discovery/manifest", json!({})).await;
    let names: Vec<_> =
        manifest["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, [json!("erase"), json!("measure")]);
    assert_eq!(manifest["tools"][0]["risk_level"], "destructive");
    assert_eq!(manifest["tools"][1]["max_input_size_bytes"], 40);
    let mut stranger = setup.raw_host(As::plain(Era::Initialize).of("stranger")).await;
    let resources = stranger.get("resources/list", json!({})).await;
    assert_eq!(resources["resources"][0]["uri"], "mgp://manifest");
    let read = stranger.get("resources/read", json!({"uri": "mgp://manifest"})).await;
    let manifest: Value = serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(manifest["tools"], json!([]), "{manifest}");
    assert_eq!(setup.kernel.manifest(&Principal::agent("stranger"))["tools"], json!([]));
}

#[tokio::test]
async fn the_manifest_has_its_reader_s_limits_and_scopes() {
    let limit = CallerLimit {
        requests_per_minute: NonZeroU32::new(700),
        units_per_day: NonZeroU64::new(900),
        ..CallerLimit::default()
    };
    let change = |config: &mut Configuration| {
        config.limits.agents.insert("agent.*".into(), limit);
    };
    let (setup, _server) = setup(|kernel| kernel.config(change)).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let by_method = host.get("mgp/discovery/manifest", json!({})).await;
    let read = host.get("resources/read", json!({"uri": "mgp://manifest"})).await;
    let by_resource: Value = serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
    for manifest in [by_method, by_resource] {
        let expected = json!({"requests_per_minute": 700, "units_per_day": 900});
        assert_eq!(manifest["rate_limits"], expected, "{manifest}");
        assert!(manifest["auth"]["granted_scopes"].is_null(), "nothing narrows it: {manifest}");
        let promised = manifest["supported_extensions"].as_array().unwrap();
        for (extension, is_promised) in [
            ("streaming", false),
            ("subscribe_notify", false),
            ("data_references", false),
            ("transactions", true),
            ("idempotency", true),
        ] {
            assert_eq!(promised.contains(&json!(extension)), is_promised, "{extension}");
        }
    }
    let ci = Principal::agent("ci").narrowed_to(KeyScopes::new("ci", "srv__measure read:srv"));
    let manifest = setup.kernel.manifest(&ci);
    assert_eq!(manifest["auth"]["granted_scopes"], json!(["srv__measure", "read:srv"]), "{manifest}");
    assert!(manifest["rate_limits"].is_null(), "{manifest}");
}

#[tokio::test]
async fn subscribers_to_the_manifest_are_notified_of_changed_tools() {
    let listed = AtomicUsize::new(0);
    let server = RawServer::new(Era::Initialize, json!({"tools": {"listChanged": true}}), move |message| {
        (message["method"] == "tools/list").then(|| {
            let name = format!("tool{}", listed.fetch_add(1, Ordering::SeqCst));
            vec![result(message, json!({"tools": [{"name": name, "inputSchema": {"type": "object"}}]}))]
        })
    });
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    host.get("resources/subscribe", json!({"uri": "mgp://manifest"})).await;
    assert_eq!(server.read_of("resources/subscribe").len(), 0, "the resource is no server's");
    server.say(says(None, "notifications/tools/list_changed", json!({})));
    let heard = host.hear("notifications/resources/updated").await;
    assert_eq!(heard["params"]["uri"], "mgp://manifest");
}
