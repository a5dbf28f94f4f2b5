//! Refusals before any gate: each is one event.

use crate::{
    raw_host::{As, RawHost},
    support::{Setup, open, until_some},
};
use mgp_kernel::Era;
use mgp_types::{audit::AuditEvent, context::Principal, json::RawObject};
use serde_json::{Value, json};

fn text(details: &RawObject, name: &str) -> String {
    details.text(name).unwrap_or_default()
}

/// The refusals, as `TYPE RESULT actor method`, each with its reason.
fn refusals(setup: &Setup) -> Vec<(String, String)> {
    let line = |event: &AuditEvent| {
        let details = event.details.as_ref()?;
        let method = text(details, "method");
        let line = format!("{} {} {} {method}", event.event_type, event.result, event.actor.id);
        (event.result.as_str() == "BLOCKED").then(|| (line, text(details, "reason")))
    };
    setup.sink.events().iter().filter_map(line).collect()
}

/// Sends a request as it is written, and returns its answer.
async fn raw(host: &mut RawHost, method: &str, params: &str) -> Value {
    host.say_text(&format!(r#"{{"jsonrpc":"2.0","id":99,"method":{method:?},"params":{params}}}"#)).await;
    host.answer_to(99).await
}

#[tokio::test]
async fn an_unreadable_call_is_one_event_with_its_reason() {
    let long = format!(r#"{{"name":{:?}}}"#, "x".repeat(2000));
    for (params, reason) in [
        (r#"{"name":"add","name":"run_shell","arguments":{}}"#, "name"),
        (r#"{"arguments":{}}"#, "missing name"),
        (r#"{"name":7}"#, "found a number"),
        (r#"{"name":"mgp_tools_call","arguments":{"name":7}}"#, "name"),
        (r#"{"name":"mgp_tools_discover","arguments":[]}"#, "expected a JSON object"),
        (&long, "expected at most 1024 bytes"),
    ] {
        let setup = open().await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        let answer = raw(&mut host, "tools/call", params).await;
        // Wrong arguments of the kernel's own tools are told to the model.
        let is_own = params.contains("mgp_tools_");
        assert_eq!(
            (answer.get("error").is_some(), answer["result"]["isError"] == true),
            (!is_own, is_own),
            "{answer}"
        );
        let refusals = refusals(&setup);
        assert_eq!(refusals.len(), 1, "{params}: {refusals:?}");
        assert_eq!(refusals[0].0, "TOOL_BLOCKED BLOCKED agent.test tools/call");
        assert!(refusals[0].1.contains(reason), "{params}: {refusals:?}");
        assert!(refusals[0].1.len() < 1100, "{params}: {refusals:?}");
    }
}

#[tokio::test]
async fn a_request_with_a_duplicate_key_is_one_event() {
    let setup = open().await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let answer = raw(&mut host, "resources/read", r#"{"uri":"mem://a","uri":"mem://b"}"#).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let refusals = refusals(&setup);
    assert_eq!(refusals.len(), 1, "{refusals:?}");
    assert_eq!(refusals[0].0, "dev.cloto.mgp.REQUEST_BLOCKED BLOCKED agent.test resources/read");
}

#[tokio::test]
async fn an_agent_s_use_of_an_operator_s_method_is_one_event() {
    let rule = json!({"entry_type": "server_grant", "agent_id": "agent.test", "server_id": "test",
        "permission": "allow"});
    for (method, params) in [
        ("mgp/access/query", json!({"agent_id": "agent.test", "server_id": "test"})),
        ("mgp/access/grant", rule.clone()),
        ("mgp/access/revoke", rule),
        ("mgp/audit/replay", json!({})),
    ] {
        let setup = open().await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        let answer = host.once(method, params).await;
        assert_eq!(answer["error"]["code"], 1000, "{answer}");
        let refusals = refusals(&setup);
        assert_eq!(refusals.len(), 1, "{method}: {refusals:?}");
        assert_eq!(refusals[0].0, format!("dev.cloto.mgp.REQUEST_BLOCKED BLOCKED agent.test {method}"));
        assert!(refusals[0].1.contains("admin role"), "{refusals:?}");
    }
}

#[tokio::test]
async fn an_unanswerable_call_is_one_event_and_reaches_no_tool() {
    let setup = open().await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let call = json!({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "add", "arguments": {"a": 1, "b": 2}}});
    host.say(call).await;
    let refusals = until_some(async || {
        host.get("tools/list", json!({})).await;
        Some(refusals(&setup)).filter(|refusals| !refusals.is_empty())
    })
    .await;
    assert_eq!(refusals[0].0, "TOOL_BLOCKED BLOCKED agent.test tools/call");
    assert!(refusals[0].1.contains("notification"), "{refusals:?}");
}

#[tokio::test]
async fn a_request_with_wrong_params_is_one_event() {
    let host = || As::mgp(Era::Initialize);
    let admin = || As { principal: Principal::operator("ann"), ..host() };
    for (this, method, params, reason) in [
        (host(), "prompts/get", r#"{"name":7}"#, "missing name"),
        (host(), "prompts/get", r#"{"name":"\ud800"}"#, "missing name"),
        (host(), "prompts/get", "{}", "missing name"),
        (host(), "completion/complete", "{}", "ref: expected an object"),
        (host(), "completion/complete", r#"{"ref":7}"#, "ref: expected an object"),
        (host(), "completion/complete", r#"{"ref":{"type":"ref/x"}}"#, "expected a known prompt"),
        (host(), "resources/read", r#"{"uri":7}"#, "uri"),
        (host(), "resources/subscribe", r#"{"uri":7}"#, "uri"),
        (host(), "resources/unsubscribe", "{}", "uri"),
        (host(), "tasks/get", r#"{"taskId":7}"#, "missing taskId"),
        (host(), "logging/setLevel", r#"{"level":"loud"}"#, "level"),
        (host(), "mgp/tools/discover", r#"{"query":7}"#, "expected a string"),
        (host(), "mgp/tools/request", "{}", "requirements"),
        (host(), "mgp/discovery/list", r#"{"filter":7}"#, "invalid type"),
        (admin(), "mgp/access/query", "{}", "agent_id"),
        (admin(), "mgp/access/grant", r#"{"agent_id":7}"#, "expected a string"),
        (admin(), "mgp/audit/replay", r#"{"limit":"all"}"#, "invalid type"),
        (admin(), "mgp/lifecycle/shutdown", r#"{"reason":7}"#, "invalid type"),
    ] {
        let (setup, who) = (open().await, this.principal.id().to_owned());
        let mut host = setup.raw_host(this).await;
        let answer = raw(&mut host, method, params).await;
        assert!(answer.get("error").is_some(), "{method} {params}: {answer}");
        let refusals = refusals(&setup);
        assert_eq!(refusals.len(), 1, "{method} {params}: {refusals:?}");
        assert_eq!(refusals[0].0, format!("dev.cloto.mgp.REQUEST_BLOCKED BLOCKED {who} {method}"));
        assert!(refusals[0].1.contains(reason), "{method} {params}: {refusals:?}");
    }
}

#[tokio::test]
async fn no_answer_and_no_event_repeats_a_long_name_of_a_host() {
    let setup = open().await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let long = "x".repeat(200_000);
    let reference = json!({"type": "ref/prompt", "name": long});
    for (method, params) in [
        (&*long, json!({})),
        ("prompts/get", json!({"name": long})),
        ("resources/read", json!({"uri": long})),
        ("resources/subscribe", json!({"uri": long})),
        ("tasks/get", json!({"taskId": long})),
        ("completion/complete", json!({"ref": reference, "argument": {"name": "a", "value": "b"}})),
        ("logging/setLevel", json!({"level": long})),
    ] {
        let answer = raw(&mut host, method, &params.to_string()).await;
        assert!(answer["error"].is_object(), "{}", method.len());
        assert!(answer.to_string().len() < 20_000, "{}", method.len());
    }
    for event in setup.sink.events() {
        assert!(serde_json::to_string(&event).unwrap().len() < 20_000, "{}", event.event_type);
    }
}
