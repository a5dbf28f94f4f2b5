//! A client offers what it has, and answers a callback, which it has nothing for, with an error.

use crate::{
    scripted::{self, Lines, Script},
    support::{builder, within},
};
use mgp_client_sdk::{
    Era, EraChoice, RawJson,
    client::{Client, ClientBuilder},
};
use mgp_types::negotiation::{Extension, ExtensionSet};
use serde_json::{Value, json};
use std::sync::Arc;

/// A server that asks by a callback in each call, once inside of it and once beside it.
async fn connect(capabilities: Value, kind: &'static str, builder: ClientBuilder) -> (Client, Lines) {
    let script: Script = Arc::new(move |line| {
        if let Some(answer) = scripted::plain(line, &capabilities) {
            return answer;
        }
        let callback = |id: &str, request: &Value| {
            let mut params = json!({"callback_id": id, "type": kind, "message": "Go on?"});
            if !request.is_null() {
                params["request_id"] = request.clone();
            }
            json!({"method": "notifications/mgp.callback.request", "params": params})
        };
        match line["method"].as_str() {
            Some("tools/call") => vec![
                callback("cb-1", &line["id"]),
                callback("cb-2", &Value::Null),
                json!({"result": {"content": []}}),
            ],
            Some("mgp/callback/respond") => vec![json!({"result": {"accepted": true}})],
            Some("ping") => vec![json!({"result": {}})],
            _ => Vec::new(),
        }
    });
    let (client, lines) = scripted::connect(script, builder, EraChoice::Known(Era::Initialize)).await;
    (client.unwrap(), lines)
}

fn mgp(extensions: &[&str]) -> Value {
    json!({"tools": {}, "mgp": {"version": "0.3.0", "extensions": extensions}})
}

#[tokio::test]
async fn a_client_does_not_offer_callbacks_events_or_code_safety() {
    let (_client, lines) = connect(mgp(&[]), "confirmation", builder()).await;
    let hello = lines.of("initialize").remove(0);
    let offered: Vec<&str> = hello["params"]["capabilities"]["mgp"]["extensions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    for missing in ["bidirectional", "callbacks", "code_safety"] {
        assert!(!offered.contains(&missing), "{offered:?}");
    }
    for there in
        ["security", "access_control", "audit", "lifecycle", "streaming", "discovery", "tool_discovery"]
    {
        assert!(offered.contains(&there), "{offered:?}");
    }
}

#[tokio::test]
async fn a_callback_is_answered_with_an_error_and_the_call_goes_on() {
    for kind in ["confirmation", "input", "selection", "unheard_of"] {
        // A server may ask although it was not offered to be answered.
        let (client, lines) = connect(mgp(&["streaming"]), kind, builder()).await;
        within(client.call_tool("t", RawJson::empty_object())).await.unwrap();
        let mut answers = lines.wait_for("mgp/callback/respond", 2).await;
        answers.sort_by_key(|answer| answer["params"]["callback_id"].to_string());
        let error = json!({"code": -32601, "message": "callbacks are not supported here: nobody was asked"});
        for (answer, id) in answers.iter().zip(["cb-1", "cb-2"]) {
            assert_eq!(answer["params"], json!({"callback_id": id, "response": {"error": error}}));
        }
    }
}

#[tokio::test]
async fn a_callback_without_answer_or_of_a_plain_server_gets_none() {
    for (capabilities, kind) in
        [(mgp(&["streaming"]), "notification"), (json!({"tools": {}}), "confirmation")]
    {
        let (client, lines) = connect(capabilities, kind, builder()).await;
        within(client.call_tool("t", RawJson::empty_object())).await.unwrap();
        within(client.ping()).await.unwrap();
        assert_eq!(lines.of("mgp/callback/respond"), [] as [Value; 0]);
    }
}

#[tokio::test]
async fn a_program_that_offers_callbacks_answers_them_itself() {
    let (heard, mut hears) = tokio::sync::mpsc::unbounded_channel();
    let offers = [Extension::Callbacks].into_iter().collect::<ExtensionSet>();
    let builder = builder().offer(offers).on_notification(move |notification| {
        let _ = heard.send(notification.method.to_string());
        async {}
    });
    let (client, lines) = connect(mgp(&["bidirectional"]), "confirmation", builder).await;
    within(client.call_tool("t", RawJson::empty_object())).await.unwrap();
    for _ in 0..2 {
        assert_eq!(within(hears.recv()).await.unwrap(), "notifications/mgp.callback.request");
    }
    within(client.ping()).await.unwrap();
    assert_eq!(lines.of("mgp/callback/respond"), [] as [Value; 0]);
}
