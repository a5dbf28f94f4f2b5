//! The time that a call is likely to take: as its server claims it, and as the kernel measured it.

use crate::{
    raw_host::{As, RawHost, all},
    support::{Setup, pause_clock, start},
};
use mgp_kernel::{Endpoint, Era, InProcess, ServerSpec};
use mgp_security::permission::{ApprovalTerm, Deny};
use mgp_server_sdk::{Server, Tool};
use mgp_types::{
    access::DefaultPolicy,
    context::Principal,
    tool_metadata::{Cost, CostCategory, LatencyClass, Quota, ToolMetadata},
    tool_security::Confirmation,
};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// The time that the tool takes.
const WORK: Duration = Duration::from_millis(200);

/// Starts a kernel in front of the server.
async fn setup(confirmation: Confirmation) -> Setup {
    let spec = spec(confirmation);
    start(|kernel, _| kernel.server(spec)).await
}

/// Returns the spec of a server that makes one call at a time, and claims that each takes minutes and costs four credits, and that 12 of 20
/// calls are left.
fn spec(confirmation: Confirmation) -> ServerSpec {
    let cost = Cost {
        estimated_units: Some(4.0),
        unit_label: Some("credits".to_owned()),
        ..Cost::new(CostCategory::Metered)
    };
    let report = Tool::new("write_report", "Writes a report", || async {
        tokio::time::sleep(WORK).await;
        "a report"
    });
    let stack = Server::new("slow", "1.0.0")
        .tool(report.metadata(ToolMetadata {
            latency: Some(LatencyClass::Minutes),
            cost: Some(cost),
            quota: Some(Quota { limit: Some(20), remaining: Some(12), ..Quota::default() }),
            ..ToolMetadata::default()
        }))
        .tool(Tool::new("fail", "Does not answer", || async { std::future::pending::<String>().await }))
        .build()
        .unwrap();
    let mut spec = ServerSpec::new("slow", Endpoint::InProcess(InProcess::new(move || stack.in_process())));
    spec.default_policy = DefaultPolicy::OptOut;
    spec.max_concurrent = 1;
    spec.call_timeout = Duration::from_secs(1);
    spec.confirmation = Some(confirmation);
    spec
}

fn report() -> Value {
    json!({"name": "write_report", "arguments": {}})
}

async fn estimate(host: &mut RawHost) -> Value {
    let found =
        json!({"name": "mgp_tools_discover", "arguments": {"query": "write a report", "max_results": 1}});
    let found = host.get("tools/call", found).await["structuredContent"]["tools"][0].clone();
    assert_eq!(found["name"], "write_report", "{found}");
    let wanted = json!({"name": "mgp_tools_request", "arguments": {"requirements": {"capabilities": ["write a report"]}}});
    let loaded = host.get("tools/call", wanted).await["structuredContent"]["tools_loaded"][0].clone();
    assert_eq!(found["estimate"], loaded["estimate"], "{loaded}");
    found["estimate"].clone()
}

#[tokio::test]
async fn searches_show_claimed_and_measured_times_without_the_queue() {
    let setup = setup(Confirmation::Never).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let claimed = estimate(&mut host).await;
    assert_eq!((&claimed["latency"], &claimed["cost"]["estimated_units"]), (&json!("minutes"), &json!(4.0)));
    assert_eq!(claimed["claimed_quota"], json!({"limit": 20, "remaining": 12}), "{claimed}");
    assert!(claimed.get("measured_latency").is_none(), "{claimed}");
    let paused = pause_clock();
    // At once, so that the last one waits for four others.
    let began = Instant::now();
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(host.send("tools/call", report()).await);
    }
    while !ids.is_empty() {
        let message = host.next().await;
        assert_eq!(message["result"]["content"][0]["text"], "a report", "{message}");
        ids.retain(|id| message["id"] != *id);
    }
    let took = began.elapsed().as_millis();
    drop(paused);
    let measured = estimate(&mut host).await["measured_latency"].clone();
    assert_eq!(measured["calls"], 5, "{measured}");
    let [p50, p95] = ["p50_ms", "p95_ms"].map(|name| u128::from(measured[name].as_u64().unwrap()));
    // Three calls one after another took at least the median each, which is read as at most a quarter too long. With its wait for a turn,
    // the third of five equal calls takes three fifths of the time of all.
    assert!(p50 >= WORK.as_millis() * 3 / 4 && p50 < took / 2, "{measured} of {took} ms");
    // The longest call took what the four others left of the time.
    assert!(p95 * 4 / 5 <= took - 4 * WORK.as_millis(), "{measured} of {took} ms");
    let judged = setup.kernel.operator().judged_tool("write_report").unwrap();
    assert_eq!((judged.units, judged.estimate.measured_latency.unwrap().calls), (4, 5));
}

