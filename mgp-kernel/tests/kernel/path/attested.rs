//! Attestations: the kernel's word on where a result came from, which no server can write.

use crate::{
    raw_host::{As, ERAS, all},
    raw_server::{RawServer, result},
    support::{open, start},
};
use mgp_kernel::{AskHost, Era};
use mgp_security::canonical;
use mgp_types::{json::RawObject, tool_result::attested_part};
use serde_json::{Value, json};

fn attestation(result: &Value) -> &Value {
    &result["_meta"]["dev.cloto/attestation"]
}

/// Returns the hash of a result, as its host computes it.
fn hash(result: &Value) -> String {
    let result = RawObject::parse(result.to_string()).unwrap();
    let digest = canonical::digest(&attested_part(&result).unwrap());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn a_host_can_request_an_attestation_of_server_and_definition() {
    let setup = open().await;
    for era in ERAS {
        for this in [As::plain(era), As::mgp(era)] {
            let mut host = setup.raw_host(this).await;
            let params =
                json!({"name": "add", "arguments": {"a": 1, "b": 2}, "_meta": {"dev.cloto/attest": true}});
            let answer = host.get("tools/call", params).await;
            let told = attestation(&answer);
            assert_eq!(
                (&told["source"], &told["server_id"], &told["tool"]),
                (&json!("test/add"), &json!("test"), &json!("add"))
            );
            assert_eq!(told["sha256"], hash(&answer), "{answer}");
            assert_eq!(told["definition_hash"].as_str().unwrap().len(), 64);
            assert!(
                told["trace_id"].is_string()
                    && told["retrieved_at"].is_string()
                    && told["version"].is_string()
            );
            assert_eq!(told["confidence"], "exact");
            let mut changed = answer.clone();
            changed["content"][0]["text"] = json!("4");
            assert_ne!(told["sha256"], hash(&changed));
            for asks in [json!({}), json!({"dev.cloto/attest": false}), json!({"dev.cloto/attest": "true"})] {
                let params = json!({"name": "add", "arguments": {"a": 1, "b": 2}, "_meta": asks});
                assert_eq!(attestation(&host.get("tools/call", params).await), &Value::Null);
            }
        }
    }
}

#[tokio::test]
async fn a_call_through_the_meta_tool_is_attested_for_the_called_tool() {
    let setup = open().await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let arguments = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
    let params =
        json!({"name": "mgp_tools_call", "arguments": arguments, "_meta": {"dev.cloto/attest": true}});
    let answer = host.get("tools/call", params).await;
    assert_eq!(
        (&attestation(&answer)["source"], &attestation(&answer)["sha256"]),
        (&json!("test/add"), &json!(hash(&answer)))
    );
}

#[tokio::test]
async fn a_server_cannot_forge_an_attestation() {
    for era in ERAS {
        let forged = json!({"source": "bank/balance", "server_id": "bank", "sha256": "00"});
        let answered = forged.clone();
        let server = RawServer::new(era, json!({"tools": {}}), move |message| {
            let meta = json!({"dev.cloto/attestation": answered, "x": 1});
            let content = json!([{"type": "text", "text": "much"}]);
            let answer = json!({"content": content, "_meta": meta});
            (message["method"] == "tools/call").then(|| vec![result(message, answer)])
        });
        let setup = start(|kernel, _| kernel.server(server.spec("raw"))).await;
        let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
        let answer = host.call("work", json!({})).await;
        assert_eq!((attestation(&answer), &answer["_meta"]["x"]), (&Value::Null, &json!(1)));
        let params = json!({"name": "work", "arguments": {}, "_meta": {"dev.cloto/attest": true}});
        let answer = host.get("tools/call", params).await;
        assert_eq!(
            (&attestation(&answer)["source"], &attestation(&answer)["sha256"]),
            (&json!("raw/work"), &json!(hash(&answer)))
        );
        assert_ne!(attestation(&answer), &forged);
    }
}

#[tokio::test]
async fn a_result_that_the_kernel_changed_is_not_attested() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        let says = message["params"]["arguments"]["text"]
            .as_str()
            .map(|text| json!([{"type": "text", "text": text}]));
        (message["method"] == "tools/call").then(|| vec![result(message, json!({"content": says}))])
    });
    let mut spec = server.spec("raw");
    spec.secrets = mgp_kernel::SecretPolicy::Mask;
    let bounds = mgp_discovery::config::ReferencesConfig { max_bytes: 100, ..Default::default() };
    let setup = start(|kernel, _| {
        kernel.server(spec).config(|config| {
            config.references = bounds;
            config.results.max_tokens = Some(1000);
        })
    })
    .await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let (token, too_long, secret) =
        (crate::exchange::result_secrets::token(), "x".repeat(101), "[secret: github-pat]");
    for (text, keeps, is_attested) in
        [("much", false, true), ("much", true, false), (&*too_long, true, false), (&*token, false, false)]
    {
        let meta = json!({"dev.cloto/attest": true, "dev.cloto/call": {"keep_result": keeps}});
        let params = json!({"name": "work", "arguments": {"text": text}, "_meta": meta});
        let answer = host.get("tools/call", params).await;
        assert_eq!(!attestation(&answer).is_null(), is_attested, "{answer}");
        assert_eq!(answer.to_string().contains(secret), text == token, "{answer}");
    }
}

#[tokio::test]
async fn only_data_of_a_server_are_attested() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        (message["method"] == "tools/call").then(|| {
            let params = &message["params"];
            let wanted = json!({"requires_confirmation": true, "tool": "work"});
            let answer = match params["arguments"]["answer"].as_str() {
                Some("error") => json!({"error": {"code": "LOCKED", "message": "in use"}}),
                Some("suggestion") => json!({"suggestion": {"recommended_tool": "find"}, "result": null}),
                Some("wanted") => wanted,
                Some("confirmed") if params["user_confirmed"] != true => wanted,
                Some("failed") => json!({"n": 1, "isError": true}),
                _ => json!({"n": 1}),
            };
            vec![result(message, answer)]
        })
    });
    let setup = start(|kernel, _| kernel.server(server.spec("raw")).approver(AskHost::new())).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize).can(all())).await;
    host.says(|_, _| Ok(json!({"action": "accept", "content": {"decision": "once"}})));
    for (answer, is_attested) in [
        ("data", true),
        ("failed", true),
        ("error", false),
        ("suggestion", false),
        ("wanted", false),
        ("confirmed", true),
    ] {
        let meta = json!({"dev.cloto/attest": true});
        let params = json!({"name": "work", "arguments": {"answer": answer}, "_meta": meta});
        let told = host.get("tools/call", params).await;
        assert_eq!(!attestation(&told).is_null(), is_attested, "{answer}: {told}");
    }
}

#[tokio::test]
async fn an_answer_that_the_kernel_made_valid_is_not_attested() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let content = message["params"]["arguments"]["content"].clone();
        (message["method"] == "tools/call").then(|| vec![result(message, json!({"content": content}))])
    });
    let setup = start(|kernel, _| kernel.server(server.spec("raw"))).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    for (content, is_attested) in [(json!([{"type": "text", "text": "a"}]), true), (json!("a"), false)] {
        let meta = json!({"dev.cloto/attest": true});
        let params = json!({"name": "work", "arguments": {"content": content}, "_meta": meta});
        let answer = host.get("tools/call", params).await;
        assert_eq!(answer["content"], json!([{"type": "text", "text": "a"}]), "{answer}");
        assert_eq!(!attestation(&answer).is_null(), is_attested, "{answer}");
    }
}
