//! Folders of a host that changed, and which servers hear of it; servers that request them outside of a call.

use crate::{
    raw_host::As,
    raw_server::{RawServer, says},
    support::{server_rule, start},
};
use mgp_discovery::config::HostFeature;
use mgp_kernel::Era;
use mgp_types::access::DefaultPolicy;
use serde_json::{Value, json};

const CHANGED: &str = "notifications/roots/list_changed";

#[tokio::test]
async fn changed_roots_reach_only_servers_that_the_agent_may_use() {
    let server = || RawServer::new(Era::Initialize, json!({"tools": {}}), |_| None);
    let (told, closed, mute) = (server(), server(), server());
    let stateless = RawServer::new(Era::Stateless, json!({"tools": {}}), |_| None);
    let mut may_not_ask = mute.spec("mute");
    may_not_ask.host_features = vec![HostFeature::Elicitation];
    let mut unused = closed.spec("closed");
    unused.default_policy = DefaultPolicy::OptIn;
    let setup = start(|kernel, _| {
        kernel
            .server(unused)
            .server(may_not_ask)
            .server(stateless.spec("stateless"))
            .server(told.spec("told"))
    })
    .await;
    for server in ["mute", "stateless", "told"] {
        setup.kernel.access().put(server_rule("agent.test", server)).await.unwrap();
    }
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    host.say(json!({"jsonrpc": "2.0", "method": CHANGED})).await;
    told.has_read(CHANGED, 1).await;
    // What was said to a server before this call, it has read by then.
    for (id, server, calls) in [("mute", &mute, 1), ("stateless", &stateless, 1), ("closed", &closed, 0)] {
        host.ask("tools/call", json!({"name": format!("{id}__work"), "arguments": {}})).await;
        assert_eq!((server.read_of("tools/call").len(), server.read_of(CHANGED).len()), (calls, 0), "{id}");
    }
    host.say(json!({"jsonrpc": "2.0", "method": CHANGED})).await;
    told.has_read(CHANGED, 2).await;
}

/// Returns a server that requests the roots right after its handshake, and again when they changed.
fn asking() -> RawServer {
    RawServer::new(Era::Initialize, json!({"tools": {}}), |message| match message["method"].as_str() {
        Some("notifications/initialized") => Some(vec![says(Some(5), "roots/list", json!({}))]),
        Some(CHANGED) => Some(vec![says(Some(6), "roots/list", json!({}))]),
        _ => None,
    })
}

/// Waits for the answer to a request of a server.
async fn answer_to(server: &RawServer, id: i64) -> Value {
    let is_answer = move |message: &Value| message["id"] == id && message.get("method").is_none();
    server.reads(is_answer, 1).await.remove(0)
}

#[tokio::test]
async fn an_early_request_for_roots_gets_those_of_the_only_host() {
    let server = asking();
    let setup = start(|kernel, _| kernel.server(server.spec("files"))).await;
    let refused = answer_to(&server, 5).await;
    assert!(refused["error"]["message"].as_str().unwrap().contains("there is no host to ask"), "{refused}");
    // One that has no roots, and one that may not use the server, are not asked, and do not count.
    let _without = setup.raw_host(As::plain(Era::Initialize).can(json!({}))).await;
    let _stranger = setup.raw_host(As::plain(Era::Initialize).of("agent.stranger")).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    while host.asked.is_empty() {
        host.any().await;
    }
    assert_eq!(answer_to(&server, 6).await["result"]["roots"][0]["uri"], "file:///work");
    host.settle().await;
    assert_eq!(server.read_of(CHANGED).len(), 1, "it is told once");
}

#[tokio::test]
async fn the_roots_of_two_hosts_are_not_requested() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |_| None);
    let setup = start(|kernel, _| kernel.server(server.spec("files"))).await;
    let _hosts =
        [setup.raw_host(As::plain(Era::Initialize)).await, setup.raw_host(As::plain(Era::Initialize)).await];
    server.say(says(Some(7), "roots/list", json!({})));
    assert!(answer_to(&server, 7).await.get("error").is_some());
}
