//! The bounds on the number of tasks, on their lifetime and on the length of their results.

use super::support::{Door, TaskClient, connect, core, takes_tasks};
use mgp_server_sdk::{
    Server, Tool,
    extract::Args,
    task::{TaskLimits, TaskSupport::Optional},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;
use xtask_testing::{RawPeer, until};

#[tokio::test]
async fn tasks_are_bounded_per_principal_and_in_total() {
    let limits = TaskLimits { tasks: 3, tasks_per_principal: 2, ..TaskLimits::default() };
    let door = Door::closed();
    let stack = door.server().task_limits(limits).build().unwrap();
    let (mut one, mut other) = (connect(&stack, Some("a")), connect(&stack, Some("b")));
    let refused = async |client: &mut RawPeer| {
        let refused = client.ask(9, "tools/call", takes_tasks(json!({"name": "wait"}))).await["error"].take();
        assert_eq!(refused["code"], -32603, "{refused}");
        refused["message"].as_str().unwrap().to_owned()
    };
    one.begin(1, "wait").await;
    one.begin(2, "wait").await;
    assert!(refused(&mut one).await.contains("2 tasks of one caller"));
    other.begin(1, "wait").await;
    assert!(refused(&mut other).await.contains("3 tasks in all"));
    until(|| door.inside() >= 3).await;
    assert_eq!(door.inside(), 3, "what was refused does not run");
}

#[tokio::test(start_paused = true)]
async fn an_expired_task_is_stopped_and_forgotten() {
    let limits =
        TaskLimits { tasks_per_principal: 2, longest_ttl: Duration::from_secs(50), ..TaskLimits::default() };
    let door = Door::closed();
    let stack = door.server().task_limits(limits).build().unwrap();
    let mut client = core(&stack, None).await;
    let asked = |ttl: u64| json!({"name": "wait", "task": {"ttl": ttl}});
    let longest = client.ask(1, "tools/call", asked(u64::MAX)).await["result"]["task"].take();
    assert_eq!(longest["ttl"], 50_000);
    let short = client.ask(2, "tools/call", asked(10_000)).await["result"]["task"]["taskId"].take();
    crate::support::settle().await;
    assert_eq!(door.inside(), 2);
    tokio::time::sleep(Duration::from_secs(11)).await;
    crate::support::settle().await;
    assert_eq!(door.inside(), 1);
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        assert_eq!(
            client.ask(3, method, json!({"taskId": short})).await["error"]["code"],
            -32602,
            "{method}"
        );
    }
    // A task that has ended is kept for the same time, and then makes room.
    door.open.add_permits(1);
    client.until_core(&longest["taskId"], "completed").await;
    tokio::time::sleep(Duration::from_secs(40)).await;
    crate::support::settle().await;
    assert_eq!(client.ask(4, "tasks/list", json!({})).await["result"], json!({"tasks": []}));
    client.begin_core(5, "wait").await;
    client.begin_core(6, "wait").await;
}

#[derive(Deserialize, JsonSchema)]
struct Long {
    bytes: usize,
}

#[tokio::test(start_paused = true)]
async fn results_are_bounded_each_and_in_total() {
    let limits = TaskLimits {
        result_bytes: 300,
        kept_bytes: 500,
        ttl: Duration::from_secs(60),
        ..TaskLimits::default()
    };
    let long = async |Args(Long { bytes }): Args<Long>| "x".repeat(bytes);
    let server = Server::new("s", "1").tool(Tool::new("long", "", long).task(Optional)).task_limits(limits);
    let mut client = connect(&server.build().unwrap(), None);
    let mut call = async |bytes: usize, status: &str| {
        let params = takes_tasks(json!({"name": "long", "arguments": {"bytes": bytes}}));
        let task = client.ask(1, "tools/call", params).await["result"]["taskId"].take();
        client.until(&task, status).await
    };
    call(200, "completed").await;
    let failed = call(400, "failed").await["error"].take();
    assert_eq!(failed["code"], -32603);
    assert!(failed["message"].as_str().unwrap().contains("at most 300 bytes"), "{failed}");
    call(200, "completed").await;
    let failed = call(200, "failed").await["error"].take();
    assert!(failed["message"].as_str().unwrap().contains("cannot be kept"), "{failed}");
    tokio::time::sleep(Duration::from_secs(61)).await;
    call(200, "completed").await;
}

#[tokio::test]
async fn limits_without_any_task_are_refused() {
    for limits in [
        TaskLimits { tasks: 0, ..TaskLimits::default() },
        TaskLimits { tasks_per_principal: 0, ..TaskLimits::default() },
    ] {
        let error = Door::closed().server().task_limits(limits).build().unwrap_err();
        assert!(error.to_string().contains("task_limits"), "{error}");
    }
}
