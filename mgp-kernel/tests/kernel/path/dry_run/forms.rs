//! The ways to ask for a dry run, and their answers.

use crate::{
    raw_host::{As, ERAS, RawHost},
    support::{Setup, open, rule, spec, start},
};
use mgp_kernel::Era;
use mgp_transport::seam::{Decision, Refusal, RefusalKind, ToolCall};
use mgp_types::{access::AccessDecision, json::RawJson, rpc::ErrorObject};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

const ADD: &str = r#"{"a":1,"b":2}"#;

async fn check(host: &mut RawHost, name: &str, arguments: &str) -> Value {
    let arguments: Value = serde_json::from_str(arguments).unwrap();
    host.get("mgp/tools/check", json!({"name": name, "arguments": arguments})).await
}

/// Returns the lines of the events of calls.
fn events(setup: &Setup) -> Vec<String> {
    setup.calls()
}

#[tokio::test]
async fn every_form_of_dry_run_answers_alike_and_has_its_own_event() {
    for era in ERAS {
        let setup = open().await;
        let mut host = setup.raw_host(As::mgp(era)).await;
        let expected = json!({"allowed": true, "would_ask": []});
        assert_eq!(check(&mut host, "add", ADD).await["allowed"], true);
        let arguments = json!({"a": 1, "b": 2});
        let validate = host.get("tools/validate", json!({"name": "add", "arguments": arguments})).await;
        assert_eq!(
            (&validate["allowed"], &validate["would_ask"]),
            (&expected["allowed"], &expected["would_ask"])
        );
        for method in ["can_execute", "check_permissions"] {
            let params = json!({"tool": "add", "parameters": arguments, "scopes_held": ["x"]});
            let answer = host.get(method, params).await;
            assert_eq!(answer["allowed"], true, "{answer}");
            assert!(answer.get("missing_scopes").is_none() && answer.get("reason").is_none(), "{answer}");
        }
        let dry = json!({"name": "add", "arguments": arguments, "dry_run": true});
        let answer = host.get("tools/call", json!({"name": "mgp_tools_call", "arguments": dry})).await;
        assert_eq!(answer["structuredContent"], expected, "{answer}");
        assert_eq!(answer["content"][0]["text"], expected.to_string(), "{answer}");
        assert_eq!(events(&setup), vec!["dev.cloto.mgp.TOOL_CHECKED SUCCESS test.add"; 5]);
    }
}

#[tokio::test]
async fn a_method_answers_in_its_own_form_to_an_inner_dry_run() {
    let setup = open().await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let inner = json!({"name": "add", "arguments": {"a": 1, "b": 2}, "dry_run": true});
    let answer = host.get("mgp/tools/check", json!({"name": "mgp_tools_call", "arguments": inner})).await;
    assert_eq!((&answer["allowed"], answer.get("content")), (&json!(true), None), "{answer}");
    let answer = host.get("can_execute", json!({"tool": "mgp_tools_call", "parameters": inner})).await;
    assert_eq!((&answer["allowed"], answer.get("content")), (&json!(true), None), "{answer}");
    assert_eq!(events(&setup), vec!["dev.cloto.mgp.TOOL_CHECKED SUCCESS test.add"; 2]);
}

#[tokio::test]
async fn a_dry_run_of_permissions_does_not_check_missing_arguments() {
    let setup = start(|kernel, signals| {
        kernel.server(spec("test", signals)).config(|config| config.kernel.check_arguments = true)
    })
    .await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    for method in ["can_execute", "check_permissions"] {
        let answer = host.get(method, json!({"tool": "add"})).await;
        assert_eq!(answer["allowed"], true, "{answer}");
        let answer = host.get(method, json!({"tool": "add", "parameters": {"a": 1}})).await;
        assert_eq!(answer["allowed"], false, "{answer}");
    }
    let answer = host.get("mgp/tools/check", json!({"name": "add"})).await;
    assert_eq!((&answer["allowed"], &answer["error"]["code"]), (&json!(false), &json!(4000)), "{answer}");
}

