//! Limits stand around tools, and around nothing else.

use crate::support::{Client, result, settle};
use mgp_server_sdk::{Server, Tool, extract::State};
use serde_json::json;
use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Semaphore;
use xtask_testing::within;

#[derive(Clone)]
struct Door {
    inside: Arc<AtomicUsize>,
    open: Arc<Semaphore>,
}

async fn wait(State(door): State<Door>) -> &'static str {
    door.inside.fetch_add(1, Ordering::SeqCst);
    door.open.acquire().await.unwrap().forget();
    "through"
}

#[tokio::test]
async fn of_n_plus_one_calls_n_run_and_all_are_answered() {
    let door = Door { inside: Arc::default(), open: Arc::new(Semaphore::new(0)) };
    let server = Server::new("s", "1").tool(Tool::new("wait", "", wait)).state(door.clone());
    let client = Client::plain(server.max_concurrent_calls(3)).await;
    let mut calls = Vec::new();
    for _ in 0..4 {
        calls.push(client.start("tools/call", json!({"name": "wait"})).await);
    }
    settle().await;
    assert_eq!(door.inside.load(Ordering::SeqCst), 3);
    // A call that waits for a permit holds up nothing else.
    client.request("ping", json!({})).await.unwrap();
    client.request("tools/list", json!({})).await.unwrap();
    door.open.add_permits(4);
    for call in calls {
        assert_eq!(result(call).await.unwrap()["content"][0]["text"], "through");
    }
    assert_eq!(door.inside.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn the_limit_is_per_server_and_not_per_connection() {
    let door = Door { inside: Arc::default(), open: Arc::new(Semaphore::new(0)) };
    let server = Server::new("s", "1").tool(Tool::new("wait", "", wait)).state(door.clone());
    let stack = server.max_concurrent_calls(1).build().unwrap();
    let (one, other) = (Client::of(&stack, false).await, Client::of(&stack, true).await);
    let first = one.start("tools/call", json!({"name": "wait"})).await;
    settle().await;
    let second = other.start("tools/call", json!({"name": "wait"})).await;
    settle().await;
    assert_eq!(door.inside.load(Ordering::SeqCst), 1);
    door.open.add_permits(2);
    assert!(result(first).await.is_ok() && result(second).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_overlong_call_is_answered_with_a_timeout() {
    let forever = Tool::new("forever", "", pending::<()>);
    let server = || Server::new("s", "1").call_timeout(Duration::from_secs(5));
    let client = Client::mgp(server().tool(forever)).await;
    let before = tokio::time::Instant::now();
    let answer = within(client.call("forever", json!({}))).await;
    assert_eq!(answer.unwrap_err().code, 3003);
    assert_eq!(before.elapsed().as_secs(), 5);
    let quick = Client::mgp(server().tool(Tool::new("quick", "", async || "q"))).await;
    assert_eq!(quick.text("quick", json!({})).await, "q");
}
