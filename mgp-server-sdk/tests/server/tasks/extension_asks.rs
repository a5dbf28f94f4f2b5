//! The extension of the stateless revisions: the questions of a task, and those that its call asked before it became one.

use super::support::{Door, TaskClient, connect, name, named, takes_none, takes_tasks};
use mgp_server_sdk::{
    CancelToken, Server, Tool, ToolError,
    ask::Ask,
    task::{
        StartTask,
        TaskSupport::{Optional, Required},
    },
};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use xtask_testing::until_some;

/// Asks for two names at once, then for a third, and counts its runs.
fn curious(runs: &Arc<AtomicUsize>) -> Tool {
    let runs = runs.clone();
    let handler = move |ask: Ask| {
        runs.fetch_add(1, Ordering::SeqCst);
        async move {
            let (one, two) = tokio::join!(name(&ask, "one"), name(&ask, "two"));
            let three = name(&ask, "three").await?;
            let again = name(&ask, "one").await?;
            Ok::<_, ToolError>(format!("{} {} {three} {again}", one?, two?))
        }
    };
    Tool::new("curious", "", handler).task(Required)
}

fn keys(task: &Value) -> Vec<&String> {
    task["inputRequests"].as_object().unwrap().keys().collect()
}

#[tokio::test]
async fn a_task_s_questions_are_answered_in_parts_without_replay() {
    let runs = Arc::default();
    let stack = Server::new("s", "1").tool(curious(&runs)).build().unwrap();
    let mut client = connect(&stack, None);
    let task = client.begin(1, "curious").await;
    let asks = client.until(&task, "input_required").await;
    assert_eq!(keys(&asks), ["one", "two"]);
    assert_eq!(asks["inputRequests"]["one"]["method"], "elicitation/create");
    let update = |answers: Value| takes_tasks(json!({"taskId": task, "inputResponses": answers}));
    let acknowledged =
        client.ask(2, "tasks/update", update(json!({"one": named("a"), "z": {"ignored": true}}))).await;
    let mut keys_of: Vec<_> = acknowledged["result"].as_object().unwrap().keys().collect();
    keys_of.sort();
    assert_eq!(keys_of, ["_meta", "resultType"], "{acknowledged}");
    let asks = client.look(3, &task).await["result"].take();
    assert_eq!((&asks["status"], keys(&asks)), (&json!("input_required"), vec![&"two".to_owned()]));
    // An answer that cannot be read does not count, and the question stays.
    let refused = client.ask(4, "tasks/update", update(json!({"two": 7}))).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert_eq!(keys(&client.look(5, &task).await["result"]), ["two"]);
    client.ask(6, "tasks/update", update(json!({"one": named("x"), "two": named("b")}))).await;
    until_some(async || {
        let asks = client.until(&task, "input_required").await;
        (keys(&asks) == ["three"]).then_some(())
    })
    .await;
    client.ask(7, "tasks/update", update(json!({"three": named("c")}))).await;
    let done = client.until(&task, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "a b c a");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    let late = client.ask(8, "tasks/update", update(json!({"three": named("d")}))).await;
    assert_eq!(late["result"]["resultType"], "complete", "{late}");
}

#[tokio::test]
async fn a_task_is_cancelled_during_a_question() {
    let runs = Arc::default();
    let stack = Server::new("s", "1").tool(curious(&runs)).build().unwrap();
    let mut client = connect(&stack, None);
    let task = client.begin(1, "curious").await;
    client.until(&task, "input_required").await;
    client.ask(2, "tasks/cancel", takes_tasks(json!({"taskId": task}))).await;
    let cancelled = client.look(3, &task).await["result"].take();
    assert_eq!((&cancelled["status"], cancelled.get("inputRequests")), (&json!("cancelled"), None));
    let update = takes_tasks(json!({"taskId": task, "inputResponses": {"one": named("a")}}));
    assert!(client.ask(4, "tasks/update", update).await["result"].is_object());
    assert_eq!(client.look(5, &task).await["result"]["status"], "cancelled");
}

/// Asks before its call becomes a task, and again as a task; waits behind a door between the two.
fn asks_first(runs: &Arc<AtomicUsize>, door: &Door) -> Tool {
    let (runs, open) = (runs.clone(), door.open.clone());
    let handler = move |ask: Ask, start: StartTask| {
        runs.fetch_add(1, Ordering::SeqCst);
        let open = open.clone();
        async move {
            let first = name(&ask, "first").await?;
            let task = start.begin().await;
            open.acquire().await?.forget();
            let again = name(&ask, "first").await?;
            let second = name(&ask, "second").await?;
            Ok::<_, ToolError>(format!("{first} {again} {second} {}", task.is_some()))
        }
    };
    Tool::new("first", "", handler).task(Optional)
}

#[tokio::test]
async fn a_handler_that_asks_first_becomes_a_task_and_continues() {
    let (runs, door) = (Arc::default(), Door::closed());
    let stack = Server::new("s", "1").tool(asks_first(&runs, &door)).build().unwrap();
    let mut client = connect(&stack, None);
    let round = client.ask(1, "tools/call", takes_tasks(json!({"name": "first"}))).await["result"].take();
    assert_eq!((&round["resultType"], round.get("taskId")), (&json!("input_required"), None));
    let again = json!({
        "name": "first",
        "inputResponses": {"first": named("a")},
        "requestState": round["requestState"],
    });
    let created = client.ask(2, "tools/call", takes_tasks(again)).await["result"].take();
    assert_eq!((&created["resultType"], &created["status"]), (&json!("task"), &json!("working")));
    assert!(created.get("requestState").is_none() && created.get("inputRequests").is_none(), "{created}");
    door.open.add_permits(1);
    let task = &created["taskId"];
    assert_eq!(keys(&client.until(task, "input_required").await), ["second"]);
    let answers = json!({"taskId": task, "inputResponses": {"second": named("b")}});
    client.ask(3, "tasks/update", takes_tasks(answers)).await;
    let done = client.until(task, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "a a b true");
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_handler_begins_no_task_for_a_client_without_tasks() {
    let (runs, door) = (Arc::default(), Door::closed());
    door.open.add_permits(9);
    let stack = Server::new("s", "1").tool(asks_first(&runs, &door)).build().unwrap();
    let mut client = connect(&stack, None);
    let mut params = takes_none(json!({"name": "first"}));
    params["inputResponses"] = json!({"first": named("a"), "second": named("b")});
    let answer = client.ask(1, "tools/call", params).await;
    assert_eq!(answer["result"]["content"][0]["text"], "a a b false", "{answer}");
}

#[tokio::test]
async fn a_call_cancelled_before_its_task_begins_starts_none() {
    let tokens = Arc::new(parking_lot::Mutex::new(Vec::<CancelToken>::new()));
    let kept = tokens.clone();
    let handler = move |token: CancelToken, start: StartTask| {
        kept.lock().push(token);
        async move {
            std::future::pending::<()>().await;
            start.begin().await;
        }
    };
    let stack = Server::new("s", "1").tool(Tool::new("never", "", handler).task(Optional)).build().unwrap();
    let mut client = connect(&stack, None);
    let params = takes_tasks(json!({"name": "never"}));
    client.request(1, "tools/call", params).await;
    client.ask(2, "tools/list", takes_tasks(json!({}))).await;
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    let token = tokens.lock()[0].clone();
    token.cancelled().await;
}
