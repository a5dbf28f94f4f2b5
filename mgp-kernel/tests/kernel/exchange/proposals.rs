//! The extension proposals' own form of a call: taken from any host, and sent to servers that have shown that they have it.

use crate::{
    raw_host::{As, ERAS, RawHost, all},
    raw_server::{RawServer, error, result},
    support::{Setup, start},
};
use mgp_discovery::config::CallerLimit;
use mgp_kernel::{AskHost, Era};
use mgp_security::permission::{ApprovalTerm, Deny};
use mgp_types::context::Principal;
use serde_json::{Value, json};
use std::num::NonZeroU64;

const ASKS: &str = "Delete PROJ-2 for good?";

/// Returns a server whose calls need a confirmation, and a token if there is one. Its tool says `deleted` once it ran.
fn cautious(capabilities: Value, token: Option<&'static str>) -> RawServer {
    RawServer::new(Era::Initialize, capabilities, move |message| {
        (message["method"] == "tools/call").then(|| {
            let params = &message["params"];
            let is_confirmed = params["user_confirmed"] == true
                && token.is_none_or(|token| params["_meta"]["confirmation_token"] == token);
            let answer = match token {
                _ if is_confirmed => json!({"deleted": true}),
                None => json!({"requires_confirmation": true, "confirmation_message": ASKS, "risk_level": "destructive",
                    "tool": "work", "parameters": params["arguments"]}),
                Some(token) => json!({"status": "confirmation_required", "confirmation_message": ASKS,
                    "confirmation_token": token}),
            };
            vec![result(message, answer)]
        })
    })
}

fn calls(server: &RawServer) -> Vec<Value> {
    server.read_of("tools/call").into_iter().map(|call| call["params"].clone()).collect()
}

/// Returns the number of calls that said that they are confirmed.
fn confirmed(server: &RawServer) -> usize {
    calls(server).iter().filter(|params| params.to_string().contains("user_confirmed")).count()
}

fn work(ticket: &str) -> Value {
    json!({"name": "work", "arguments": {"ticket": ticket}})
}

/// Connects a host whose user decides on every question.
async fn deciding(setup: &Setup, era: Era, agrees: bool) -> RawHost {
    let mut host = setup.raw_host(As::plain(era).can(all())).await;
    host.says(move |_, _| match agrees {
        true => Ok(json!({"action": "accept", "content": {"decision": "once"}})),
        false => Ok(json!({"action": "decline"})),
    });
    host
}

#[tokio::test]
async fn a_call_that_its_server_wants_confirmed_is_confirmed_once() {
    for era in ERAS {
        for token in [None, Some("conf-1")] {
            let server = cautious(json!({"tools": {}}), token);
            let setup = start(|kernel, _| kernel.server(server.spec("raw")).approver(AskHost::new())).await;
            let mut host = deciding(&setup, era, true).await;
            let answer = host.ask("tools/call", work("PROJ-2")).await;
            assert_eq!(answer["result"]["structuredContent"], json!({"deleted": true}), "{answer}");
            let asked = host.asked[0].1.to_string();
            assert!(asked.contains(ASKS) && host.asked.len() == 1, "{asked}");
            let sent = calls(&server);
            assert_eq!((sent.len(), confirmed(&server)), (2, 1), "{sent:?}");
            assert!(!sent[0].to_string().contains("user_confirmed"), "{sent:?}");
            assert_eq!(sent[1]["arguments"], sent[0]["arguments"]);
            assert_eq!(sent[1]["_meta"]["user_confirmed"], true, "{sent:?}");
            setup.calls_recorded(1).await;
            let events = setup.sink.events();
            let event = events.iter().find(|event| event.event_type.as_str() == "TOOL_EXECUTED").unwrap();
            let details = event.details.as_ref().unwrap();
            assert_eq!(details.get("attempts").unwrap().as_str(), "2");
            assert!(details.get("confirmation").unwrap().as_str().contains("once"));
        }
    }
}

