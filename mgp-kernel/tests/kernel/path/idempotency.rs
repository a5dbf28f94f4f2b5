//! Calls that carry an idempotency key, in front of a plain server that knows nothing of keys.

use crate::{
    raw_host::{As, ERAS, RawHost},
    raw_server::{RawServer, error, result, text},
    support::{Setup, agent_test, number, pass, ready, rule, server_rule, start, within},
};
use mgp_kernel::{Era, Kernel};
use mgp_types::{access::AccessDecision, error::ErrorCode};
use serde_json::{Value, json};
use std::time::Duration;

/// A plain server whose tool says how often it was called.
fn counter() -> RawServer {
    let calls = std::sync::atomic::AtomicU32::new(0);
    RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        let count = || calls.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1;
        (message["method"] == "tools/call").then(|| vec![text(message, &format!("call {}", count()))])
    })
}

async fn setup(server: &RawServer) -> Setup {
    start(|kernel, _| kernel.server(server.spec("srv"))).await
}

fn keyed(key: &str) -> Value {
    json!({"name": "work", "arguments": {"a": 1}, "_meta": {"idempotency_key": key}})
}

fn reached(server: &RawServer) -> usize {
    server.read_of("tools/call").len()
}

#[tokio::test]
async fn one_of_64_calls_with_one_key_runs_and_all_get_its_answer() {
    let server = counter();
    let setup = setup(&server).await;
    let mut hosts = Vec::new();
    for number in 0..8 {
        let era = ERAS[number % 2];
        let this = if number < 4 { As::plain(era) } else { As::mgp(era) };
        let mut host = setup.raw_host(this).await;
        let mut ids = Vec::new();
        for _ in 0..8 {
            ids.push(host.send("tools/call", keyed("op-1")).await);
        }
        hosts.push((host, ids));
    }
    let mut first = 0;
    for (host, ids) in &mut hosts {
        // Answers come in any order.
        while !ids.is_empty() {
            let answer = host.next().await;
            ids.retain(|id| answer["id"] != *id);
            assert_eq!(answer["result"]["content"][0]["text"], "call 1", "{answer}");
            let meta = &answer["result"]["_meta"];
            assert_eq!(meta["idempotency_key"], "op-1", "{answer}");
            assert!(meta["original_timestamp"].as_str().unwrap().ends_with('Z'), "{answer}");
            first += usize::from(meta["was_replay"] == false);
        }
    }
    assert_eq!((reached(&server), first), (1, 1));
    let recorded = setup.calls_recorded(64).await;
    assert!(recorded.iter().all(|call| call == "TOOL_EXECUTED SUCCESS srv.work"), "{recorded:?}");
    let replays = setup.sink.events().into_iter().filter(|event| {
        event.details.as_ref().is_some_and(|details| details.decode("was_replay").unwrap() == Some(true))
    });
    assert_eq!(replays.count(), 63);
}

#[tokio::test]
async fn a_model_writes_the_key_among_the_arguments_of_mgp_tools_call() {
    let server = counter();
    let setup = setup(&server).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let wrapped = |key: &str| {
        let arguments = json!({"name": "work", "arguments": {"a": 1}, "idempotency_key": key});
        json!({"name": "mgp_tools_call", "arguments": arguments})
    };
    let direct = host.get("tools/call", keyed("op-1")).await;
    let replay = host.get("tools/call", wrapped("op-1")).await;
    assert_eq!(direct["content"], replay["content"]);
    assert_eq!((&replay["_meta"]["was_replay"], reached(&server)), (&json!(true), 1));
    let wrong = host.get("tools/call", wrapped("a b")).await;
    assert!(wrong["content"][0]["text"].as_str().unwrap().contains("invalid idempotency_key"), "{wrong}");
}

#[tokio::test]
async fn wrong_keys_and_other_arguments_are_refused_and_recorded() {
    let server = counter();
    let setup = setup(&server).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let wrong = host.refused("tools/call", keyed("a b")).await;
    assert_eq!(wrong["code"], -32602);
    let message = wrong["message"].as_str().unwrap();
    assert!(message.contains("_meta.idempotency_key") && message.contains(r#"found "a b""#), "{wrong}");
    host.get("tools/call", keyed("op-1")).await;
    let mut other = keyed("op-1");
    other["arguments"]["a"] = json!(2);
    let conflict = host.refused("tools/call", other.clone()).await;
    assert_eq!(conflict["code"], number(ErrorCode::InvalidToolArgs));
    assert_eq!(conflict["data"]["code"], "IDEMPOTENCY_CONFLICT", "{conflict}");
    assert_eq!((&conflict["data"]["retryable"], reached(&server)), (&json!(false), 1));
    let mut plain = setup.raw_host(As::plain(Era::Initialize)).await;
    let conflict = plain.refused("tools/call", other).await;
    assert!(conflict["message"].as_str().unwrap().contains("IDEMPOTENCY_CONFLICT"), "{conflict}");
    let recorded = setup.calls_recorded(4).await;
    assert_eq!(recorded.iter().filter(|call| call.starts_with("TOOL_BLOCKED")).count(), 3, "{recorded:?}");
}

#[tokio::test]
async fn an_answer_is_replayed_only_to_callers_with_the_right() {
    let server = counter();
    let setup = setup(&server).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    host.get("tools/call", keyed("op-1")).await;
    setup.kernel.access().put(rule("srv", Some("work"), AccessDecision::Deny)).await.unwrap();
    let refused = host.refused("tools/call", keyed("op-1")).await;
    assert_eq!(refused["code"], number(ErrorCode::AccessDenied), "{refused}");
    setup.kernel.access().put(rule("srv", Some("work"), AccessDecision::Allow)).await.unwrap();
    assert_eq!(host.get("tools/call", keyed("op-1")).await["_meta"]["was_replay"], true);
    // Another agent's key is another key.
    setup.kernel.access().put(server_rule("agent.other", "srv")).await.unwrap();
    let mut other = setup.raw_host(As::mgp(Era::Initialize).of("agent.other")).await;
    assert_eq!(other.get("tools/call", keyed("op-1")).await["content"][0]["text"], "call 2");
    assert_eq!(reached(&server), 2);
}

#[tokio::test]
async fn a_call_that_waited_for_the_first_one_is_judged_again() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        (message["method"] == "tools/call").then(Vec::new)
    });
    let setup = setup(&server).await;
    let mut first = setup.raw_host(As::mgp(Era::Initialize)).await;
    let mut second = setup.raw_host(As::mgp(Era::Initialize)).await;
    let made = first.send("tools/call", keyed("op-1")).await;
    let sent = server.has_read("tools/call", 1).await;
    let waiting = second.send("tools/call", keyed("op-1")).await;
    // It passes the gates, and waits.
    pass(Duration::from_millis(1)).await;
    setup.kernel.access().put(rule("srv", Some("work"), AccessDecision::Deny)).await.unwrap();
    server.say(text(sent.last().unwrap(), "call 1"));
    assert_eq!(first.answer_to(made).await["result"]["content"][0]["text"], "call 1");
    let refused = second.answer_to(waiting).await;
    assert_eq!(refused["error"]["code"], number(ErrorCode::AccessDenied), "{refused}");
}

