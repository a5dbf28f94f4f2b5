//! §11 Health and shutdown, and the lane that no limit delays.

use crate::support::{Client, hello, result, settle};
use mgp_server_sdk::{HealthCheck, Server, Tool, Weight, task::TaskSupport};
use mgp_transport::{connection::ConnectionError, memory};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Semaphore;
use xtask_testing::RawPeer;

fn closed() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(0))
}

fn waiting(door: &Arc<Semaphore>) -> Server {
    let door = door.clone();
    let wait = move || {
        let door = door.clone();
        async move {
            door.acquire().await.unwrap().forget();
            "through"
        }
    };
    Server::new("waiting", "1").tool(Tool::new("wait", "", wait)).max_concurrent_calls(1)
}

#[tokio::test]
async fn health_reports_and_counts_running_calls() {
    let door = closed();
    let server = waiting(&door).health_check(HealthCheck::new("disk", Weight::Helpful, async || false));
    let client = Client::mgp(server).await;
    let calls = [
        client.start("tools/call", json!({"name": "wait"})).await,
        client.start("tools/call", json!({"name": "wait"})).await,
    ];
    settle().await;
    // A limit of one is used up: the lane is not held up by it.
    let ping = client.request("mgp/health/ping", json!({})).await.unwrap();
    assert_eq!((&ping["status"], &ping["server_id"]), (&json!("healthy"), &json!("waiting")));
    let status = client.request("mgp/health/status", json!({})).await.unwrap();
    assert_eq!((&status["status"], &status["checks"]), (&json!("degraded"), &json!({"disk": false})));
    assert_eq!((&status["tools_total"], &status["pending_requests"]), (&json!(1), &json!(2)));
    door.add_permits(2);
    for call in calls {
        assert!(result(call).await.is_ok());
    }
}

#[tokio::test]
async fn an_unsolicited_answer_is_ignored() {
    let client = Client::mgp(Server::new("s", "1")).await;
    let respond = |params| client.request("mgp/callback/respond", params);
    let answer = respond(json!({"callback_id": "c", "response": null})).await.unwrap();
    assert_eq!(answer, json!({"accepted": false, "reason": "unknown_callback"}));
    assert_eq!(respond(json!({})).await.unwrap_err().code, -32602);
}

#[tokio::test]
async fn a_stopped_server_finishes_its_calls_before_disconnecting() {
    let door = closed();
    let mut client = Client::mgp(waiting(&door)).await;
    let call = client.start("tools/call", json!({"name": "wait"})).await;
    settle().await;
    let params = json!({"reason": "operator_request", "timeout_ms": 60_000});
    let answer = client.request("mgp/lifecycle/shutdown", params).await.unwrap();
    assert_eq!((&answer["accepted"], &answer["pending_requests"]), (&json!(true), &json!(1)));
    let (method, change) = client.heard().await;
    assert_eq!(method, "notifications/mgp.lifecycle");
    assert_eq!((&change["server_id"], &change["new_state"]), (&json!("waiting"), &json!("draining")));
    assert_eq!(
        (&change["previous_state"], &change["reason"]),
        (&json!("connected"), &json!("operator_request"))
    );
    assert!(change["timestamp"].as_str().unwrap().ends_with('Z'), "{change}");
    let refused = client.call("wait", json!({})).await.unwrap_err();
    assert_eq!(refused.code, 2001);
    assert!(client.request("tools/list", json!({})).await.is_ok());
    door.add_permits(1);
    assert_eq!(result(call).await.unwrap()["content"][0]["text"], "through");
    assert!(matches!(client.connection.closed().await, ConnectionError::Closed));
}

#[tokio::test]
async fn an_idle_stopped_server_answers_before_it_ends() {
    for mgp in [true, false] {
        let client = Client::of(&waiting(&closed()).build().unwrap(), mgp).await;
        let answer = client.request("mgp/lifecycle/shutdown", json!({"reason": "idle_timeout"})).await;
        assert_eq!(answer.unwrap()["accepted"], true);
        assert!(matches!(client.connection.closed().await, ConnectionError::Closed));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_beyond_the_shutdown_limit_is_cut_off() {
    let client = Client::mgp(waiting(&closed())).await;
    let call = client.start("tools/call", json!({"name": "wait"})).await;
    settle().await;
    let before = tokio::time::Instant::now();
    let params = json!({"reason": "operator_request", "timeout_ms": 3000});
    client.request("mgp/lifecycle/shutdown", params).await.unwrap();
    assert!(call.reply().await.is_err());
    assert_eq!(before.elapsed().as_secs(), 3);
}

#[tokio::test]
async fn only_the_starter_or_operator_can_stop_a_server() {
    let stack = waiting(&closed()).build().unwrap();
    let (client, server) = memory::pair();
    let (serving, stack_served) = (stack.connection().over(server.0, server.1), stack.clone());
    tokio::spawn(async move { stack_served.serve(serving).await });
    let mut stranger = RawPeer::new(client);
    stranger.ask(1, "initialize", hello(true)).await;
    let refused = stranger.ask(2, "mgp/lifecycle/shutdown", json!({"reason": "operator_request"})).await;
    assert_eq!(refused["error"]["code"], 1000, "{refused}");
    let client = Client::of(&stack, true).await;
    assert_eq!(client.request("mgp/health/ping", json!({})).await.unwrap()["status"], "healthy");
    let owner = client.request("mgp/lifecycle/shutdown", json!({"reason": "operator_request"})).await;
    assert_eq!(owner.unwrap()["accepted"], true);
}

#[tokio::test]
async fn a_stopped_server_serves_the_next_client_in_its_process() {
    let door = closed();
    let task = Tool::new("task", "", async || "done").task(TaskSupport::Required);
    let stack = waiting(&door).tool(task).build().unwrap();
    for round in 0..3 {
        let mut client = Client::of(&stack, true).await;
        door.add_permits(1);
        assert_eq!(client.text("wait", json!({})).await, "through", "{round}");
        let made = client.request("tools/call", json!({"name": "task", "task": {}})).await.unwrap();
        let result = client.request("tasks/result", json!({"taskId": made["task"]["taskId"]})).await.unwrap();
        assert_eq!(result["content"][0]["text"], "done", "{round}");
        client.request("mgp/lifecycle/shutdown", json!({"reason": "kernel_shutdown"})).await.unwrap();
        while client.heard().await.0 != "notifications/mgp.lifecycle" {}
        // The client may leave before the server has ended its work.
        drop(client);
    }
}

#[tokio::test]
async fn all_connections_of_a_stopping_server_end() {
    let stack = waiting(&closed()).build().unwrap();
    let (one, other) = (Client::of(&stack, true).await, Client::of(&stack, false).await);
    one.request("mgp/lifecycle/shutdown", json!({"reason": "kernel_shutdown"})).await.unwrap();
    one.connection.closed().await;
    let Client { connection, mut heard, .. } = other;
    connection.closed().await;
    // A plain client is not told why.
    assert_eq!(heard.recv().await, None);
}
