//! Results that the operator has repeated for a short time.

use crate::{
    raw_server::{RawServer, result, says},
    support::{Setup, agents, full, jump, rule, start, until_some},
};
use mgp_client_sdk::client::{CallOptions, Client};
use mgp_discovery::config::ToolShape;
use mgp_kernel::{Endpoint, Era, InProcess, ServerSpec};
use mgp_server_sdk::{Progress, Server, Tool, ToolError, extract::RawArgs};
use mgp_types::{
    access::{AccessDecision, DefaultPolicy},
    context::Principal,
    json::RawJson,
};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

/// Starts a kernel in front of a server whose tools count their runs: `read`, `write`, which states no hint, and `steps`, which reports
/// progress. All of them have `cache_secs`.
async fn kernel(shape: Value) -> (Setup, Arc<AtomicU32>) {
    let runs = Arc::new(AtomicU32::new(0));
    let count = {
        let runs = runs.clone();
        move || runs.fetch_add(1, Ordering::SeqCst) + 1
    };
    let schema = json!({"type": "object"});
    let answer = |count: Arc<dyn Fn() -> u32 + Send + Sync>| {
        move |RawArgs(arguments): RawArgs| {
            let count = count.clone();
            async move {
                let number = count();
                if arguments.as_str().contains("fail") {
                    return Err(ToolError::from(format!("failed {number}")));
                }
                Ok(format!("run {number}"))
            }
        }
    };
    let count: Arc<dyn Fn() -> u32 + Send + Sync> = Arc::new(count);
    let steps = {
        let count = count.clone();
        move |mut progress: Progress| {
            let count = count.clone();
            async move {
                let _ = progress.report(1.0, None, None).await;
                format!("run {}", count())
            }
        }
    };
    let stack = Server::new("test", "1")
        .tool(Tool::raw("read", "Reads.", schema.clone(), answer(count.clone())).read_only(true))
        .tool(Tool::raw("write", "Notes.", schema, answer(count.clone())))
        .tool(Tool::new("steps", "Reads in steps.", steps).read_only(true))
        .build()
        .unwrap();
    let mut spec = ServerSpec::new("test", Endpoint::InProcess(InProcess::new(move || stack.in_process())));
    spec.default_policy = DefaultPolicy::OptOut;
    let shapes = ["read", "write", "steps"].map(|name| {
        let mut whole = json!({"name": name, "cache_secs": 60});
        whole.as_object_mut().unwrap().extend(shape.as_object().unwrap().clone());
        serde_json::from_value::<ToolShape>(whole).unwrap()
    });
    spec.shapes = shapes.into();
    let setup =
        start(|kernel, _| kernel.server(spec).config(full).config(agents(["agent.test", "agent.other"])))
            .await;
    (setup, runs)
}

/// Calls a tool. Returns its text, and the age of a repeated result.
async fn call(host: &Client, tool: &str, arguments: Value) -> (String, Option<u64>) {
    call_with(host, tool, arguments, CallOptions::new()).await
}

async fn call_with(
    host: &Client,
    tool: &str,
    arguments: Value,
    options: CallOptions,
) -> (String, Option<u64>) {
    let arguments = RawJson::from_value(&arguments).unwrap();
    let result = host.call_tool_with(tool, arguments, options).await.unwrap();
    let text = result.content[0].as_text().unwrap().to_owned();
    let whole: Value = serde_json::to_value(&result).unwrap();
    (text, whole["_meta"]["dev.cloto/cached"]["age_secs"].as_u64())
}

fn run(number: u32, age: Option<u64>) -> (String, Option<u64>) {
    (format!("run {number}"), age)
}