#[tokio::test]
async fn a_confirmation_shows_a_duration_that_excludes_its_own_time() {
    let setup = setup(Confirmation::Always).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize).can(all())).await;
    let _paused = pause_clock();
    let began = Instant::now();
    let mut texts = Vec::new();
    for _ in 0..2 {
        let call = host.send("tools/call", report()).await;
        let question = loop {
            let message = host.message().await;
            if message["method"] == "elicitation/create" {
                break message;
            }
        };
        texts.push(question["params"]["message"].as_str().unwrap().to_owned());
        tokio::time::sleep(WORK * 4).await;
        let answer = json!({"action": "accept", "content": {"decision": "once"}});
        host.say(json!({"jsonrpc": "2.0", "id": question["id"], "result": answer})).await;
        host.answer_to(call).await;
    }
    let without_answers = began.elapsed() - 2 * (WORK * 4);
    let [first, second]: [String; 2] = texts.try_into().unwrap();
    for claim in [
        "\nIt takes minutes, as its server says.\n",
        "It costs about 4 \"credits\", as its server says.\n",
        "12 of 20 calls are left, as its server says.\n",
    ] {
        assert!(first.contains(claim) && second.contains(claim), "{first}");
    }
    assert!(!first.contains("measured"), "{first}");
    assert!(second.contains("\nThe one call that was measured took at most "), "{second}");
    let measured =
        setup.kernel.operator().judged_tool("write_report").unwrap().estimate.measured_latency.unwrap();
    // A time is read as at most a quarter too long.
    let longest = Duration::from_millis(measured.p95_ms) * 4 / 5;
    assert!(longest < without_answers, "{measured:?} of {without_answers:?}");
}

#[tokio::test]
async fn a_question_for_an_operator_has_the_estimate_of_the_last_call() {
    let spec = spec(Confirmation::Always);
    let setup = start(|kernel, _| kernel.server(spec).approver(Deny)).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize).can(json!({}))).await;
    let _paused = pause_clock();
    host.refused("tools/call", report()).await;
    let row = setup.kernel.confirmations().pending().await.unwrap().pop().unwrap();
    let claims = "It takes minutes, as its server says.\nIt costs about 4 \"credits\", as its server says.\n\
                  12 of 20 calls are left, as its server says.";
    assert_eq!(row.estimate.as_deref(), Some(claims));
    setup
        .kernel
        .confirmations()
        .approve(&row.id, ApprovalTerm::Once, &Principal::operator("ann"))
        .await
        .unwrap();
    host.get("tools/call", report()).await;
    host.refused("tools/call", report()).await;
    let row = setup.kernel.confirmations().pending().await.unwrap().pop().unwrap();
    assert!(row.estimate.unwrap().contains("The one call that was measured took at most "));
}

#[tokio::test]
async fn timed_out_calls_are_measured_and_refused_ones_are_not() {
    let setup = setup(Confirmation::Never).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let _paused = pause_clock();
    host.ask("tools/call", json!({"name": "fail", "arguments": {}})).await;
    host.ask("tools/call", json!({"name": "fail", "arguments": {}, "_meta": {"idempotency_key": "a b"}}))
        .await;
    let measured = setup.kernel.operator().judged_tool("fail").unwrap().estimate.measured_latency.unwrap();
    assert!(measured.calls == 1 && measured.p50_ms >= 800, "{measured:?}");
}