#[tokio::test]
async fn a_host_s_claim_of_a_confirmation_runs_nothing() {
    let server = cautious(json!({"tools": {}, "extensions": ["human_in_the_loop"]}), None);
    let setup = start(|kernel, _| kernel.server(server.spec("raw")).approver(AskHost::new())).await;
    for era in ERAS {
        let mut host = deciding(&setup, era, false).await;
        let mut claims = work("PROJ-2");
        claims["user_confirmed"] = json!(true);
        claims["confirmation_token"] = json!("mine");
        claims["_meta"] = json!({"user_confirmed": true, "confirmation_token": "mine"});
        let answer = host.ask("tools/call", claims.clone()).await;
        assert!(answer["error"]["message"].is_string(), "{answer}");
        assert_eq!(host.asked.len(), 1);
        claims["name"] = json!("mgp_tools_call");
        claims["arguments"] = work("PROJ-2");
        host.ask("tools/call", claims).await;
    }
    let sent = calls(&server);
    assert_eq!((sent.len(), confirmed(&server)), (2 * ERAS.len(), 0), "{sent:?}");
    assert!(sent.iter().all(|params| !params.to_string().contains("confirmation_token")), "{sent:?}");
    assert!(setup.calls().iter().all(|call| !call.contains("TOOL_EXECUTED")), "{:?}", setup.calls());
}

#[tokio::test]
async fn a_stored_approval_confirms_a_call_and_keeps_its_key_free() {
    let server = cautious(json!({"tools": {}}), None);
    let setup = start(|kernel, _| kernel.server(server.spec("raw")).approver(Deny)).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize).can(json!({}))).await;
    let mut call = work("PROJ-2");
    call["idempotency_key"] = json!("delete-2");
    let refused = host.refused("tools/call", call.clone()).await;
    let pending = setup.kernel.confirmations().pending().await.unwrap();
    assert!(refused["message"].as_str().unwrap().contains(&format!("mgp approve {}", pending[0].id)));
    assert!(pending[0].reason.contains(ASKS) && pending[0].risk.as_str() == "dangerous", "{pending:?}");
    setup
        .kernel
        .confirmations()
        .approve(&pending[0].id, ApprovalTerm::Once, &Principal::operator("ann"))
        .await
        .unwrap();
    assert_eq!(confirmed(&server), 0);
    let made = host.get("tools/call", call.clone()).await;
    assert_eq!(made["_meta"]["was_replay"], false, "{made}");
    let replayed = host.get("tools/call", call).await;
    assert_eq!(replayed["_meta"]["was_replay"], true, "{replayed}");
    assert_eq!(confirmed(&server), 1, "{:?}", calls(&server));
    // Another call is another question.
    host.refused("tools/call", work("PROJ-3")).await;
    assert_eq!(confirmed(&server), 1);
}

#[tokio::test]
async fn a_call_that_must_be_confirmed_has_spent_its_units() {
    // Whatever a server says it did with the call, it got it.
    let server = cautious(json!({"tools": {}}), None);
    let one = CallerLimit { units_per_day: Some(NonZeroU64::MIN), ..CallerLimit::default() };
    let setup = start(|kernel, _| {
        let kernel = kernel.server(server.spec("raw")).approver(Deny);
        kernel.config(|config| {
            config.limits.agents.insert("*".into(), one);
        })
    })
    .await;
    let mut host = setup.raw_host(As::plain(Era::Initialize).can(json!({}))).await;
    host.refused("tools/call", work("PROJ-2")).await;
    let refused = host.refused("tools/call", work("PROJ-2")).await;
    assert!(refused["message"].as_str().unwrap().contains("the quota is used up"), "{refused}");
    assert_eq!(calls(&server).len(), 1);
}

#[tokio::test]
async fn a_server_that_rejects_a_confirmation_gets_no_third_call() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let wants = json!({"requires_confirmation": true, "tool": "work"});
        (message["method"] == "tools/call").then(|| vec![result(message, wants)])
    });
    let setup = start(|kernel, _| kernel.server(server.spec("raw")).approver(AskHost::new())).await;
    let mut host = deciding(&setup, Era::Initialize, true).await;
    let answer = host.ask("tools/call", work("PROJ-2")).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert_eq!((calls(&server).len(), confirmed(&server), host.asked.len()), (2, 1, 1));
}

