//! Dry runs of the kernel's own tools.

use crate::{
    raw_host::{As, ERAS},
    support::{open, spec, start},
};
use mgp_kernel::Era;
use mgp_lifecycle::transaction::TransactionSettings;
use serde_json::{Value, json};

/// Returns the arguments of a request for a tool that would be made of code.
fn made() -> Value {
    let code = "def word_lengths(text: str) -> list: return [len(word) for word in text.split()]";
    json!({"requirements": {"capabilities": ["word_lengths"]}, "creation": {"language": "python", "code": code}})
}

/// Calls of the kernel's own tools, in an order in which the same call is allowed once and refused another time.
fn calls() -> Vec<(&'static str, Value)> {
    let transaction = |action: &str, id: &str| json!({"action": action, "transaction_id": id});
    let begin =
        |id: &str, seconds: u64| json!({"action": "begin", "transaction_id": id, "timeout_seconds": seconds});
    vec![
        ("mgp_tools_discover", json!({"query": "add"})),
        ("mgp_tools_discover", json!({"query": "x".repeat(5000)})),
        ("mgp_tools_session", json!({})),
        ("mgp_tools_session", json!({"session": "none"})),
        ("mgp_tools_evict", json!({"tools": ["add"]})),
        ("mgp_tools_evict", json!({"tools": []})),
        ("mgp_tools_request", json!({"requirements": {"capabilities": ["add"]}})),
        ("mgp_tools_request", json!({"requirements": {"capabilities": []}})),
        ("mgp_tools_request", made()),
        ("mgp_transaction", begin("tx-1", 0)),
        ("mgp_transaction", transaction("begin", "no name")),
        ("mgp_transaction", transaction("status", "tx-1")),
        ("mgp_transaction", transaction("begin", "tx-1")),
        ("mgp_transaction", transaction("begin", "tx-1")),
        ("mgp_transaction", transaction("status", "tx-1")),
        ("mgp_transaction", transaction("commit", "tx-1")),
        ("mgp_transaction", transaction("commit", "tx-1")),
        ("mgp_transaction", transaction("rollback", "tx-1")),
        ("mgp_transaction", transaction("begin", "tx-2")),
        ("mgp_transaction", transaction("rollback", "tx-2")),
        ("mgp_transaction", transaction("rollback", "tx-2")),
        ("mgp_transaction", transaction("commit", "tx-2")),
        ("mgp_transaction", transaction("commit", "tx-3")),
    ]
}

#[tokio::test]
async fn a_dry_run_of_an_own_tool_predicts_its_call_and_has_an_event() {
    for era in ERAS {
        let setup = start(|kernel, signals| {
            kernel.server(spec("test", signals)).config(|config| config.kernel.transactions = true)
        })
        .await;
        let mut host = setup.raw_host(As::mgp(era)).await;
        let (mut expected, mut refused) = (Vec::new(), 0);
        for (tool, arguments) in calls() {
            let dry =
                host.get("mgp/tools/check", json!({"name": tool, "arguments": arguments.clone()})).await;
            let real = host.call(tool, arguments.clone()).await;
            let is_refused = real["isError"] == true;
            assert_eq!(dry["allowed"], !is_refused, "{tool} {arguments}: {dry} {real}");
            if is_refused {
                let told = real["content"][0]["text"].as_str().unwrap();
                assert!(told.starts_with(dry["reason"].as_str().unwrap()), "{tool}: {dry} {told}");
                assert!(dry["error"]["data"]["trace_id"].is_string(), "{dry}");
                refused += 1;
            }
            let result = if is_refused { "BLOCKED" } else { "SUCCESS" };
            expected.push(format!("dev.cloto.mgp.TOOL_CHECKED {result} .{tool}"));
        }
        assert_eq!(setup.calls(), expected);
        assert!((5..15).contains(&refused), "{refused}");
    }
}

#[tokio::test]
async fn a_transaction_over_the_bound_is_refused_as_in_the_real_call() {
    let setup = start(|kernel, signals| {
        kernel.server(spec("test", signals)).config(|config| config.kernel.transactions = true)
    })
    .await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let begin = |id: String| json!({"action": "begin", "transaction_id": id});
    let most = TransactionSettings::default().open;
    for n in 0..most {
        host.get("mgp/transaction/begin", json!({"transaction_id": format!("tx-{n}")})).await;
    }
    let params = json!({"name": "mgp_transaction", "arguments": begin(format!("tx-{most}"))});
    let dry = host.get("mgp/tools/check", params).await;
    assert_eq!((&dry["allowed"], &dry["error"]["code"]), (&json!(false), &json!(3001)), "{dry}");
    let real = host.call("mgp_transaction", begin(format!("tx-{most}"))).await;
    assert_eq!(real["isError"], true, "{real}");
}

#[tokio::test]
async fn a_dry_run_of_an_own_tool_that_is_not_offered_is_refused() {
    let setup = open().await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let params =
        json!({"name": "mgp_transaction", "arguments": {"action": "begin", "transaction_id": "tx-1"}});
    let dry = host.get("mgp/tools/check", params).await;
    assert_eq!((&dry["allowed"], &dry["error"]["code"]), (&json!(false), &json!(4002)), "{dry}");
}

#[tokio::test]
async fn wrong_arguments_of_an_own_tool_are_an_event_too() {
    let setup = open().await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let dry = host.get("mgp/tools/check", json!({"name": "mgp_tools_discover", "arguments": {}})).await;
    assert_eq!((&dry["allowed"], &dry["error"]["code"]), (&json!(false), &json!(4000)), "{dry}");
    assert_eq!(setup.calls(), ["dev.cloto.mgp.TOOL_CHECKED BLOCKED .mgp_tools_discover"]);
    let details = setup.sink.events().pop().and_then(|event| event.details).unwrap();
    assert_eq!(details.text("reason").as_deref(), dry["reason"].as_str(), "{dry}");
}
