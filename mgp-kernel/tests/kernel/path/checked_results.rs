//! Results that are checked against the tool's output schema, for hosts that ask for it.

use crate::{
    raw_host::As,
    raw_server::{RawServer, result},
    support::start,
};
use mgp_kernel::{Era, ServerSpec};
use mgp_lifecycle::transaction::CompensationTemplate;
use mgp_security::profile::Confirmation;
use mgp_types::{json::RawJson, transaction::Compensation};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A server that answers the calls of its tools with `answer`: with a result, or with an error if it has a code. The results of `report` have
/// days, and those of `spare` have weeks.
fn reporter(answer: impl Fn(&Value) -> Value + Send + Sync + 'static) -> RawServer {
    RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        match message["method"].as_str()? {
            "tools/list" => {
                // Without the hint, the names would have their calls asked about.
                let hints = json!({"destructiveHint": false});
                let mut tools = ["report", "spare", "undo"].map(
                    |name| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": hints}),
                );
                for (tool, member) in [(0, "days"), (1, "weeks")] {
                    tools[tool]["outputSchema"] = json!({"type": "object", "properties": {member: {"type": "integer"}}, "required": [member]});
                }
                Some(vec![result(message, json!({"tools": tools}))])
            }
            "tools/call" => {
                let answer = answer(&message["params"]);
                Some(vec![match answer.get("code") {
                    Some(_) => json!({"jsonrpc": "2.0", "id": message["id"], "error": answer}),
                    None => result(message, answer),
                }])
            }
            _ => None,
        }
    })
}

fn spec(server: &RawServer, id: &str) -> ServerSpec {
    let mut spec = server.spec(id);
    spec.confirmation = Some(Confirmation::Never);
    spec.retries.max_retries = 0;
    spec
}

/// Returns the result of a tool with structured content.
fn structured(content: Value) -> Value {
    let mut result = json!({"content": [{"type": "text", "text": "x"}]});
    result["structuredContent"] = content;
    result
}

/// Returns a call whose result is checked if it asks for it.
fn call(tool: &str, asks: bool, mut meta: Value) -> Value {
    if asks {
        meta["dev.cloto/call"] = json!({"check_result": true});
    }
    json!({"name": tool, "arguments": {}, "_meta": meta})
}

fn calls(server: &RawServer) -> Vec<String> {
    let called = server.read_of("tools/call");
    called.iter().map(|call| call["params"]["name"].as_str().unwrap().to_owned()).collect()
}

/// Asserts that an error says that the tool ran, and names a part of its result.
fn ran(error: &Value, part: &str) {
    let message = error["message"].as_str().unwrap();
    assert!(error["code"] == 5000 && message.contains("the tool ran") && message.contains(part), "{error}");
    assert_eq!(error["data"]["_mgp"]["details"]["outcome"], "done", "{error}");
    assert_eq!(error["data"]["_mgp"]["retryable"], false, "{error}");
}

#[tokio::test]
async fn a_result_is_checked_on_request_after_its_tool_ran() {
    let server = reporter(|params| params["arguments"]["result"].clone());
    let setup = start(|kernel, _| kernel.server(spec(&server, "srv"))).await;
    let call = |answer: &Value, asked: Value| json!({"name": "report", "arguments": {"result": answer}, "_meta": {"dev.cloto/call": asked}});
    let content = json!([{"type": "text", "text": "x"}]);
    let fits = structured(json!({"days": 3}));
    let failed = json!({"content": content, "isError": true});
    let wrong = structured(json!({"days": "three"}));
    let missing = json!({"content": content});
    for host in [As::mgp(Era::Initialize), As::mgp(Era::Stateless)] {
        let mut host = setup.raw_host(host).await;
        for answer in [&fits, &failed, &wrong, &missing] {
            let answered = host.once("tools/call", call(answer, json!({}))).await;
            assert!(answered["result"]["content"].is_array(), "nobody asked: {answered}");
        }
        for answer in [&fits, &failed] {
            let answered = host.once("tools/call", call(answer, json!({"check_result": true}))).await;
            assert!(answered["result"]["content"].is_array(), "{answered}");
        }
        for (answer, part) in [(&wrong, "three"), (&missing, "missing structuredContent")] {
            let error = host.refused("tools/call", call(answer, json!({"check_result": true}))).await;
            ran(&error, part);
        }
        let both = json!({"check_result": true, "keep_result": true});
        let error = host.refused("tools/call", call(&fits, both)).await;
        assert!(
            error["code"] == 4000 && error["message"].as_str().unwrap().contains("without keep_result"),
            "{error}"
        );
    }
    assert_eq!(calls(&server).len(), 2 * 8, "a call whose options contradict each other is not made");
    let recorded = setup.calls();
    let done = recorded.iter().filter(|call| *call == "TOOL_EXECUTED SUCCESS srv.report").count();
    assert_eq!(done, 2 * 6, "a tool whose result does not fit has run: {recorded:?}");
}

