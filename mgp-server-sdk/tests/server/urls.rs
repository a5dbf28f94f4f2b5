//! Elicitation by URL, and the clients that are told of its completion.

use crate::support::hello;
use mgp_server_sdk::{
    Notifier, Server, ServerStack, Tool, ToolError, ask::Ask, extract::Args, task::TaskSupport,
};
use mgp_types::mcp::ElicitParams;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use xtask_testing::RawPeer;

const COMPLETE: &str = "notifications/elicitation/complete";

#[derive(Deserialize, JsonSchema)]
struct Open {
    id: String,
}

async fn open(ask: Ask, Args(Open { id }): Args<Open>) -> Result<String, ToolError> {
    let url = ElicitParams::url("Please sign in", "https://127.0.0.1/sign-in", id);
    Ok(ask.elicit("sign in", url).await?.action.to_string())
}

/// Returns a server that sends its users to a URL, and has a tool that says that a user is done there.
fn server() -> ServerStack {
    let done = async |notifier: Notifier, Args(Open { id }): Args<Open>| {
        notifier.elicitation_complete(&id).await.to_string()
    };
    let open = Tool::new("open", "", open).task(TaskSupport::Optional);
    Server::new("s", "1").tool(open).tool(Tool::new("done", "", done)).build().unwrap()
}

async fn client(stack: &ServerStack, version: &str) -> RawPeer {
    let mut client = RawPeer::new(stack.in_process());
    let mut hello = hello(false);
    hello["protocolVersion"] = json!(version);
    hello["capabilities"] = json!({"elicitation": {"url": {}}});
    client.ask(0, "initialize", hello).await;
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    client.ask(1, "ping", json!({})).await;
    client
}

fn call(tool: &str, id: &str) -> Value {
    json!({"name": tool, "arguments": {"id": id}})
}

async fn asked(client: &mut RawPeer, action: &str) -> Value {
    let question = client.message_where(|line| line["method"] == "elicitation/create").await;
    client.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": action}})).await;
    question["params"].clone()
}

/// Calls the tool that sends its user to a URL.
async fn open_url(client: &mut RawPeer, id: &str, action: &str) {
    client.request(7, "tools/call", call("open", id)).await;
    assert_eq!(asked(client, action).await["elicitationId"], id);
    let answer = client.answer_to(7).await;
    assert_eq!(answer["result"]["content"][0]["text"], action, "{answer}");
}

/// Makes the server say that a user is done. Returns whether there was a client to tell.
async fn complete(client: &mut RawPeer, id: &str) -> bool {
    let answer = client.ask(8, "tools/call", call("done", id)).await;
    answer["result"]["content"][0]["text"].as_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn only_the_asked_client_is_notified_and_only_once() {
    let stack = server();
    let (mut one, mut other) = (client(&stack, "2025-11-25").await, client(&stack, "2025-11-25").await);
    open_url(&mut one, "a", "accept").await;
    open_url(&mut other, "b", "accept").await;
    assert!(!complete(&mut other, "c").await);
    assert!(complete(&mut other, "a").await);
    let told = one.message_where(|line| line["method"] == COMPLETE).await;
    assert_eq!(told, json!({"jsonrpc": "2.0", "method": COMPLETE, "params": {"elicitationId": "a"}}));
    assert!(!complete(&mut other, "a").await);
    other.ask(9, "ping", json!({})).await;
    assert!(!other.read.concat().contains(COMPLETE), "{:?}", other.read);
    assert!(complete(&mut one, "b").await);
    assert_eq!(one.read.concat().matches(COMPLETE).count(), 1);
}

#[tokio::test]
async fn a_user_who_did_not_agree_to_open_the_url_completes_nothing() {
    let stack = server();
    let mut client = client(&stack, "2025-11-25").await;
    for action in ["decline", "cancel"] {
        open_url(&mut client, "a", action).await;
        assert!(!complete(&mut client, "a").await);
    }
    assert!(!client.read.concat().contains(COMPLETE), "{:?}", client.read);
}

#[tokio::test]
async fn an_earlier_revision_is_not_notified() {
    let stack = server();
    let mut client = client(&stack, "2025-06-18").await;
    open_url(&mut client, "a", "accept").await;
    assert!(!complete(&mut client, "a").await);
    client.ask(9, "ping", json!({})).await;
    assert!(!client.read.concat().contains(COMPLETE), "{:?}", client.read);
}

#[tokio::test]
async fn the_stateless_era_is_not_notified_even_if_it_listens() {
    let with_meta = |mut params: Value| {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"url": {}}},
        });
        params
    };
    let stack = server();
    let mut client = RawPeer::new(stack.in_process());
    let listen = with_meta(json!({"notifications": {"toolsListChanged": true}}));
    client.request(1, "subscriptions/listen", listen).await;
    let round = client.ask(2, "tools/call", with_meta(call("open", "a"))).await["result"].take();
    assert_eq!(round["inputRequests"]["sign in"]["params"]["elicitationId"], "a", "{round}");
    let mut again = call("open", "a");
    again["inputResponses"] = json!({"sign in": {"action": "accept"}});
    again["requestState"] = round["requestState"].clone();
    let answer = client.ask(3, "tools/call", with_meta(again)).await;
    assert_eq!(answer["result"]["content"][0]["text"], "accept", "{answer}");
    let answer = client.ask(4, "tools/call", with_meta(call("done", "a"))).await;
    assert_eq!(answer["result"]["content"][0]["text"], "false", "{answer}");
    client.ask(5, "tools/list", with_meta(json!({}))).await;
    assert!(!client.read.concat().contains(COMPLETE), "{:?}", client.read);
}

#[tokio::test]
async fn a_task_s_url_is_reported_to_the_client_that_was_asked() {
    let stack = server();
    let (mut maker, mut waiter) = (client(&stack, "2025-11-25").await, client(&stack, "2025-11-25").await);
    let mut params = call("open", "a");
    params["task"] = json!({});
    let task = maker.ask(2, "tools/call", params).await["result"]["task"]["taskId"].take();
    waiter.request(3, "tasks/result", json!({"taskId": task})).await;
    asked(&mut waiter, "accept").await;
    waiter.answer_to(3).await;
    assert!(complete(&mut maker, "a").await);
    waiter.message_where(|line| line["method"] == COMPLETE).await;
    maker.ask(9, "ping", json!({})).await;
    assert!(!maker.read.concat().contains(COMPLETE), "{:?}", maker.read);
}