#[tokio::test]
async fn wrong_arguments_are_named_with_field_value_and_expectation() {
    let setup = open().await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    for (arguments, field, parts) in [
        (r#"{"a":1,"b":"two"}"#, Some("b"), ["/b: \"two\"", "\"number\""]),
        (r#"{"a":1}"#, Some("b"), ["\"b\"", "required"]),
        ("[]", None, ["an array", "expected an object"]),
    ] {
        let answer = check(&mut host, "add", arguments).await;
        assert_eq!((&answer["allowed"], &answer["error"]["code"]), (&json!(false), &json!(4000)), "{answer}");
        let reason = answer["reason"].as_str().unwrap();
        assert!(parts.iter().all(|part| reason.contains(part)), "{reason}");
        assert_eq!(answer["error"]["data"]["field"].as_str(), field, "{answer}");
        assert!(answer["error"]["data"]["trace_id"].is_string(), "{answer}");
    }
    assert_eq!(events(&setup), vec!["dev.cloto.mgp.TOOL_CHECKED BLOCKED test.add"; 3]);
}

#[tokio::test]
async fn a_validator_s_refusal_and_a_pending_permission_are_reported() {
    let setup = open().await;
    setup.permission_asked().await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    // The permission itself is an open question since the server was started.
    let open = setup.kernel.permissions().pending().await.unwrap();
    let answer = check(&mut host, "run_shell", r#"{"command":"rm -rf /"}"#).await;
    assert_eq!((&answer["allowed"], &answer["error"]["code"]), (&json!(false), &json!(1010)), "{answer}");
    let answer = check(&mut host, "secret", "{}").await;
    let (kind, permission) = (&answer["would_ask"][0]["kind"], &answer["would_ask"][0]["permission"]);
    assert_eq!(
        (&answer["allowed"], kind, permission),
        (&json!(true), &json!("permission"), &json!("camera"))
    );
    let answer = host.get("can_execute", json!({"tool": "secret"})).await;
    assert_eq!(
        (&answer["allowed"], &answer["missing_scopes"]),
        (&json!(false), &json!(["camera"])),
        "{answer}"
    );
    assert_eq!(setup.kernel.permissions().pending().await.unwrap(), open, "nothing is asked");
}

#[tokio::test]
async fn dry_runs_need_a_call_and_cover_the_kernel_s_own_tools() {
    let setup = open().await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    for (params, part) in [
        (json!({}), "missing name"),
        (json!({"name": 7}), "invalid name"),
        (json!({"name": "add", "tool": "add"}), "found both"),
    ] {
        let refused = host.refused("mgp/tools/check", params).await;
        assert!(refused["message"].as_str().unwrap().contains(part), "{refused}");
    }
    assert_eq!(check(&mut host, "mgp_tools_discover", r#"{"query":"x"}"#).await["allowed"], true);
    let wrong = check(&mut host, "mgp_tools_discover", "{}").await;
    assert_eq!((&wrong["allowed"], &wrong["error"]["code"]), (&json!(false), &json!(4000)), "{wrong}");
}

#[tokio::test]
async fn a_waiting_gate_of_the_program_is_named_but_not_run() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let gate = move |_: &ToolCall| {
        let count = count.clone();
        Decision::wait(async move {
            count.fetch_add(1, Ordering::SeqCst);
            Ok(())
        })
    };
    let setup = start(|kernel, signals| kernel.server(spec("test", signals)).gate(gate)).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let answer = check(&mut host, "add", ADD).await;
    assert_eq!((&answer["allowed"], &answer["would_ask"][0]["kind"]), (&json!(true), &json!("gate")));
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    assert_eq!(host.text("add", json!({"a": 1, "b": 2})).await, "3");
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn the_error_of_a_dry_run_has_no_number_of_the_registry() {
    let gate = |_: &ToolCall| {
        let data = RawJson::parse(r#"{"error_type":"FieldValidation","field":"ticker"}"#).unwrap();
        let error = ErrorObject::new(-32001, "no such ticker").with_data(data);
        Decision::from(Refusal::new(RefusalKind::Policy, error))
    };
    let setup = start(|kernel, signals| kernel.server(spec("test", signals)).gate(gate)).await;
    for (this, code) in [(As::plain(Era::Initialize), -32602), (As::mgp(Era::Initialize), 4000)] {
        let mut host = setup.raw_host(this).await;
        let dry = json!({"name": "add", "arguments": {"a": 1, "b": 2}, "dry_run": true});
        let answer = host.call("mgp_tools_call", dry).await;
        let error = &answer["structuredContent"]["error"];
        assert_eq!((&error["code"], &error["message"]), (&json!(code), &json!("no such ticker")), "{answer}");
        assert_eq!(error["data"]["field"], "ticker", "{answer}");
    }
}

#[tokio::test]
async fn a_tool_that_a_rule_denies_is_reported_as_unknown() {
    let setup = open().await;
    setup.kernel.access().put(rule("test", Some("add"), AccessDecision::Deny)).await.unwrap();
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let answer = check(&mut host, "add", ADD).await;
    assert_eq!((&answer["allowed"], &answer["error"]["code"]), (&json!(false), &json!(4001)), "{answer}");
}

#[tokio::test]
async fn a_dry_run_does_not_use_up_an_idempotency_key() {
    let setup = open().await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let params =
        |b: i64| json!({"name": "add", "arguments": {"a": 1, "b": b}, "_meta": {"idempotency_key": "op-1"}});
    for b in [7, 8, 9] {
        assert_eq!(host.get("mgp/tools/check", params(b)).await["allowed"], true);
    }
    let result = host.get("tools/call", params(2)).await;
    assert_eq!(result["content"][0]["text"], "3", "{result}");
}
