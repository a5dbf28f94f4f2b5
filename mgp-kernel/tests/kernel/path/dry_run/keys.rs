//! Dry runs of calls with an idempotency key or a session's state, and of steps of transactions.

use crate::{
    raw_host::{As, RawHost},
    support::{open, spec, start},
};
use mgp_kernel::Era;
use serde_json::{Value, json};

/// Has a call judged, makes it, and compares. Returns the code of the refusal.
async fn compare(host: &mut RawHost, params: &Value) -> Option<i64> {
    let dry = host.get("mgp/tools/check", params.clone()).await;
    let real = host.ask("tools/call", params.clone()).await;
    let refused = real.get("error");
    assert_eq!(dry["allowed"], refused.is_none(), "{params}: {dry} {real}");
    let refused = refused?;
    for member in ["code", "message"] {
        assert_eq!(dry["error"][member], refused[member], "{params}: {dry} {real}");
    }
    refused["code"].as_i64()
}

fn add(b: i64, meta: &Value) -> Value {
    json!({"name": "add", "arguments": {"a": 1, "b": b}, "_meta": meta})
}

#[tokio::test]
async fn a_used_key_is_judged_as_in_the_real_call() {
    let setup = open().await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let key = json!({"idempotency_key": "op-1"});
    assert_eq!(compare(&mut host, &add(2, &key)).await, None);
    assert_eq!(compare(&mut host, &add(2, &key)).await, None);
    assert_eq!(compare(&mut host, &add(3, &key)).await, Some(4000));
    assert_eq!(compare(&mut host, &add(3, &json!({"idempotency_key": "op-2"}))).await, None);
    assert_eq!(compare(&mut host, &add(3, &json!({"idempotency_key": "no key"}))).await, Some(-32602));
}

#[tokio::test]
async fn a_key_over_the_caller_s_bound_is_refused_as_in_the_real_call() {
    let setup = start(|kernel, signals| {
        kernel.server(spec("test", signals)).config(|config| config.idempotency.max_keys = 1)
    })
    .await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let key = |name: &str| json!({"idempotency_key": name});
    assert_eq!(compare(&mut host, &add(2, &key("op-1"))).await, None);
    assert_eq!(compare(&mut host, &add(2, &key("op-2"))).await, Some(3001));
    assert_eq!(compare(&mut host, &add(2, &key("op-1"))).await, None);
}

#[tokio::test]
async fn an_invalid_session_state_is_refused_as_in_the_real_call() {
    let setup = open().await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let state = |token: Value| json!({"session_state": token});
    assert_eq!(compare(&mut host, &add(2, &state(json!(7)))).await, Some(-32602));
    assert_eq!(compare(&mut host, &add(2, &state(json!("x".repeat(65_537))))).await, Some(-32602));
    assert_eq!(compare(&mut host, &add(2, &state(json!(null)))).await, None);
}

#[tokio::test]
async fn a_dry_run_of_a_step_is_judged_but_adds_no_step() {
    let setup = start(|kernel, signals| kernel.server(spec("test", signals))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let of = |id: &str| json!({"transaction_id": id});
    let step = |name: &str| json!({"transaction_id": "tx-1", "step_id": name});
    assert_eq!(compare(&mut host, &add(2, &of("tx-1"))).await, Some(4004));
    host.get("mgp/transaction/begin", of("tx-1")).await;
    let dry = host.get("mgp/tools/check", add(2, &step("one"))).await;
    assert_eq!(dry["allowed"], true, "{dry}");
    assert_eq!(host.get("mgp/transaction/status", of("tx-1")).await["steps"], json!([]));
    assert_eq!(compare(&mut host, &add(2, &step("one"))).await, None);
    assert_eq!(compare(&mut host, &add(2, &step("one"))).await, Some(4000));
    assert_eq!(compare(&mut host, &add(2, &step("two"))).await, None);
    host.get("mgp/transaction/commit", of("tx-1")).await;
    assert_eq!(compare(&mut host, &add(2, &step("three"))).await, Some(4000));
}