#[tokio::test]
async fn equal_calls_of_one_caller_get_one_result() {
    let (setup, runs) = kernel(json!({})).await;
    let host = setup.host().await;
    assert_eq!(call(&host, "read", json!({"a": 1, "b": 2})).await, run(1, None));
    // The order of members is not a difference.
    assert_eq!(call(&host, "read", json!({"b": 2, "a": 1})).await, run(1, Some(0)));
    assert_eq!(call(&host, "read", json!({"a": 1, "b": 3})).await, run(2, None));
    assert_eq!(call(&host, "read", json!({})).await, run(3, None));
    let other = setup.host_that(Default::default(), Principal::agent("agent.other")).await;
    assert_eq!(call(&other, "read", json!({"a": 1, "b": 2})).await, run(4, None));
    let plain = setup.plain_host().await;
    assert_eq!(call(&plain, "read", json!({"a": 1, "b": 2})).await.1, None);
    assert_eq!(runs.load(Ordering::SeqCst), 5);
    // Each is a call in the trail.
    let events = serde_json::to_string(&setup.sink.events()).unwrap();
    assert_eq!(events.matches(r#""tool_name":"read""#).count(), 6, "{events}");
    assert_eq!(events.matches(r#""cached_secs":0"#).count(), 1, "{events}");
}

#[tokio::test]
async fn a_result_has_an_age_and_an_end() {
    let (setup, _) = kernel(json!({})).await;
    let host = setup.host().await;
    call(&host, "read", json!({})).await;
    jump(Duration::from_secs(20)).await;
    let (text, age) = call(&host, "read", json!({})).await;
    assert_eq!(text, "run 1");
    assert!(age.is_some_and(|age| (20..60).contains(&age)), "{age:?}");
    jump(Duration::from_secs(60)).await;
    assert_eq!(call(&host, "read", json!({})).await, run(2, None));
}

#[tokio::test]
async fn errors_writes_and_reported_progress_are_not_repeated() {
    let (setup, _) = kernel(json!({})).await;
    let host = setup.host().await;
    for number in 1..=2 {
        assert_eq!(call(&host, "read", json!({"fail": 1})).await, (format!("failed {number}"), None));
    }
    for number in 3..=4 {
        assert_eq!(call(&host, "write", json!({})).await, run(number, None));
    }
    for number in 5..=6 {
        let result = host.stream("steps", ()).raw_result().await.unwrap();
        assert_eq!(result.content[0].as_text(), Some(&*format!("run {number}")));
    }
}

#[tokio::test]
async fn the_operator_s_hint_decides() {
    let (setup, _) = kernel(json!({"annotations": {"read_only": true}})).await;
    let host = setup.host().await;
    call(&host, "write", json!({})).await;
    assert_eq!(call(&host, "write", json!({})).await, run(1, Some(0)));
    let (setup, _) = kernel(json!({"annotations": {"read_only": false}})).await;
    let host = setup.host().await;
    call(&host, "read", json!({})).await;
    assert_eq!(call(&host, "read", json!({})).await, run(2, None));
}

#[tokio::test]
async fn gates_and_dry_runs_judge_a_call_with_a_kept_result() {
    let (setup, runs) = kernel(json!({})).await;
    let host = setup.host().await;
    call(&host, "read", json!({})).await;
    let attested = CallOptions::new().attest();
    assert_eq!(call_with(&host, "read", json!({}), attested).await, run(2, None));
    host.check_tool("read", json!({})).await.unwrap();
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    setup.kernel.access().put(rule("test", Some("read"), AccessDecision::Deny)).await.unwrap();
    assert!(host.call_tool("read", RawJson::empty_object()).await.is_err());
}

#[tokio::test]
async fn a_new_definition_drops_the_results() {
    let (version, runs) = (Arc::new(AtomicU32::new(1)), AtomicU32::new(0));
    let listed = version.clone();
    let server = RawServer::new(Era::Initialize, json!({"tools": {"listChanged": true}}), move |message| {
        let answer = match message["method"].as_str()? {
            "tools/list" => {
                let description = format!("Version {}", listed.load(Ordering::SeqCst));
                let hints = json!({"readOnlyHint": true});
                json!({"tools": [
                    {"name": "read", "description": description, "inputSchema": {"type": "object"}, "annotations": hints},
                ]})
            }
            "tools/call" => {
                let text = format!("run {}", runs.fetch_add(1, Ordering::SeqCst) + 1);
                json!({"content": [{"type": "text", "text": text}]})
            }
            _ => return None,
        };
        Some(vec![result(message, answer)])
    });
    let mut spec = server.spec("s");
    spec.default_policy = DefaultPolicy::OptOut;
    spec.shapes =
        serde_json::from_value::<Vec<_>>(json!([{"name": "read", "cache_secs": 60}])).unwrap().into();
    let setup = start(|kernel, _| kernel.server(spec).config(full)).await;
    let host = setup.host().await;
    for age in [None, Some(0)] {
        assert_eq!(call(&host, "read", json!({})).await, run(1, age));
    }
    version.store(2, Ordering::SeqCst);
    server.say(says(None, "notifications/tools/list_changed", json!({})));
    until_some(async || {
        let tools = host.list_tools().await.unwrap();
        tools.into_iter().find(|tool| tool.description.as_deref() == Some("Version 2"))
    })
    .await;
    assert_eq!(call(&host, "read", json!({})).await, run(2, None));
}

#[tokio::test]
async fn a_repeated_result_is_shaped() {
    let (setup, _) = kernel(json!({"arguments": {"by": "${session.agent}"}, "max_tokens": 1})).await;
    let host = setup.host().await;
    for age in [None, Some(0)] {
        assert_eq!(call(&host, "read", json!({})).await, ("run ".to_owned(), age));
    }
}
