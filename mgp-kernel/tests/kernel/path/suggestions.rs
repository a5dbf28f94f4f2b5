//! Refused calls: the caller is told what it may have meant, and what to do.

use crate::{
    raw_host::{As, ERAS},
    raw_server::{RawServer, error},
    support::{agents, json as raw, open, pause_clock, rule, spec, start, within},
};
use mgp_kernel::{Era, RefusalForm};
use mgp_types::{
    access::{AccessDecision, AccessEntry, DefaultPolicy},
    audit::AuditEvent,
    context::Principal,
    mcp::CallToolResult,
    tool_result::ErrorType,
};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test]
async fn a_misspelt_name_is_answered_with_names_that_may_be_called() {
    let setup = open().await;
    for era in ERAS {
        let mut host = setup.raw_host(As::plain(era)).await;
        for (name, meant) in [
            ("cuont", "did you mean \"count\"? "),
            ("Run-Shell", "did you mean \"run_shell\"? "),
            ("test__cuont", "did you mean \"test__count\"? "),
            ("test.count", "did you mean \"test__count\"? "),
            ("mcp__mgp__count", "did you mean \"count\"? "),
            ("mcp__mgp__test__cuont", "did you mean \"test__count\"? "),
            ("mgp_tools_discovr", "did you mean \"mgp_tools_discover\"? "),
            // It needs a camera, which nobody has approved.
            ("secert", ""),
            ("something else altogether", ""),
        ] {
            let refused = host.refused("tools/call", json!({"name": name, "arguments": {}})).await;
            let comma = if meant.is_empty() { "; find" } else { "; " };
            let rest = if meant.is_empty() { "" } else { "Find" };
            let expected =
                format!("unknown tool: {name:?}{comma}{meant}{rest} tools with mgp_tools_discover.");
            assert_eq!(refused["message"], expected, "{era:?}");
        }
    }
}

#[tokio::test]
async fn a_name_is_never_suggested_for_itself() {
    let setup = open().await;
    let principal = Principal::agent("agent.test");
    // The tool may have been allowed since the call was refused.
    for (name, meant) in
        [("count", &[][..]), ("test__count", &[]), ("mgp_tools_discover", &[]), ("Count", &["count"])]
    {
        assert_eq!(setup.kernel.operator().meant(&principal, name), meant, "{name}");
    }
}

#[tokio::test]
async fn suggestions_do_not_depend_on_hidden_tools() {
    let closed = |kind: &'static str| async move {
        let setup = start(|kernel, signals| {
            let mut hidden = spec(kind, signals);
            hidden.default_policy = DefaultPolicy::OptIn;
            kernel.server(hidden).config(agents(["agent.one"]))
        })
        .await;
        let one = AccessEntry {
            agent_id: "agent.one".to_owned(),
            ..rule(kind, Some("add"), AccessDecision::Allow)
        };
        setup.kernel.access().put(one).await.unwrap();
        setup
    };
    let (with, without) = (closed("test").await, closed("test").await);
    without.kernel.access().put(rule("test", Some("count"), AccessDecision::Deny)).await.unwrap();
    for setup in [&with, &without] {
        let mut host = setup.raw_host(As::plain(Era::Initialize).of("agent.one")).await;
        let refused = host.refused("tools/call", json!({"name": "cuont", "arguments": {}})).await;
        assert_eq!(refused["message"], "unknown tool: \"cuont\"; find tools with mgp_tools_discover.");
        let refused = host.refused("tools/call", json!({"name": "ad", "arguments": {}})).await;
        assert!(refused["message"].as_str().unwrap().contains("did you mean \"add\"?"), "{refused}");
    }
}

#[tokio::test]
async fn a_refusal_names_the_command_that_approves_the_permission() {
    let setup = start(|kernel, signals| kernel.server(spec("test", signals)).without_approver()).await;
    setup.permission_asked().await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let refused = host.refused("tools/call", json!({"name": "secret", "arguments": {}})).await;
    let id = setup.kernel.permissions().pending().await.unwrap()[0].request_id.clone();
    assert!(refused["message"].as_str().unwrap().contains(&format!("`mgp approve {id}`")), "{refused}");
    assert_eq!(refused["data"]["error_type"], "AuthorizationError");
}

#[tokio::test]
async fn an_unknown_tool_of_the_kernel_is_recorded_like_any_other() {
    let setup = open().await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let refused = host.refused("tools/call", json!({"name": "mgp_tools_steal", "arguments": {}})).await;
    assert_eq!(refused["code"], 4001);
    assert_eq!(setup.calls(), ["TOOL_BLOCKED BLOCKED .mgp_tools_steal"]);
}

