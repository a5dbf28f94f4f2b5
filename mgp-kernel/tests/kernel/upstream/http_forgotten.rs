//! A server over HTTP that has forgotten its session.

use crate::{
    raw_host::{As, RawHost},
    raw_server::{error, result, text},
    support::{Setup, server_rule, start, until},
};
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{MethodRouter, post},
};
use mgp_kernel::{Endpoint, Era, EraChoice, HttpClientConfig, ServerSpec};
use mgp_types::access::DefaultPolicy;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::{future::pending, sync::Arc, time::Duration};
use tokio::net::TcpListener;

/// The messages that a server has read, in order.
type Messages = Arc<Mutex<Vec<Value>>>;

fn count(messages: &Messages, method: &str) -> usize {
    messages.lock().iter().filter(|message| message["method"] == method).count()
}

/// Waits until the server has read `times` messages of a method.
async fn has_read(messages: &Messages, method: &str, times: usize) {
    until(|| count(messages, method) >= times).await;
}

/// Answers a message. The session is forgotten when a resource is read, and a new one does not answer to subscriptions.
async fn answer(State(messages): State<Messages>, headers: HeaderMap, body: String) -> Response {
    let message: Value = serde_json::from_str(&body).unwrap();
    messages.lock().push(message.clone());
    let is_new = count(&messages, "initialize") > 1;
    let content = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "serverInfo": {"name": "raw", "version": "1"},
            "capabilities": {"tools": {}, "resources": {"subscribe": true}}
        }),
        _ if message.get("id").is_none() => return StatusCode::ACCEPTED.into_response(),
        "resources/read" if headers["mcp-session-id"] == "s-1" => {
            return StatusCode::NOT_FOUND.into_response();
        }
        "resources/subscribe" if is_new => pending().await,
        "tools/list" => json!({"tools": []}),
        "resources/list" => json!({"resources": [{"uri": "w://1", "name": "w"}]}),
        "resources/templates/list" => json!({"resourceTemplates": []}),
        "resources/read" => json!({"contents": []}),
        _ => json!({}),
    };
    let session = if is_new { "s-2" } else { "s-1" };
    let headers = [("Content-Type", "application/json"), ("Mcp-Session-Id", session)];
    (headers, result(&message, content).to_string()).into_response()
}

/// Answers a message. On the first session, calls and pings are answered with an error of JSON-RPC that says that the session is gone.
async fn answer_without_session(
    State(messages): State<Messages>,
    headers: HeaderMap,
    body: String,
) -> Response {
    let message: Value = serde_json::from_str(&body).unwrap();
    messages.lock().push(message.clone());
    let is_gone = headers.get("mcp-session-id").is_some_and(|session| session == "s-1");
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let answer = match message["method"].as_str().unwrap_or_default() {
        "initialize" => result(
            &message,
            json!({"protocolVersion": "2025-11-25", "serverInfo": {"name": "raw", "version": "1"}, "capabilities": {"tools": {}}}),
        ),
        _ if message.get("id").is_none() => return StatusCode::ACCEPTED.into_response(),
        "tools/call" | "ping" if is_gone => error(&message, -32001, "Session not found"),
        "tools/list" => result(&message, json!({"tools": [tool("twice"), tool("once")]})),
        "tools/call" => text(&message, "done"),
        _ => result(&message, json!({})),
    };
    let session = if count(&messages, "initialize") > 1 { "s-2" } else { "s-1" };
    ([("Content-Type", "application/json"), ("Mcp-Session-Id", session)], answer.to_string()).into_response()
}

async fn open() -> (Setup, RawHost, Messages) {
    open_at(post(answer), As::plain(Era::Initialize)).await
}

async fn open_at(endpoint: MethodRouter<Messages>, host: As) -> (Setup, RawHost, Messages) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let messages = Messages::default();
    let router = Router::new().route("/mcp", endpoint).with_state(messages.clone());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let mut spec = ServerSpec::new("srv", Endpoint::Http { url, config: HttpClientConfig::default() });
    spec.default_policy = DefaultPolicy::OptOut;
    spec.era = EraChoice::Known(Era::Initialize);
    spec.call_timeout = Duration::from_secs(100);
    spec.idempotent = vec!["twice".to_owned()];
    let setup = start(|kernel, _| kernel.server(spec)).await;
    setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
    let host = setup.raw_host(host).await;
    (setup, host, messages)
}

#[tokio::test]
async fn lists_of_a_server_that_lost_its_session_are_read_first() {
    let (_setup, mut host, messages) = open().await;
    host.get("resources/subscribe", json!({"uri": "w://1"})).await;
    has_read(&messages, "resources/subscribe", 1).await;
    let lists = count(&messages, "tools/list");
    host.get("resources/read", json!({"uri": "w://1"})).await;
    has_read(&messages, "tools/list", lists + 1).await;
    has_read(&messages, "resources/subscribe", 2).await;
}

#[tokio::test]
async fn only_a_repeatable_call_is_repeated_after_a_lost_session() {
    let call = |name: &str| json!({"name": name, "arguments": {}});
    let (_setup, mut host, messages) = open_at(post(answer_without_session), As::mgp(Era::Initialize)).await;
    let made = host.get("tools/call", call("twice")).await;
    assert_eq!((&made["content"][0]["text"], count(&messages, "tools/call")), (&json!("done"), 2), "{made}");

    let (_setup, mut host, messages) = open_at(post(answer_without_session), As::mgp(Era::Initialize)).await;
    let refused = host.refused("tools/call", call("once")).await;
    let advice = &refused["data"]["_mgp"];
    assert_eq!(
        (&advice["retryable"], &advice["details"]["outcome"]),
        (&json!(false), &json!("unknown")),
        "{refused}"
    );
    assert_eq!(count(&messages, "tools/call"), 1);
    // The next call has the new session.
    let made = host.get("tools/call", call("once")).await;
    assert_eq!((&made["content"][0]["text"], count(&messages, "initialize")), (&json!("done"), 2), "{made}");
}
