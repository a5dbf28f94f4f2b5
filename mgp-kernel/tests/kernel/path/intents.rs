//! The intent of a call: recorded, shown to the approver, and used to name a tool that fits better when the call fails.

use crate::{
    raw_host::{As, ERAS, all},
    raw_server::{RawServer, error, result},
    support::{rule, spec, start},
};
use mgp_kernel::{AskHost, Era};
use mgp_security::profile::Confirmation;
use mgp_types::access::AccessDecision;
use serde_json::{Value, json};

const INTENT: &str = "count upwards step by step";

#[tokio::test]
async fn an_intent_reaches_the_server_and_the_trail_by_both_ways() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        (message["method"] == "tools/call").then(|| vec![result(message, json!({"content": []}))])
    });
    let setup = start(|kernel, _| kernel.server(server.spec("raw"))).await;
    for era in ERAS {
        let mut host = setup.raw_host(As::plain(era)).await;
        let direct = json!({"name": "work", "arguments": {}, "_meta": {"intent": INTENT}});
        host.get("tools/call", direct).await;
        host.call("mgp_tools_call", json!({"name": "work", "arguments": {}, "intent": INTENT})).await;
        host.call("work", json!({})).await;
    }
    let read = server.read_of("tools/call");
    let sent: Vec<_> = read.iter().map(|call| call["params"]["_meta"]["intent"].clone()).collect();
    assert_eq!(sent, vec![[json!(INTENT), json!(INTENT), Value::Null]; ERAS.len()].concat());
    setup.calls_recorded(3 * ERAS.len()).await;
    let kept = setup
        .sink
        .events()
        .into_iter()
        .filter(|event| event.event_type.as_str() == "TOOL_EXECUTED")
        .map(|event| event.details.and_then(|details| details.text("intent")));
    assert_eq!(
        kept.collect::<Vec<_>>(),
        vec![[Some(INTENT.to_owned()), Some(INTENT.to_owned()), None]; ERAS.len()].concat()
    );
}

#[tokio::test]
async fn an_intent_that_is_not_a_sentence_is_refused() {
    let setup = start(|kernel, signals| kernel.server(spec("test", signals))).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let wrong = json!({"name": "add", "arguments": {"a": 1, "b": 1}, "_meta": {"intent": 7}});
    let refused = host.refused("tools/call", wrong).await;
    assert_eq!(
        refused["message"],
        "invalid _meta.intent: expected a sentence of at most 2000 bytes, found a number"
    );
    let answer = host.call("mgp_tools_call", json!({"name": "add", "intent": ""})).await;
    assert!(answer["isError"] == true && answer.to_string().contains("invalid intent: "), "{answer}");
}

#[tokio::test]
async fn an_approver_reads_the_intent_attributed_to_the_agent() {
    let setup = start(|kernel, signals| {
        let mut dangerous = spec("test", signals);
        dangerous.confirmation = Some(Confirmation::Always);
        kernel.server(dangerous).approver(AskHost::new())
    })
    .await;
    let mut host = setup.raw_host(As::plain(Era::Initialize).can(all())).await;
    host.says(|_, _| Ok(json!({"action": "accept", "content": {"decision": "once"}})));
    let intent = "tidy up\ndecline: approves";
    let call = json!({"name": "add", "arguments": {"a": 1, "b": 1}, "_meta": {"intent": intent}});
    assert_eq!(host.ask("tools/call", call).await["result"]["content"][0]["text"], "2");
    let asked = host.asked[0].1["message"].as_str().unwrap();
    let line = "The agent says what it is for: \"tidy up\\ndecline: approves\"\n";
    assert!(asked.contains(line), "{asked:?}");
}

#[tokio::test]
async fn error_data_without_room_for_a_recommendation_are_unchanged() {
    let failing = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let data = message["params"]["arguments"].get("data")?.clone();
        let mut answer = error(message, -32000, "line 3");
        answer["error"]["data"] = data;
        Some(vec![answer])
    });
    let setup =
        start(|kernel, signals| kernel.server(spec("test", signals)).server(failing.spec("raw"))).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    for (data, is_recommended) in
        [(json!("unexpected ')'"), false), (json!([1]), false), (json!({"at": 3}), true)]
    {
        let call = json!({"name": "work", "arguments": {"data": data}, "_meta": {"intent": INTENT}});
        let mut told = host.refused("tools/call", call).await["data"].take();
        if let Some(members) = told.as_object_mut() {
            assert_eq!(members.remove("recommendation").is_some(), is_recommended);
            members.remove("trace_id");
        }
        assert_eq!(told, data);
    }
}

#[tokio::test]
async fn a_failed_or_refused_call_names_a_tool_that_fits_its_intent() {
    let failing = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let failed = json!({"content": [], "isError": true, "_meta": {"mine": 1, "dev.cloto/result": {"status": "failure"}}});
        (message["method"] == "tools/call").then(|| vec![result(message, failed)])
    });
    let setup =
        start(|kernel, signals| kernel.server(spec("test", signals)).server(failing.spec("raw"))).await;
    setup.kernel.access().put(rule("test", Some("add"), AccessDecision::Deny)).await.unwrap();
    let expected = json!({"recommended_tool": "count", "reason": "Counts upwards, step by step"});
    for era in ERAS {
        let mut host = setup.raw_host(As::plain(era)).await;
        let call =
            |name: &str, intent: &str| json!({"name": name, "arguments": {}, "_meta": {"intent": intent}});
        let failed = host.get("tools/call", call("work", INTENT)).await;
        let outcome = &failed["_meta"]["dev.cloto/result"];
        let told = json!({"status": "failure", "recommendation": expected, "trace_id": outcome["trace_id"]});
        assert_eq!(outcome, &told);
        assert_eq!(failed["_meta"]["mine"], 1);
        for name in ["add", "nothing"] {
            let refused = host.refused("tools/call", call(name, INTENT)).await;
            assert_eq!(refused["data"]["recommendation"], expected, "{name}: {refused}");
        }
        // Neither the tool that failed, nor one that the caller may not see, nor one where nothing is said of the intent.
        let failed = host.get("tools/call", call("count", INTENT)).await;
        assert_eq!(
            (&failed["isError"], failed["_meta"]["dev.cloto/result"].get("recommendation")),
            (&json!(true), None),
            "{failed}"
        );
        let refused = host.refused("tools/call", call("nothing", "Adds two numbers")).await;
        assert_ne!(refused["data"]["recommendation"]["recommended_tool"], "add", "{refused}");
        let refused = host.refused("tools/call", json!({"name": "nothing", "arguments": {}})).await;
        assert_eq!(refused["data"].get("recommendation"), None);
    }
}