#[tokio::test]
async fn wrong_arguments_of_a_meta_tool_are_answered_with_an_example() {
    let setup = open().await;
    let host = setup.plain_host().await;
    for (tool, arguments, problem, example) in [
        ("mgp_tools_discover", "{}", "missing query", r#"{"query": "#),
        ("mgp_tools_discover", r#"{"query": "x", "limit": 3}"#, "unknown argument \"limit\"", "max_results"),
        ("mgp_tools_request", "{}", "missing requirements", r#"{"requirements": {"capabilities": ["#),
        ("mgp_tools_evict", r#"{"tools": "count"}"#, "invalid tools", r#"{"tools": ["#),
        ("mgp_tools_call", r#"{"arguments": {}}"#, "missing name", r#"{"name": "#),
        ("mgp_tools_session", r#"{"all": true}"#, "unknown argument \"all\"", "{}"),
    ] {
        let result = within(host.call_tool(tool, raw(arguments))).await.unwrap();
        let text = result.content[0].as_text().unwrap();
        assert!(result.failed() && text.contains(problem) && text.contains(example), "{tool}: {text}");
    }
}

#[tokio::test]
async fn refusals_are_results_if_configured_except_for_tasks() {
    let setup = start(|kernel, signals| {
        let mut closed = spec("test", signals);
        closed.default_policy = DefaultPolicy::OptIn;
        kernel.server(closed).config(|config| config.kernel.refusals = RefusalForm::Result)
    })
    .await;
    for era in ERAS {
        let mut host = setup.raw_host(As::plain(era)).await;
        let result = host.call("add", json!({"a": 1, "b": 1})).await;
        assert_eq!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(
            text.contains("may not call") && text.contains("`mgp access grant agent.test test add`"),
            "{text}"
        );
        let report = &result["_meta"]["dev.cloto/result"];
        let details = &report["error"]["error_details"];
        assert_eq!((&report["status"], &details["code"]), (&json!("failure"), &json!(1001)), "{result}");
        assert_eq!((&details["error_type"], &details["_mgp"]), (&json!("AuthorizationError"), &json!(null)));
        let read: CallToolResult = serde_json::from_value(result.clone()).unwrap();
        let outcome = read.outcome::<u32>().unwrap();
        let error = outcome.error().unwrap();
        assert_eq!((&error.error_type, &*error.message), (&ErrorType::PermissionError, text));
    }
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let as_task = json!({"name": "add", "arguments": {"a": 1, "b": 1}, "task": {"ttl": 1000}});
    assert_eq!(host.refused("tools/call", as_task).await["code"], -32600);
    // The trail has the refusal, whatever its caller was told.
    assert!(setup.calls().iter().all(|call| call == "TOOL_BLOCKED BLOCKED test.add"), "{:?}", setup.calls());
    assert_eq!(setup.calls().len(), 3);
}

#[tokio::test]
async fn an_answer_of_a_server_is_not_a_refusal() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        (message["method"] == "tools/call").then(|| vec![error(message, -32050, "mine")])
    });
    let setup = start(|kernel, _| {
        kernel.server(server.spec("raw")).config(|config| config.kernel.refusals = RefusalForm::Result)
    })
    .await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let refused = host.refused("tools/call", json!({"name": "work", "arguments": {}})).await;
    let trace = refused["data"]["trace_id"].as_str().unwrap();
    assert_eq!(refused, json!({"code": -32050, "message": "mine", "data": {"trace_id": trace}}));
}

#[tokio::test]
async fn every_error_of_the_kernel_contains_a_trace_of_the_trail() {
    // It never answers a call.
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        (message["method"] == "tools/call").then(Vec::new)
    });
    let broken = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        (message["method"] == "tools/call").then(|| vec![error(message, -32050, "mine")])
    });
    let setup = start(|kernel, signals| {
        let mut slow = server.spec("slow");
        slow.call_timeout = Duration::from_millis(50);
        kernel.server(spec("test", signals)).server(slow).server(broken.spec("raw"))
    })
    .await;
    for who in [As::plain(Era::Initialize), As::mgp(Era::Initialize)] {
        let mut host = setup.raw_host(who).await;
        let paused = pause_clock();
        let late = host.refused("tools/call", json!({"name": "slow__work", "arguments": {}})).await;
        drop(paused);
        let message = late["message"].as_str().unwrap();
        let expected = "tool \"slow__work\" did not end within 50ms (servers[].mgp.call_timeout_ms)";
        assert!(message.contains(expected), "{late}");
        let unreadable = host.refused("tools/call", json!({"name": 7})).await;
        let unknown = host.refused("resources/read", json!({"uri": 7})).await;
        let blocked = host.call("run_shell", json!({"command": "rm -rf /"})).await;
        let wrong = host.call("mgp_tools_discover", json!({"query": 7})).await;
        // The tool itself refuses these arguments, and the other server fails by itself.
        let failed = host.call("add", json!({"a": "one", "b": 2})).await;
        let broken = host.refused("tools/call", json!({"name": "raw__work", "arguments": {}})).await;
        let details = |result: &Value| result["_meta"]["dev.cloto/result"]["error"]["error_details"].clone();
        let told = [
            late["data"].clone(),
            unreadable["data"].clone(),
            unknown["data"].clone(),
            blocked["_meta"]["dev.cloto/result"].clone(),
            details(&wrong),
            failed["_meta"]["dev.cloto/result"].clone(),
            broken["data"].clone(),
        ];
        for (at, data) in told.iter().enumerate() {
            let trace = data["trace_id"].as_str().unwrap_or_else(|| panic!("{at}: {data}"));
            let has_it =
                |event: &AuditEvent| serde_json::to_value(event).unwrap()["trace_id"].as_str() == Some(trace);
            assert!(setup.sink.events().iter().any(has_it), "{at}: {trace}");
        }
    }
}
