//! Sessions over HTTP: their tools (§16.7), with one session for each `Mcp-Session-Id` and in the stateless era one for each
//! handle; and the limit on the total size of their bodies.

use crate::{
    host::http_eras::{face, face_with, url},
    raw_server::long,
    support::{agents, code, json, number, spec, start, until_some, within},
};
use mgp_client_sdk::client::Client;
use mgp_kernel::{Era, EraChoice, HttpClientConfig};
use mgp_transport::{
    http::server::{HttpServerConfig, RunningServer},
    seam::{BoxError, Incoming, Reply},
};
use mgp_types::{error::ErrorCode, json::RawJson, mcp::ToolListChanged, rpc::Notice};
use serde_json::{Value, json as value};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Connects a host of an agent. Returns it with the notifications that its list of tools has changed.
async fn host(serving: &RunningServer, era: Era, agent: &str) -> (Client, UnboundedReceiver<()>) {
    let (told, heard) = unbounded_channel();
    let service = tower::service_fn(move |message: Incoming| {
        if message.method == ToolListChanged::METHOD {
            told.send(()).unwrap();
        }
        std::future::ready(Ok::<_, BoxError>(Reply::none()))
    });
    let builder = Client::builder("host", "1").without_mgp().era(EraChoice::Known(era)).service(service);
    let config = HttpClientConfig { bearer: Some(agent.to_owned()), ..HttpClientConfig::default() };
    (within(builder.connect_http(&url(serving), config)).await.unwrap(), heard)
}

/// Returns the answer of a meta-tool, or the text of its error.
async fn ask(host: &Client, tool: &str, arguments: Value) -> Value {
    let arguments = RawJson::parse(arguments.to_string()).unwrap();
    let result = within(host.call_tool(tool, arguments)).await.unwrap();
    match result.structured_content {
        Some(structured) => structured.decode().unwrap(),
        None => Value::from(result.content[0].as_text().unwrap()),
    }
}

async fn add(host: &Client) {
    within(host.call_tool("add", json(r#"{"a":1,"b":2}"#))).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hosts_of_one_agent_have_separate_tools() {
    let setup = start(|kernel, signals| kernel.server(spec("test", signals)).server(long("long"))).await;
    let serving = face(&setup.kernel).await;
    let (one, mut heard) = host(&serving, Era::Initialize, "agent.test").await;
    let (other, mut unheard) = host(&serving, Era::Initialize, "agent.test").await;
    add(&one).await;
    within(heard.recv()).await.unwrap();
    let shown = |tools: Vec<mgp_types::mcp::Tool>| tools.iter().any(|tool| tool.name == "add");
    assert!(shown(within(one.list_tools()).await.unwrap()));
    assert!(!shown(within(other.list_tools()).await.unwrap()));
    assert_eq!(ask(&one, "mgp_tools_session", value!({})).await["cached"], value!(["add"]));
    assert_eq!(ask(&other, "mgp_tools_session", value!({})).await["cached"], value!([]));
    assert!(unheard.try_recv().is_err());
    within(serving.shutdown()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stateless_host_finds_its_session_on_another_connection() {
    let setup =
        start(|kernel, signals| kernel.server(spec("test", signals)).config(agents(["agent.other"]))).await;
    let serving = face(&setup.kernel).await;
    let (one, _) = host(&serving, Era::Stateless, "agent.test").await;
    let told = ask(&one, "mgp_tools_session", value!({})).await;
    let session = told["_mgp"]["session"].as_str().unwrap();
    let call = value!({"name": "add", "arguments": {"a": 1, "b": 2}, "session": session});
    assert_eq!(ask(&one, "mgp_tools_call", call).await, "3");
    let named = value!({"session": session});
    let (again, _) = host(&serving, Era::Stateless, "agent.test").await;
    assert_eq!(ask(&again, "mgp_tools_session", named.clone()).await["cached"], value!(["add"]));
    let (other, _) = host(&serving, Era::Stateless, "agent.other").await;
    let refused = ask(&other, "mgp_tools_session", named).await;
    assert!(refused.as_str().unwrap().starts_with("invalid session"), "{refused}");
    within(serving.shutdown()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_body_of_a_call_counts_until_its_server_has_answered() {
    let setup = start(|kernel, signals| kernel.server(spec("test", signals))).await;
    let config =
        HttpServerConfig { max_body: 120_000, total_body_limit: 150_000, ..HttpServerConfig::default() };
    let serving = face_with(&setup.kernel, config).await;
    let (one, _) = host(&serving, Era::Initialize, "agent.test").await;
    let (other, _) = host(&serving, Era::Initialize, "agent.test").await;
    let padding = "x".repeat(100_000);
    let running = one.start_tool("hang", RawJson::parse(value!({ "padding": padding }).to_string()).unwrap());
    let running = running.await.unwrap();
    within(setup.signals.started.notified()).await;
    let add = || {
        let arguments = RawJson::parse(value!({"a": 1, "b": 2, "padding": padding}).to_string()).unwrap();
        within(other.call_tool("add", arguments))
    };
    let refused = add().await.unwrap_err();
    assert_eq!(code(&refused), number(ErrorCode::UpstreamUnavailable));
    assert!(refused.to_string().contains("total_body_limit"), "{refused}");
    drop(running);
    within(setup.signals.dropped.notified()).await;
    // The call's event is stored before its share is given back.
    until_some(async || add().await.ok()).await;
    within(serving.shutdown()).await;
}
