//! The beginning of tasks, and the capabilities that a server needs for it.

use super::support::{Door, begin, by_hand, call, capabilities as declared, open, shown};
use crate::{
    scripted::{self, plain, result},
    support::{Way, builder, text, within},
};
use mgp_client_sdk::{
    CallError, Era, EraChoice, RawJson,
    client::{TaskError, TaskStart},
    mcp::{LoggingLevel, tasks::TaskStatus},
};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

const META: &str = "io.modelcontextprotocol/clientCapabilities";

#[tokio::test]
async fn a_server_may_answer_at_once_instead_of_with_a_task() {
    let client = open(Way::Stream(Era::Stateless), &Door::closed()).await.client;
    let start = within(client.call_tool_as_task(call("never"))).await.unwrap();
    assert!(start.task().is_none());
    assert_eq!(text(&within(start.result()).await.unwrap()), "here");
    // A server of the earlier era may ignore that a task was asked for.
    let answers = |line: &Value| {
        plain(line, &declared(Era::Initialize))
            .unwrap_or_else(|| result(json!({"content": [{"type": "text", "text": "here"}]})))
    };
    let choice = EraChoice::Known(Era::Initialize);
    let client = scripted::connect(Arc::new(answers), builder(), choice).await.0.unwrap();
    match within(client.call_tool_as_task(call("any"))).await.unwrap() {
        TaskStart::Answered(result) => assert_eq!(text(&result), "here"),
        TaskStart::Task(task) => panic!("{task:?}"),
    }
}

#[tokio::test]
async fn a_tool_without_task_support_is_refused() {
    let client = open(Way::Stream(Era::Initialize), &Door::closed()).await.client;
    match within(client.call_tool_as_task(call("never"))).await {
        Err(TaskError::Call(CallError::Peer(error))) => assert_eq!(error.code, -32601),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_server_without_tasks_receives_nothing() {
    let extension = "io.modelcontextprotocol/tasks in the extensions of its capabilities";
    let core = "tasks.requests.tools.call in its capabilities";
    for (era, capabilities, expected) in [
        (Era::Initialize, json!({"tools": {}, "tasks": {"list": {}}}), core),
        (Era::Initialize, declared(Era::Stateless), core),
        (Era::Stateless, json!({"tools": {}}), extension),
        (Era::Stateless, declared(Era::Initialize), extension),
    ] {
        let script = move |line: &Value| plain(line, &capabilities).unwrap_or_else(|| result(json!({})));
        let choice = EraChoice::Known(era);
        let (client, lines) = scripted::connect(Arc::new(script), builder(), choice).await;
        let client = client.unwrap();
        let called = within(client.call_tool_as_task(call("any"))).await.map(drop);
        let found = within(client.task("any")).await.map(drop);
        let listed = within(client.tasks()).await.map(drop);
        for error in [called, found, listed].map(Result::unwrap_err) {
            assert_eq!(
                error.to_string(),
                format!("the server cannot run tools as tasks: expected {expected}")
            );
        }
        within(client.ping()).await.unwrap();
        let sent = match era {
            Era::Initialize => vec!["initialize", "notifications/initialized", "ping"],
            Era::Stateless => vec!["server/discover", "server/discover"],
        };
        assert_eq!(lines.methods(), sent);
    }
}

#[tokio::test]
async fn a_server_of_an_earlier_revision_has_no_tasks() {
    let script = |line: &Value| {
        let mut answer = plain(line, &declared(Era::Initialize)).unwrap_or_default();
        if let Some(result) = answer.first_mut() {
            result["result"]["protocolVersion"] = json!("2025-06-18");
        }
        answer
    };
    let choice = EraChoice::Known(Era::Initialize);
    let client = scripted::connect(Arc::new(script), builder(), choice).await.0.unwrap();
    let error = within(client.call_tool_as_task(call("any"))).await.unwrap_err().to_string();
    assert!(error.ends_with("expected the revision 2025-11-25 of MCP or a later one"), "{error}");
}

#[tokio::test]
async fn only_task_requests_declare_task_support() {
    let answer = |method: &str, _: &Value| match method {
        "tasks/get" => result(shown("working", json!({}))),
        _ => result(json!({"resultType": "complete", "tools": []})),
    };
    let (client, lines) = by_hand(Era::Stateless, builder(), answer).await;
    client.set_log_level(LoggingLevel::Info).await.unwrap();
    let task = begin(&client, "any").await;
    within(task.refresh()).await.unwrap();
    within(task.cancel()).await.unwrap();
    within(client.list_tools()).await.unwrap();
    let plain = within(client.call_tool("any", RawJson::empty_object())).await.unwrap_err().to_string();
    assert!(plain.contains("task"), "{plain}");
    let declares = |line: &Value| {
        let extensions = &line["params"]["_meta"][META]["extensions"];
        extensions.get("io.modelcontextprotocol/tasks").is_some()
    };
    for method in ["tasks/get", "tasks/cancel"] {
        assert!(lines.of(method).iter().all(declares), "{method}");
    }
    let calls = lines.of("tools/call");
    assert_eq!(calls.iter().map(declares).collect::<Vec<_>>(), [true, false]);
    assert_eq!(calls[0]["params"]["_meta"]["io.modelcontextprotocol/logLevel"], "info");
    for method in ["server/discover", "tools/list"] {
        assert!(!lines.of(method).is_empty() && !lines.of(method).iter().any(declares), "{method}");
    }
    assert!(calls[0]["params"].get("task").is_none(), "{calls:?}");
}

#[tokio::test]
async fn in_the_era_of_initialize_the_request_sets_the_task_lifetime() {
    let (client, lines) = by_hand(Era::Initialize, builder(), |_, _| Vec::new()).await;
    let start = within(client.call_tool_as_task(call("any").keep_for(Duration::from_secs(2)))).await.unwrap();
    let task = start.task().unwrap();
    assert_eq!((task.id(), task.status()), ("t", TaskStatus::Working));
    assert_eq!((task.ttl(), task.poll_interval()), (Some(Duration::from_secs(60)), None));
    begin(&client, "any").await;
    let asked: Vec<_> = lines.of("tools/call").iter().map(|line| line["params"]["task"].clone()).collect();
    assert_eq!(asked, [json!({"ttl": 2000}), json!({})]);
}

#[tokio::test]
async fn a_task_that_cannot_be_read_is_an_error() {
    for (era, answer) in [
        (Era::Stateless, json!({"resultType": "task", "task": {"taskId": "t"}})),
        (Era::Initialize, json!({"task": {"taskId": "t"}})),
    ] {
        let script =
            move |line: &Value| plain(line, &declared(era)).unwrap_or_else(|| result(answer.clone()));
        let choice = EraChoice::Known(era);
        let client = scripted::connect(Arc::new(script), builder(), choice).await.0.unwrap();
        let error = within(client.call_tool_as_task(call("any"))).await.unwrap_err().to_string();
        assert!(error.starts_with("unexpected result of tools/call"), "{error}");
    }
}