#[tokio::test]
async fn an_answer_is_replayed_in_the_form_of_each_host() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let answer = json!({"content": [], "_meta": {"mgp": {"note": 1}, "own": 2}});
        (message["method"] == "tools/call").then(|| vec![result(message, answer)])
    });
    let setup = setup(&server).await;
    let mut knowing = setup.raw_host(As::mgp(Era::Initialize)).await;
    let told = knowing.get("tools/call", keyed("op-1")).await;
    assert_eq!((&told["_meta"]["mgp"]["note"], &told["_meta"]["own"]), (&json!(1), &json!(2)), "{told}");
    for era in ERAS {
        let mut plain = setup.raw_host(As::plain(era)).await;
        let told = plain.get("tools/call", keyed("op-1")).await;
        assert_eq!(
            (&told["_meta"]["was_replay"], &told["_meta"]["own"]),
            (&json!(true), &json!(2)),
            "{told}"
        );
        assert!(told["_meta"].get("mgp").is_none(), "{told}");
    }
    assert_eq!(reached(&server), 1);
}

#[tokio::test]
async fn a_call_that_was_lost_with_its_server_is_never_sent_again() {
    // A tool of which nobody says that it may run twice.
    let tools = json!({"tools": [{"name": "work", "inputSchema": {"type": "object"}}]});
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        (message["method"] == "tools/list").then(|| vec![result(message, tools.clone())])
    });
    let server = server.hanging_up_on("tools/call");
    let setup = setup(&server).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let lost = host.refused("tools/call", keyed("op-1")).await;
    assert_eq!(lost["data"]["_mgp"]["details"]["outcome"], "unknown", "{lost}");
    let later = host.refused("tools/call", keyed("op-1")).await;
    assert_eq!(later["data"]["_mgp"]["details"]["outcome"], "unknown", "{later}");
    assert_eq!(later["data"]["_mgp"]["retryable"], false, "{later}");
    assert!(later["message"].as_str().unwrap().contains("not sent again"), "{later}");
    assert_eq!(reached(&server), 1);
}

#[tokio::test]
async fn a_server_s_error_is_replayed() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        (message["method"] == "tools/call").then(|| vec![error(message, -32000, "its own")])
    });
    let setup = setup(&server).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    for replay in [false, true] {
        let failed = host.refused("tools/call", keyed("op-1")).await;
        assert_eq!(
            (&failed["code"], &failed["data"]["_meta"]["was_replay"]),
            (&json!(-32000), &json!(replay))
        );
    }
    assert_eq!(reached(&server), 1);
}

#[tokio::test]
async fn kernels_on_one_state_folder_make_a_call_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = counter();
    let kernel = async || -> Kernel {
        let state = crate::engine::state(folder.path()).await;
        let builder = Kernel::builder().config(agent_test).stores(state.stores().await.unwrap());
        let kernel = builder.server(server.spec("srv")).start().await.unwrap();
        ready(&kernel).await;
        kernel
    };
    let (one, other) = (kernel().await, kernel().await);
    let mut hosts = Vec::new();
    for kernel in [&one, &other] {
        let mut host = RawHost::connect(kernel, As::mgp(Era::Initialize)).await;
        let ids =
            [host.send("tools/call", keyed("op-1")).await, host.send("tools/call", keyed("op-1")).await];
        hosts.push((host, ids));
    }
    for (host, ids) in &mut hosts {
        for _ in ids {
            // Answers come in any order.
            assert_eq!(host.next().await["result"]["content"][0]["text"], "call 1");
        }
    }
    within(one.shutdown()).await;
    within(other.shutdown()).await;
    drop((hosts, one, other));
    let later = kernel().await;
    let mut host = RawHost::connect(&later, As::plain(Era::Stateless)).await;
    let replay = host.get("tools/call", keyed("op-1")).await;
    assert_eq!(
        (&replay["content"][0]["text"], &replay["_meta"]["was_replay"]),
        (&json!("call 1"), &json!(true))
    );
    assert_eq!(reached(&server), 1);
}
