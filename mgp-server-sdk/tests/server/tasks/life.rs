//! The life of a task: the events that it outlives, and those that end it.

use super::support::{Door, TaskClient, connect, core, takes_tasks};
use crate::support::{Client, settle};
use mgp_server_sdk::{
    CancelToken, Tool,
    task::{StartTask, TaskSupport::Optional},
};
use parking_lot::Mutex;
use serde_json::json;
use std::{future::pending, sync::Arc, time::Duration};
use xtask_testing::until;

#[tokio::test]
async fn a_task_outlives_its_request_and_its_connection() {
    let door = Door::closed();
    let stack = door.server().build().unwrap();
    let mut first = connect(&stack, Some("a"));
    let task = first.begin(1, "wait").await;
    drop(first);
    settle().await;
    let mut second = connect(&stack, Some("a"));
    assert_eq!(second.look(1, &task).await["result"]["status"], "working");
    door.open.add_permits(1);
    let done = second.until(&task, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "through");
}

#[tokio::test]
async fn cancelling_drops_the_handler_and_signals_its_subtasks() {
    let tokens = Arc::new(Mutex::new(Vec::<CancelToken>::new()));
    let kept = tokens.clone();
    let at_once = move |token: CancelToken| {
        kept.lock().push(token);
        pending::<()>()
    };
    let kept = tokens.clone();
    let begins = move |token: CancelToken, start: StartTask| {
        kept.lock().push(token);
        async move {
            start.begin().await;
            pending::<()>().await;
        }
    };
    let door = Door::closed();
    let server = door
        .server()
        .tool(Tool::new("at_once", "", at_once).task(Optional))
        .tool(Tool::new("begins", "", begins).task(Optional));
    let mut client = connect(&server.build().unwrap(), None);
    for (id, tool) in [(1, "at_once"), (2, "begins"), (3, "wait")] {
        let task = client.begin(id, tool).await;
        settle().await;
        let ack =
            client.ask(10 + id, "tasks/cancel", takes_tasks(json!({"taskId": task}))).await["result"].take();
        assert_eq!(ack["resultType"], "complete");
        assert!(ack.get("taskId").is_none() && ack.get("status").is_none(), "{ack}");
        let cancelled = client.look(20 + id, &task).await["result"].take();
        assert_eq!((&cancelled["status"], cancelled.get("result")), (&json!("cancelled"), None));
        // Again it is acknowledged, and changes nothing.
        let again = client.ask(30 + id, "tasks/cancel", takes_tasks(json!({"taskId": task}))).await;
        assert_eq!(again["result"]["resultType"], "complete", "{again}");
    }
    settle().await;
    assert_eq!(door.inside(), 0);
    let tokens = tokens.lock().clone();
    assert!(tokens.len() == 2 && tokens.iter().all(CancelToken::is_cancelled), "{tokens:?}");
}

#[tokio::test]
async fn an_ended_task_stays_unchanged() {
    let door = Door::closed();
    door.open.add_permits(1);
    let mut client = connect(&door.server().build().unwrap(), None);
    let task = client.begin(1, "wait").await;
    client.until(&task, "completed").await;
    client.ask(2, "tasks/cancel", takes_tasks(json!({"taskId": task}))).await;
    assert_eq!(client.look(3, &task).await["result"]["status"], "completed");
}

#[tokio::test]
async fn a_panicking_handler_fails_only_its_own_task() {
    let door = Door::closed();
    let panics = async || -> &'static str { panic!("on purpose") };
    let late = async |start: StartTask| -> &'static str {
        start.begin().await;
        panic!("on purpose")
    };
    let server = door
        .server()
        .tool(Tool::new("panics", "", panics).task(Optional))
        .tool(Tool::new("late", "", late).task(Optional));
    let mut client = connect(&server.build().unwrap(), None);
    let other = client.begin(1, "wait").await;
    for (id, tool) in [(2, "panics"), (3, "late")] {
        let task = client.begin(id, tool).await;
        let failed = client.until(&task, "failed").await;
        assert_eq!(
            failed["error"],
            json!({"code": -32603, "message": "internal error: the handler panicked"})
        );
    }
    assert_eq!(client.look(4, &other).await["result"]["status"], "working");
}

#[tokio::test]
async fn a_stopping_server_waits_for_its_tasks_and_accepts_no_more() {
    let door = Door::closed();
    let stack = door.server().build().unwrap();
    let client = Client::of(&stack, true).await;
    let created = client.request("tools/call", json!({"name": "wait", "task": {}})).await.unwrap();
    settle().await;
    let params = json!({"reason": "operator_request", "timeout_ms": 60_000});
    let answer = client.request("mgp/lifecycle/shutdown", params).await.unwrap();
    assert_eq!(answer["pending_requests"], 1);
    let task = json!({"taskId": created["task"]["taskId"]});
    assert_eq!(client.request("tasks/get", task.clone()).await.unwrap()["status"], "working");
    let refused = client.request("tools/call", json!({"name": "wait", "task": {}})).await.unwrap_err();
    assert_eq!(refused.code, 2001);
    let result = client.start("tasks/result", task).await;
    door.open.add_permits(1);
    let result = crate::support::result(result).await.unwrap();
    assert_eq!(result["content"][0]["text"], "through");
    client.connection.closed().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_beyond_the_shutdown_limit_is_cancelled() {
    let door = Door::closed();
    let stack = door.server().build().unwrap();
    let client = Client::of(&stack, true).await;
    client.request("tools/call", json!({"name": "wait", "task": {}})).await.unwrap();
    settle().await;
    let params = json!({"reason": "operator_request", "timeout_ms": 3000});
    client.request("mgp/lifecycle/shutdown", params).await.unwrap();
    assert_eq!(door.inside(), 1);
    client.connection.closed().await;
    settle().await;
    assert_eq!(door.inside(), 0);
}

#[tokio::test]
async fn tasks_end_with_the_last_handle_of_their_server() {
    let door = Door::closed();
    let stack = door.server().build().unwrap();
    let mut client = core(&stack, None).await;
    client.begin_core(1, "wait").await;
    settle().await;
    assert_eq!(door.inside(), 1);
    drop(client);
    drop(stack);
    until(|| door.inside() == 0).await;
}

#[tokio::test(start_paused = true)]
async fn call_limits_do_not_apply_to_tasks() {
    let door = Door::closed();
    let server = door.server().max_concurrent_calls(1).call_timeout(Duration::from_millis(20));
    let mut client = connect(&server.build().unwrap(), None);
    let tasks = [client.begin(1, "wait").await, client.begin(2, "wait").await];
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert_eq!(door.inside(), 2);
    door.open.add_permits(2);
    for task in &tasks {
        client.until(task, "completed").await;
    }
}