#[tokio::test]
async fn a_step_with_an_invalid_result_took_effect_and_is_undone() {
    let server = reporter(|_| structured(json!({"days": "three"})));
    let mut spec = spec(&server, "srv");
    let undo = Compensation::new("undo").arguments(RawJson::parse(r#"{"by":"the operator"}"#).unwrap());
    spec.compensations = [("report".to_owned(), CompensationTemplate(undo))].into();
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    host.get("mgp/transaction/begin", json!({"transaction_id": "tx-1"})).await;
    let step = call("report", true, json!({"transaction_id": "tx-1"}));
    ran(&host.refused("tools/call", step).await, "three");
    let status = host.get("mgp/transaction/status", json!({"transaction_id": "tx-1"})).await;
    assert_eq!(status["steps"][0]["status"], "ok", "{status}");
    let report = host.get("mgp/transaction/rollback", json!({"transaction_id": "tx-1"})).await;
    assert_eq!(report["status"], "rolled_back", "{report}");
    assert_eq!(report["steps"][0]["status"], "compensated", "{report}");
    assert_eq!(calls(&server), ["report", "undo"]);
}

#[tokio::test]
async fn an_invalid_result_leads_to_no_other_tool() {
    let main = reporter(|_| structured(json!({"days": "three"})));
    let backup = reporter(|_| structured(json!({"weeks": 1})));
    let mut of_main = spec(&main, "main");
    of_main.fallbacks = BTreeMap::from([("report".to_owned(), "backup__spare".to_owned())]);
    let setup = start(|kernel, _| kernel.server(of_main).server(spec(&backup, "backup"))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    ran(&host.refused("tools/call", call("main__report", true, json!({}))).await, "three");
    assert_eq!((calls(&main).len(), calls(&backup).len()), (1, 0));
}

#[tokio::test]
async fn the_result_of_a_fallback_is_checked_against_its_own_schema() {
    for (answer, misfit) in [(json!({"weeks": 1}), None), (json!({"days": 7}), Some("weeks"))] {
        let main = reporter(|_| json!({"code": 5002, "message": "the database is gone"}));
        let backup = reporter(move |_| structured(answer.clone()));
        let mut of_main = spec(&main, "main");
        of_main.fallbacks = BTreeMap::from([("report".to_owned(), "backup__spare".to_owned())]);
        let setup = start(|kernel, _| kernel.server(of_main).server(spec(&backup, "backup"))).await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        let answer = host.once("tools/call", call("main__report", true, json!({}))).await;
        match misfit {
            Some(part) => ran(&answer["error"], part),
            None => assert_eq!(answer["result"]["structuredContent"], json!({"weeks": 1}), "{answer}"),
        }
        assert_eq!((calls(&main).len(), calls(&backup).len()), (1, 1));
    }
}

#[tokio::test]
async fn each_call_with_one_key_is_checked_as_it_requests() {
    let server = reporter(|_| structured(json!({"days": "three"})));
    let setup = start(|kernel, _| kernel.server(spec(&server, "srv"))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    for (key, asks_first) in [("op-1", true), ("op-2", false)] {
        for asks in [asks_first, !asks_first, asks_first] {
            let keyed = call("report", asks, json!({"idempotency_key": key}));
            let answer = host.once("tools/call", keyed).await;
            if asks {
                ran(&answer["error"], "three");
            } else {
                assert_eq!(answer["result"]["structuredContent"]["days"], "three", "{answer}");
            }
        }
    }
    assert_eq!(calls(&server).len(), 2, "one call for each key");
}

#[tokio::test]
async fn a_call_with_an_uncheckable_result_is_refused_beforehand() {
    for (schema, reason) in [
        (json!({"type": "object", "$schema": "https://example.com/mine"}), "unknown $schema"),
        (json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/x"}}}), "leads out of"),
        (json!({"type": "object", "$ref": "#"}), "leads back to itself"),
        (json!({"type": "object", "properties": {"a": {"pattern": "("}}}), ""),
        (json!({"type": "object", "minProperties": "many"}), ""),
    ] {
        let listed = schema.clone();
        let server = RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
            match message["method"].as_str()? {
                "tools/list" => {
                    let tool =
                        json!({"name": "report", "inputSchema": {"type": "object"}, "outputSchema": listed});
                    Some(vec![result(message, json!({"tools": [tool]}))])
                }
                "tools/call" => Some(vec![result(message, structured(json!({})))]),
                _ => None,
            }
        });
        let setup = start(|kernel, _| kernel.server(spec(&server, "srv"))).await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        let passed = host.once("tools/call", call("report", false, json!({}))).await;
        assert_eq!(passed["result"]["structuredContent"], json!({}), "{schema}: {passed}");
        let refused = host.once("tools/call", call("report", true, json!({}))).await;
        let message = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("could not be checked") && message.contains(reason), "{schema}: {refused}");
        assert_eq!((calls(&server).len(), &refused["error"]["code"]), (1, &json!(4000)), "{schema}");
    }
}
