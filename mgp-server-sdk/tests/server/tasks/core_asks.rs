//! The core form of the revision 2025-11-25: a task's questions are carried by the client that waits for its result.

use super::support::{RELATED, TaskClient, core, name, named};
use mgp_server_sdk::{
    Server, ServerStack, Tool, ToolError,
    ask::Ask,
    task::{StartTask, TaskSupport::Required},
};
use serde_json::{Value, json};
use xtask_testing::RawPeer;

fn curious() -> ServerStack {
    let handler = async |ask: Ask, start: StartTask| {
        // The call is a task already.
        let task = start.begin().await;
        let (one, two) = tokio::join!(name(&ask, "one"), name(&ask, "two"));
        Ok::<_, ToolError>(format!("{} {} {}", one?, two?, task.is_some()))
    };
    Server::new("s", "1").tool(Tool::new("curious", "", handler).task(Required)).build().unwrap()
}

async fn wait_for(client: &mut RawPeer, id: i64, task: &Value) {
    client.request(id, "tasks/result", json!({"taskId": task})).await;
}

/// Returns the next request of the server.
async fn question(client: &mut RawPeer) -> Value {
    client.message_where(|message| message["method"] == "elicitation/create").await
}

async fn answer(client: &mut RawPeer, question: &Value, name: &str) {
    client.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": named(name)})).await;
}

#[tokio::test]
async fn a_client_waiting_for_the_result_is_asked() {
    let stack = curious();
    let mut client = core(&stack, Some("a")).await;
    let task = client.begin_core(1, "curious").await;
    client.until_core(&task, "input_required").await;
    assert!(!client.read.concat().contains("elicitation/create"), "nobody waits yet: {:?}", client.read);
    wait_for(&mut client, 2, &task).await;
    let one = question(&mut client).await;
    assert_eq!(one["params"]["_meta"][RELATED]["taskId"], task);
    let two = question(&mut client).await;
    answer(&mut client, &two, "b").await;
    answer(&mut client, &one, "a").await;
    assert_eq!(client.answer_to(2).await["result"]["content"][0]["text"], "a b true");
}

#[tokio::test]
async fn a_question_of_a_lost_connection_goes_to_the_next_waiter() {
    let stack = curious();
    let mut first = core(&stack, Some("a")).await;
    let task = first.begin_core(1, "curious").await;
    wait_for(&mut first, 2, &task).await;
    let one = question(&mut first).await;
    question(&mut first).await;
    answer(&mut first, &one, "a").await;
    drop(first);
    let mut second = core(&stack, Some("a")).await;
    wait_for(&mut second, 1, &task).await;
    let two = question(&mut second).await;
    answer(&mut second, &two, "b").await;
    assert_eq!(second.answer_to(1).await["result"]["content"][0]["text"], "a b true");
}

#[tokio::test]
async fn a_client_that_stops_waiting_is_not_asked() {
    let stack = curious();
    let mut client = core(&stack, None).await;
    let task = client.begin_core(1, "curious").await;
    wait_for(&mut client, 2, &task).await;
    let (one, two) = (question(&mut client).await, question(&mut client).await);
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}))
        .await;
    client.until_core(&task, "input_required").await;
    wait_for(&mut client, 3, &task).await;
    let again = question(&mut client).await;
    assert!(again["id"] != one["id"] && again["id"] != two["id"], "{again}");
}

#[tokio::test]
async fn a_client_s_refusal_fails_the_question_and_not_the_task() {
    let stack = curious();
    let mut client = core(&stack, None).await;
    let task = client.begin_core(1, "curious").await;
    wait_for(&mut client, 2, &task).await;
    for _ in 0..2 {
        let asked = question(&mut client).await;
        client
            .send(json!({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -1, "message": "busy"}}))
            .await;
    }
    let failed = client.answer_to(2).await["result"].take();
    assert_eq!(failed["isError"], true);
    assert!(failed["content"][0]["text"].as_str().unwrap().contains("busy"), "{failed}");
}
