//! A task belongs to its principal alone.

use super::support::{Door, TaskClient, connect, core, takes_tasks};
use serde_json::{Value, json};
use std::collections::HashSet;

#[tokio::test]
async fn another_principal_s_task_does_not_exist() {
    let door = Door::closed();
    let stack = door.server().build().unwrap();
    let (mut own, mut other, mut nobody) =
        (connect(&stack, Some("a")), connect(&stack, Some("b")), connect(&stack, None));
    let task = own.begin(1, "wait").await;
    for stranger in [&mut other, &mut nobody] {
        for (method, more) in [
            ("tasks/get", json!({})),
            ("tasks/update", json!({"inputResponses": {}})),
            ("tasks/cancel", json!({})),
        ] {
            let ask = |id: &Value| {
                let mut params = takes_tasks(json!({"taskId": id}));
                params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                params
            };
            let foreign = stranger.ask(2, method, ask(&task)).await["error"].take();
            let unknown = stranger.ask(3, method, ask(&json!("f".repeat(32)))).await["error"].take();
            assert_eq!(foreign["code"], -32602, "{method}: {foreign}");
            let message = |error: &Value, id: &str| error["message"].as_str().unwrap().replace(id, "");
            let told = message(&foreign, task.as_str().unwrap());
            assert_eq!(told, message(&unknown, &"f".repeat(32)), "nothing tells it from one that never was");
        }
        let filter = takes_tasks(json!({"notifications": {"taskIds": [task]}}));
        stranger.request(9, "subscriptions/listen", filter).await;
        let acknowledged = stranger.message().await;
        assert_eq!(acknowledged["params"]["notifications"], json!({}));
    }
    assert_eq!(own.look(4, &task).await["result"]["status"], "working");
}

#[tokio::test]
async fn a_list_and_a_result_belong_to_their_principal_too() {
    let door = Door::closed();
    let stack = door.server().build().unwrap();
    let (mut own, mut other) = (core(&stack, Some("a")).await, core(&stack, Some("b")).await);
    let task = own.begin_core(1, "wait").await;
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        let refused = other.ask(2, method, json!({"taskId": task})).await;
        assert_eq!(refused["error"]["code"], -32602, "{method}: {refused}");
    }
    assert_eq!(other.ask(3, "tasks/list", json!({})).await["result"], json!({"tasks": []}));
    // The same principal has its tasks on all its connections.
    let mut elsewhere = core(&stack, Some("a")).await;
    assert_eq!(elsewhere.ask(1, "tasks/list", json!({})).await["result"]["tasks"][0]["taskId"], task);
    // A caller without a name sees those of its own session.
    let (mut nobody, mut stranger) = (core(&stack, None).await, core(&stack, None).await);
    let task = nobody.begin_core(1, "wait").await;
    assert_eq!(nobody.ask(2, "tasks/list", json!({})).await["result"]["tasks"][0]["taskId"], task);
    assert_eq!(stranger.ask(2, "tasks/list", json!({})).await["result"], json!({"tasks": []}));
    assert_eq!(stranger.ask(3, "tasks/get", json!({"taskId": task})).await["result"]["status"], "working");
}

#[tokio::test]
async fn an_id_is_128_unguessable_bits() {
    let mut client = connect(&Door::closed().server().build().unwrap(), None);
    let mut ids = HashSet::new();
    for id in 1..=50 {
        let task = client.begin(id, "wait").await.as_str().unwrap().to_owned();
        assert!(task.len() == 32 && task.bytes().all(|byte| byte.is_ascii_hexdigit()), "{task}");
        ids.insert(task);
    }
    assert_eq!(ids.len(), 50);
    let prefixes: HashSet<_> = ids.iter().map(|id| &id[..8]).collect();
    assert_eq!(prefixes.len(), 50, "no part of an id counts up: {ids:?}");
}
