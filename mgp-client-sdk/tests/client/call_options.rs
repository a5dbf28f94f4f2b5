//! Calls that ask a gateway for more than the call itself.

use crate::{
    scripted::{self, plain, result},
    support::{builder, within},
};
use mgp_client_sdk::{Era, EraChoice, client::CallOptions};
use mgp_types::idempotency::IdempotencyKey;
use serde_json::json;
use std::{sync::Arc, time::Duration};

fn key(text: &str) -> IdempotencyKey {
    IdempotencyKey::new(text).unwrap()
}

#[tokio::test]
async fn call_options_are_members_of_meta_in_each_era() {
    let script = |line: &serde_json::Value| {
        plain(line, &json!({})).unwrap_or_else(|| result(json!({"content": [{"type": "text", "text": "7"}]})))
    };
    for era in [Era::Initialize, Era::Stateless] {
        let choice = EraChoice::Known(era);
        let (client, lines) = scripted::connect(Arc::new(script), builder(), choice).await;
        let client = client.unwrap();
        let all = CallOptions::new()
            .keep_result()
            .reference("/a", "ref-1")
            .reference("/b", "ref-2#/rows")
            .reference("/a", "ref-3")
            .idempotency_key(&key("op-1"))
            .idempotency_ttl(Duration::from_millis(1500))
            .intent("Try it")
            .transaction("tx-1")
            .step("first")
            .attest();
        let answer = within(client.call_tool_with("work", json!({"n": 1}), all.clone())).await.unwrap();
        assert_eq!((answer.reference(), answer.replay_note()), (None, None), "{era:?}");
        let typed: u32 = within(client.call_with("work", (), CallOptions::new())).await.unwrap();
        within(client.start_tool_with("work", (), all)).await.unwrap();
        let sent = lines.wait_for("tools/call", 3).await;
        assert_eq!((typed, &sent[0]["params"]["arguments"]), (7, &json!({"n": 1})));
        for call in [&sent[0], &sent[2]] {
            let meta = &call["params"]["_meta"];
            for (member, value) in [
                (
                    "dev.cloto/call",
                    json!({"keep_result": true, "refs": {"/a": "ref-3", "/b": "ref-2#/rows"}}),
                ),
                ("idempotency_key", json!("op-1")),
                ("idempotency_ttl_seconds", json!(1)),
                ("intent", json!("Try it")),
                ("transaction_id", json!("tx-1")),
                ("step_id", json!("first")),
                ("dev.cloto/attest", json!(true)),
            ] {
                assert_eq!(meta[member], value, "{era:?}: {call}");
            }
        }
        assert!(!sent[1].to_string().contains("dev.cloto/call"), "{}", sent[1]);
    }
}
