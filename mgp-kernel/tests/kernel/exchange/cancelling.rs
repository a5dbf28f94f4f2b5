//! §12.7 Calls that end early, at servers that are asked for their partial results.

use crate::{
    exchange::result_secrets::token,
    raw_host::{As, RawHost},
    raw_server::{RawServer, error, result, says, text},
    support::{idle, pause_clock, start, within},
};
use mgp_client_sdk::{
    EraChoice,
    client::{CancelOutcome, Client, ToolEvent},
};
use mgp_kernel::{Era, SecretPolicy};
use mgp_types::{audit::AuditResult, mcp::CallToolResult};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

const CANCEL: &str = "mgp/stream/cancel";

fn content(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

/// Returns a server that streams `so ` and goes on, and answers a cancellation of the call with `answers`.
fn endless(answers: impl Fn(&Value) -> Vec<Value> + Send + Sync + 'static) -> RawServer {
    let capabilities = json!({"tools": {}, "mgp": {"version": "0.3.0", "extensions": ["streaming"]}});
    RawServer::new(Era::Initialize, capabilities, move |message| match message["method"].as_str() {
        Some("tools/call") => {
            let chunk =
                json!({"request_id": message["id"], "index": 0, "content": {"type": "text", "text": "so "}});
            Some(vec![says(None, "notifications/mgp.stream.chunk", chunk)])
        }
        Some(CANCEL) => Some(answers(message)),
        _ => None,
    })
}

/// Returns the answer of a server that has cancelled a call.
fn cancelled(cancel: &Value, partial: &Value) -> Value {
    result(cancel, json!({"cancelled": true, "partial_result": partial}))
}

/// Returns a server's answer to the cancelled call itself.
fn own_answer(cancel: &Value, mut partial: Value) -> Value {
    partial["_mgp"] = json!({"cancelled": true});
    result(&json!({"id": cancel["params"]["request_id"]}), partial)
}

/// Streams a call of `work` through the kernel, and cancels it after its first chunk. Returns the outcome, the recorded result, and the time
/// that the cancellation took.
async fn cancel(server: &RawServer, secrets: SecretPolicy) -> (CancelOutcome, AuditResult, Duration) {
    let setup = start(|kernel, _| {
        let mut spec = server.spec("srv");
        spec.secrets = secrets;
        kernel.server(spec)
    })
    .await;
    let host = setup.host().await;
    let mut call = host.stream("work", ());
    if secrets == SecretPolicy::Off {
        assert!(matches!(within(call.next()).await, Some(ToolEvent::Chunk(_))));
    } else {
        let next = call.next();
        tokio::select! {
            _ = next => panic!("a chunk that may hold a part of a secret was forwarded"),
            _ = server.has_read("tools/call", 1) => {}
        }
    }
    let paused = pause_clock();
    let began = Instant::now();
    let outcome = within(call.cancel()).await.unwrap();
    let took = began.elapsed();
    drop(paused);
    setup.calls_recorded(1).await;
    (outcome, setup.sink.events().last().unwrap().result, took)
}

fn partial(outcome: CancelOutcome) -> CallToolResult {
    match outcome {
        CancelOutcome::Cancelled(Some(partial)) => partial,
        other => panic!("expected a partial result, found {other:?}"),
    }
}

fn texts(result: &CallToolResult) -> Vec<&str> {
    result.content.iter().filter_map(|block| block.as_text()).collect()
}

#[tokio::test]
async fn a_cancelled_call_returns_the_partial_result_of_its_server() {
    let own = json!({"content": content("the server's own"), "structuredContent": {"a": 1}});
    let first = own.clone();
    for server in [
        // Only the cancellation is answered, or only the call, or both in either order.
        endless({
            let own = own.clone();
            move |cancel| vec![cancelled(cancel, &own)]
        }),
        endless({
            let own = own.clone();
            move |cancel| vec![own_answer(cancel, own.clone())]
        }),
        endless({
            let own = own.clone();
            move |cancel| vec![own_answer(cancel, own.clone()), cancelled(cancel, &own)]
        }),
        endless(move |cancel| vec![cancelled(cancel, &first), own_answer(cancel, first.clone())]),
    ] {
        let (outcome, recorded, _) = cancel(&server, SecretPolicy::Off).await;
        let partial = partial(outcome);
        assert_eq!(texts(&partial), ["the server's own"]);
        assert_eq!(partial.structured_content.unwrap().as_str(), r#"{"a":1}"#);
        assert_eq!(recorded, AuditResult::Failure);
        let told = &server.read_of(CANCEL)[0]["params"];
        assert_eq!(told["request_id"], server.read_of("tools/call")[0]["id"]);
        assert_eq!(told["reason"], "the host cancelled the call");
    }
}

#[tokio::test]
async fn a_stateless_host_gets_the_partial_result_too() {
    let server = endless(|cancel| vec![own_answer(cancel, json!({"content": content("the server's own")}))]);
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let host = Client::builder("test host", "1.0.0").era(EraChoice::Known(Era::Stateless));
    let host = setup.host_with(host).await;
    let mut call = host.stream("work", ());
    assert!(matches!(within(call.next()).await, Some(ToolEvent::Chunk(_))));
    let paused = pause_clock();
    let partial = partial(within(call.cancel()).await.unwrap());
    drop(paused);
    assert_eq!(texts(&partial), ["the server's own"]);
    assert_eq!(server.read_of(CANCEL)[0]["params"]["reason"], "the host cancelled the call");
    setup.calls_recorded(1).await;
    assert_eq!(setup.sink.events().last().unwrap().result, AuditResult::Failure);
}

#[tokio::test]
async fn a_server_without_a_partial_result_is_awaited_only_shortly() {
    let silent = endless(|_| vec![]);
    let (outcome, _, took) = cancel(&silent, SecretPolicy::Off).await;
    assert_eq!(texts(&partial(outcome)), ["so "], "what the kernel has relayed");
    assert!(took < Duration::from_secs(5), "{took:?}");
    within(silent.has_read("notifications/cancelled", 1)).await;

    for without in [
        endless(|cancel| vec![error(cancel, -32601, "no such method")]),
        endless(|cancel| vec![result(cancel, json!({"cancelled": true}))]),
    ] {
        let (outcome, _, took) = cancel(&without, SecretPolicy::Off).await;
        assert_eq!(texts(&partial(outcome)), ["so "]);
        // The kernel waits for two seconds where an answer may come.
        assert!(took < Duration::from_secs(2), "{took:?}");
    }
}

#[tokio::test]
async fn an_answer_before_the_cancellation_is_delivered() {
    let server = endless(|cancel| {
        let call = json!({"id": cancel["params"]["request_id"]});
        vec![text(&call, "the whole"), result(cancel, json!({"cancelled": false, "reason": "not_active"}))]
    });
    let (outcome, recorded, _) = cancel(&server, SecretPolicy::Off).await;
    let CancelOutcome::Answered(answer) = outcome else { panic!("expected the answer, found {outcome:?}") };
    assert_eq!((texts(&answer), recorded), (vec!["the whole"], AuditResult::Success));
}

/// Returns the answer to a request, which may have been read already.
async fn reply_to(host: &mut RawHost, id: i64) -> Value {
    let read = host.read.iter().find(|message| message["id"] == id && message.get("method").is_none());
    match read.cloned() {
        Some(read) => read,
        None => host.answer_to(id).await,
    }
}

#[tokio::test]
async fn both_answers_hold_the_masked_partial_result() {
    for policy in [SecretPolicy::Off, SecretPolicy::Mask] {
        let own = json!({"content": content(&token())});
        let server = endless(move |cancel| vec![cancelled(cancel, &own), own_answer(cancel, own.clone())]);
        let setup = start(|kernel, _| {
            let mut spec = server.spec("srv");
            spec.secrets = policy;
            kernel.server(spec)
        })
        .await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        let call = host.send("tools/call", json!({"name": "work", "arguments": {}})).await;
        server.has_read("tools/call", 1).await;
        let cancelling = host.send(CANCEL, json!({"request_id": call})).await;
        let (one, other) = (reply_to(&mut host, cancelling).await, reply_to(&mut host, call).await);
        let partial = &one["result"]["partial_result"];
        assert_eq!(partial["content"], other["result"]["content"], "{policy:?}");
        assert_eq!(other["result"]["_mgp"]["cancelled"], true);
        let is_masked = policy == SecretPolicy::Mask;
        assert_eq!(!partial.to_string().contains(&token()), is_masked, "{partial}");
        assert_eq!(!other.to_string().contains(&token()), is_masked, "{other}");
    }
}

#[tokio::test]
async fn a_plain_host_gets_no_partial_result() {
    let server = endless(|cancel| vec![cancelled(cancel, &json!({"content": content("x")}))]);
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let call = host.send("tools/call", json!({"name": "work", "arguments": {}})).await;
    server.has_read("tools/call", 1).await;
    host.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": call}}))
        .await;
    let told = server.has_read(CANCEL, 1).await;
    assert_eq!(told[0]["params"]["request_id"], server.read_of("tools/call")[0]["id"]);
    server.has_read("notifications/cancelled", 1).await;
    setup.calls_recorded(1).await;
    idle().await;
    host.ask("ping", json!({})).await;
    assert!(host.read.iter().all(|message| message["id"] != call), "{:?}", host.read);
}

#[tokio::test]
async fn the_error_of_a_call_that_timed_out_holds_the_partial_result() {
    let own = json!({"content": content("the server's own")});
    let server = endless(move |cancel| vec![cancelled(cancel, &own), own_answer(cancel, own.clone())]);
    let setup = start(|kernel, _| {
        let mut spec = server.spec("srv");
        spec.call_timeout = Duration::from_millis(50);
        kernel.server(spec)
    })
    .await;
    for speaks_mgp in [true, false] {
        let this = if speaks_mgp { As::mgp(Era::Initialize) } else { As::plain(Era::Initialize) };
        let mut host = setup.raw_host(this).await;
        let _paused = pause_clock();
        let call = host.send("tools/call", json!({"name": "work", "arguments": {}})).await;
        let reply = host.answer_to(call).await;
        assert!(reply["error"]["message"].as_str().unwrap().contains("time limit"), "{reply}");
        let details = &reply["error"]["data"]["_mgp"]["details"];
        let expected = if speaks_mgp { content("the server's own") } else { Value::Null };
        assert_eq!(details["partial_result"]["content"], expected, "{reply}");
    }
    let told = server.has_read(CANCEL, 2).await;
    assert_eq!(told[0]["params"]["reason"], "the time limit of the call passed");
}

#[tokio::test]
async fn a_host_that_does_not_read_cannot_delay_a_cancellation() {
    // Each has no room at a host that does not read.
    let chunks = |cancel: &Value| {
        let text = "x".repeat(1_000_000);
        let chunk = |index: u64| {
            let content = json!({"type": "text", "text": text});
            let params =
                json!({"request_id": cancel["params"]["request_id"], "index": index, "content": content});
            says(None, "notifications/mgp.stream.chunk", params)
        };
        (1..=10).map(chunk).collect()
    };
    let server = endless(chunks);
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let call = json!({"name": "work", "arguments": {}, "_mgp": {"stream": true}});
    let call = host.send("tools/call", call).await;
    host.hear("notifications/mgp.stream.chunk").await;
    host.send(CANCEL, json!({"request_id": call})).await;
    server.has_read(CANCEL, 1).await;
    let _paused = pause_clock();
    let began = Instant::now();
    setup.calls_recorded(1).await;
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}