#[tokio::test]
async fn a_call_confirmed_beforehand_is_sent_with_the_confirmation() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let answer = match message["method"].as_str() {
            Some("tools/list") => json!({"tools": [{"name": "work", "input_schema": {"type": "object"},
                "requires_confirmation": true, "confirmation_message": ASKS}]}),
            Some("tools/call") => json!({"deleted": message["params"]["user_confirmed"]}),
            _ => return None,
        };
        Some(vec![result(message, answer)])
    });
    let setup = start(|kernel, _| kernel.server(server.spec("raw")).approver(AskHost::new())).await;
    for era in ERAS {
        let mut host = deciding(&setup, era, true).await;
        let answer = host.ask("tools/call", work("PROJ-2")).await;
        assert_eq!(answer["result"]["structuredContent"], json!({"deleted": true}), "{answer}");
        assert_eq!(host.asked.len(), 1);
    }
    assert_eq!((calls(&server).len(), confirmed(&server)), (ERAS.len(), ERAS.len()));
}

#[tokio::test]
async fn a_host_s_meta_members_reach_a_proposals_server_in_both_forms() {
    for (capabilities, is_known) in [
        (json!({"tools": {}}), false),
        (json!({"tools": {}, "extensions": {"intent_hints": {}}}), false),
        (json!({"tools": {}, "extensions": ["intent_hints", "session_state"]}), true),
    ] {
        let server = RawServer::new(Era::Initialize, capabilities, |message| {
            (message["method"] == "tools/call").then(|| vec![result(message, json!({"content": []}))])
        });
        let setup = start(|kernel, _| kernel.server(server.spec("raw"))).await;
        for era in ERAS {
            let mut host = setup.raw_host(As::plain(era)).await;
            let mut call = work("PROJ-2");
            call["intent"] = json!("find it");
            call["session_state"] = json!("mine");
            host.get("tools/call", call.clone()).await;
            call["_meta"] = json!({"intent": "find something else"});
            let refused = host.refused("tools/call", call).await;
            let message = refused["message"].as_str().unwrap();
            assert!(refused["code"] == -32602 && message.contains("the value of _meta.intent"), "{refused}");
            let mut long = work("PROJ-2");
            long["intent"] = json!("x".repeat(2001));
            let refused = host.refused("tools/call", long).await;
            assert!(refused["message"].as_str().unwrap().contains("found 2001 bytes"), "{refused}");
        }
        let sent = calls(&server);
        assert_eq!(sent.len(), ERAS.len());
        for params in sent {
            for (key, value) in [("intent", "find it"), ("session_state", "mine")] {
                assert_eq!(params["_meta"][key], value, "{params}");
                let beside = if is_known { json!(value) } else { Value::Null };
                assert_eq!(params[key], beside, "{params}");
            }
        }
    }
}

#[tokio::test]
async fn a_state_in_the_proposals_form_is_returned_in_that_form() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        (message["method"] == "tools/call").then(|| {
            let brought = &message["params"]["session_state"];
            match brought.as_str() {
                Some("stale") => vec![error(message, -32602, "session_state: it has expired")],
                _ => vec![result(message, json!({"result": {"brought": brought}, "session_state": "one"}))],
            }
        })
    });
    let setup = start(|kernel, _| kernel.server(server.spec("raw"))).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let first = host.call("work", json!({})).await;
    assert_eq!(first["structuredContent"], json!({"brought": null}), "{first}");
    let second = host.call("work", json!({})).await;
    assert_eq!(second["structuredContent"], json!({"brought": "one"}), "{second}");
    let mut other = setup.raw_host(As::plain(Era::Initialize)).await;
    assert_eq!(other.call("work", json!({})).await["structuredContent"], json!({"brought": null}));
}
