//! The calls that undo steps: of the step's own server, of no other tool, and unknown to callers who are not shown their tool.

use crate::{
    raw_host::{As, RawHost},
    raw_server::{RawServer, error, result, text},
    support::{rule, start},
};
use mgp_kernel::{Era, ServerSpec};
use mgp_lifecycle::transaction::CompensationTemplate;
use mgp_types::{access::AccessDecision, json::RawJson, transaction::Compensation};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A server with the given tools. Calls of `make` are answered with `made`, and other ones fail if it `breaks`.
pub(crate) fn server(tools: &'static [&'static str], made: Value, breaks: bool) -> RawServer {
    RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        match (message["method"].as_str()?, message["params"]["name"].as_str()) {
            ("tools/list", _) => {
                // Without the hint, the name of `remove` would have its calls asked about.
                let hints = json!({"destructiveHint": false});
                let tool = |name: &&str| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": hints});
                let tools: Vec<_> = tools.iter().map(tool).collect();
                Some(vec![result(message, json!({"tools": tools}))])
            }
            ("tools/call", Some("make")) => Some(vec![result(message, made.clone())]),
            ("tools/call", _) if breaks => Some(vec![error(message, -32000, "the API is down")]),
            ("tools/call", _) => Some(vec![text(message, "removed")]),
            _ => None,
        }
    })
}

pub(crate) fn made() -> Value {
    json!({"content": [], "_meta": {"compensation": {"tool": "remove", "arguments": {"secret": 7}}}})
}

fn spec(server: &RawServer, id: &str) -> ServerSpec {
    let mut spec = server.spec(id);
    spec.confirmation = Some(mgp_security::profile::Confirmation::Never);
    spec.retries.max_retries = 0;
    spec
}

pub(crate) fn called(server: &RawServer) -> Vec<String> {
    let called = server.read_of("tools/call");
    called.iter().map(|call| call["params"]["name"].as_str().unwrap().to_owned()).collect()
}

/// Makes a transaction with a step of the server `jira`, and rolls it back. Returns the answers to both.
async fn rolled_back(host: &mut RawHost) -> (Value, Value) {
    host.get("mgp/transaction/begin", json!({"transaction_id": "tx-1"})).await;
    let step = json!({"name": "jira__make", "arguments": {}, "_meta": {"transaction_id": "tx-1"}});
    let made = host.get("tools/call", step).await;
    (made, host.get("mgp/transaction/rollback", json!({"transaction_id": "tx-1"})).await)
}

#[tokio::test]
async fn a_tool_of_another_server_under_the_same_name_is_not_called() {
    let jira = server(&["make"], made(), false);
    let other = server(&["jira__remove"], json!({}), false);
    let setup = start(|kernel, _| kernel.server(spec(&jira, "jira")).server(spec(&other, "other"))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    // It is what a host means by that name, as long as the server itself has no such tool.
    host.call("jira__remove", json!({})).await;
    assert_eq!(called(&other), ["jira__remove"]);
    let (_, report) = rolled_back(&mut host).await;
    assert_eq!(report["status"], "partially_rolled_back", "{report}");
    assert_eq!(report["steps"][0]["status"], "compensation_failed", "{report}");
    assert_eq!((called(&jira), called(&other).len()), (vec!["make".to_owned()], 1));
}

#[tokio::test]
async fn a_compensation_has_no_fallback() {
    let jira = server(&["make", "remove"], made(), true);
    let other = server(&["remove"], json!({}), false);
    let mut of_jira = spec(&jira, "jira");
    of_jira.fallbacks = BTreeMap::from([("remove".to_owned(), "other__remove".to_owned())]);
    of_jira.idempotent = vec!["remove".to_owned()];
    let setup = start(|kernel, _| kernel.server(of_jira).server(spec(&other, "other"))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    host.call("jira__remove", json!({})).await;
    assert_eq!(called(&other).len(), 1, "it stands in for a host's call");
    let (_, report) = rolled_back(&mut host).await;
    assert_eq!(report["status"], "partially_rolled_back", "{report}");
    assert_eq!(
        (called(&jira), called(&other).len()),
        (["remove", "make", "remove"].map(str::to_owned).to_vec(), 1)
    );
}

#[tokio::test]
async fn an_operator_s_compensation_is_concealed_with_its_tool() {
    for (conceal, is_told) in [(true, false), (false, true)] {
        let jira = server(&["make", "remove"], json!({"content": []}), false);
        let mut of_jira = spec(&jira, "jira");
        let arguments = RawJson::parse(r#"{"secret":7}"#).unwrap();
        let undo = Compensation { tool: "remove".into(), arguments, description: None };
        of_jira.compensations = [("make".to_owned(), CompensationTemplate(undo))].into();
        let setup =
            start(|kernel, _| kernel.server(of_jira).config(|config| config.access.conceal = Some(conceal)))
                .await;
        setup.kernel.access().put(rule("jira", Some("remove"), AccessDecision::Deny)).await.unwrap();
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        let (made, report) = rolled_back(&mut host).await;
        assert_eq!(report["steps"][0]["status"], "compensation_failed", "{report}");
        for answer in [made.to_string(), report.to_string()] {
            assert_eq!(answer.contains("remove"), is_told, "{answer}");
            assert_eq!(answer.contains("secret"), is_told, "{answer}");
        }
        // The operator lets the caller make the call.
        setup.kernel.access().put(rule("jira", Some("remove"), AccessDecision::Allow)).await.unwrap();
        let again = host.get("mgp/transaction/rollback", json!({"transaction_id": "tx-1"})).await;
        assert_eq!(again["status"], "rolled_back", "{again}");
    }
}

#[tokio::test]
async fn an_impossible_compensation_is_concealed_with_its_tool() {
    for (conceal, is_told) in [(true, false), (false, true)] {
        let jira = server(&["make", "remove"], json!({"content": []}), false);
        let mut of_jira = spec(&jira, "jira");
        let arguments = RawJson::parse(r#"{"id":"$result/secret/id"}"#).unwrap();
        let undo = Compensation { tool: "remove".into(), arguments, description: None };
        of_jira.compensations = [("make".to_owned(), CompensationTemplate(undo))].into();
        let setup =
            start(|kernel, _| kernel.server(of_jira).config(|config| config.access.conceal = Some(conceal)))
                .await;
        setup.kernel.access().put(rule("jira", Some("remove"), AccessDecision::Deny)).await.unwrap();
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        let (_, report) = rolled_back(&mut host).await;
        assert_eq!(report["steps"][0]["status"], "not_compensated", "{report}");
        let error = report["steps"][0]["error"].to_string();
        assert_eq!(error.contains("secret"), is_told, "{report}");
        assert!(error.contains("undoes it") && report.to_string().contains("secret") == is_told, "{report}");
    }
}
