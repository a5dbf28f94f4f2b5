//! Servers that are put together from others, and layers around one tool.

use crate::support::Client;
use mgp_server_sdk::{Prompt, Resource, Server, Tool, extract::State};
use mgp_transport::seam::{BoxError, BoxPeerService, Incoming, Reply};
use serde_json::json;
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::Notify;
use tower::{Service, layer::layer_fn, limit::ConcurrencyLimitLayer, service_fn, timeout::TimeoutLayer};
use xtask_testing::within;

fn clock() -> Server {
    Server::new("clock", "2")
        .permissions_required(["shell.execute"])
        .tool(Tool::new("now", "", |State(time): State<&'static str>| time))
        .prompt(Prompt::new("ask", "", || "What time is it?"))
        .resource(Resource::text("clock://face", "face", || "XII"))
}

async fn names(client: &Client, method: &'static str, list: &str, key: &str) -> Vec<String> {
    let listed = client.request(method, json!({})).await.unwrap();
    listed[list].as_array().unwrap().iter().map(|entry| entry[key].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_merged_server_contributes_everything_under_its_names() {
    // The order of the setters does not matter, nor which of the servers has the state.
    let office = || Server::new("office", "1");
    for server in [
        office().merge(clock()).state("noon"),
        office().state("noon").merge(clock()),
        office().merge(clock().state("noon")),
    ] {
        let client = Client::mgp(server).await;
        assert_eq!(client.initialized["serverInfo"]["name"], "office");
        let needed = &client.initialized["capabilities"]["mgp"]["permissions_required"];
        assert_eq!(needed, &json!(["shell.execute"]), "{}", client.initialized);
        assert_eq!(names(&client, "tools/list", "tools", "name").await, ["now"]);
        assert_eq!(names(&client, "prompts/list", "prompts", "name").await, ["ask"]);
        assert_eq!(names(&client, "resources/list", "resources", "uri").await, ["clock://face"]);
        assert_eq!(client.text("now", json!({})).await, "noon");
    }
}

#[tokio::test]
async fn a_nested_server_s_names_have_its_prefix_at_every_depth() {
    let wall = Server::new("wall", "1").nest("clock", clock()).tool(Tool::new("paint", "", || "white"));
    let client = Client::plain(Server::new("house", "1").nest("wall", wall).state("noon")).await;
    assert_eq!(names(&client, "tools/list", "tools", "name").await, ["wall_paint", "wall_clock_now"]);
    assert_eq!(names(&client, "prompts/list", "prompts", "name").await, ["wall_clock_ask"]);
    assert_eq!(names(&client, "resources/list", "resources", "uri").await, ["clock://face"]);
    assert_eq!(client.text("wall_clock_now", json!({})).await, "noon");
}

#[test]
fn duplicate_names_and_state_are_errors() {
    let twice = Server::new("s", "1").state("noon").merge(clock()).merge(clock()).build().unwrap_err();
    assert_eq!(twice.to_string(), r#"duplicate tool "now": each needs its own name"#);
    let both = Server::new("s", "1").state("noon").nest("a", clock()).nest("b", clock()).build().unwrap_err();
    assert_eq!(both.to_string(), r#"duplicate resource "clock://face": each needs its own name"#);
    let tools = || Server::new("s", "1").tool(Tool::new("now", "", || "noon"));
    let twice = tools().merge(tools()).build().unwrap_err();
    assert_eq!(twice.to_string(), r#"duplicate tool "now": each needs its own name"#);
    assert!(tools().nest("other", tools()).build().is_ok());
    let state = Server::new("s", "1").state("noon").merge(clock().state("one")).build().unwrap_err();
    assert_eq!(
        state.to_string(),
        "two merged servers have State<&str>: give the value to the server that the others are merged into"
    );
    let invalid = Server::new("s", "1").nest("a b", tools()).build().unwrap_err();
    assert!(invalid.to_string().starts_with(r#"invalid tool name "a b_now""#), "{invalid}");
}

#[cfg(feature = "check-arguments")]
#[tokio::test]
async fn a_merged_server_keeps_its_argument_checking() {
    let schema = || json!({"type": "object", "required": ["n"]});
    let tool = |name: &str| Tool::raw(name, "", schema(), || "done");
    let inner = Server::new("inner", "1").check_arguments(false).tool(tool("free"));
    let client = Client::plain(Server::new("outer", "1").merge(inner).tool(tool("strict"))).await;
    assert_eq!(client.text("free", json!({})).await, "done");
    assert!(client.failure("strict", json!({})).await.contains("required"));
}

#[tokio::test(start_paused = true)]
async fn a_layer_around_one_tool_applies_only_to_that_tool() {
    let server = Server::new("s", "1")
        .tool(
            Tool::new("slow", "", std::future::pending::<&'static str>)
                .layer(TimeoutLayer::new(Duration::from_millis(20))),
        )
        .tool(Tool::new("quick", "", async || {
            tokio::time::sleep(Duration::from_millis(60)).await;
            "done"
        }));
    let client = Client::mgp(server).await;
    let (slow, quick) = tokio::join!(client.call("slow", json!({})), client.text("quick", json!({})));
    assert_eq!(slow.unwrap_err().code, 3003);
    assert_eq!(quick, "done");
}

// The clock stands still until all calls that may run wait.
#[tokio::test(start_paused = true)]
async fn the_calls_of_a_tool_share_its_layer() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = most.clone();
    let tool = Tool::new("work", "", move || {
        let (running, most) = (running.clone(), seen.clone());
        async move {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(5)).await;
            running.fetch_sub(1, Ordering::SeqCst);
        }
    });
    let client = Client::plain(Server::new("s", "1").tool(tool.layer(ConcurrencyLimitLayer::new(2)))).await;
    let calls = (0..8).map(|_| client.call("work", json!({})));
    for result in futures_util::future::join_all(calls).await {
        result.unwrap();
    }
    assert_eq!(most.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn the_last_layer_is_the_outermost_and_may_refuse() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let noting = |name: &'static str| {
        let order = order.clone();
        layer_fn(move |inner: BoxPeerService| {
            let order = order.clone();
            service_fn(move |incoming: Incoming| {
                order.lock().unwrap().push(name);
                inner.clone().call(incoming)
            })
        })
    };
    let refusing = layer_fn(|_: BoxPeerService| {
        service_fn(|incoming: Incoming| async move {
            Ok::<_, BoxError>(Reply::error(mgp_types::rpc::ErrorObject::method_not_found(&incoming.method)))
        })
    });
    let server = Server::new("s", "1")
        .tool(Tool::new("open", "", || "done").layer(noting("inner")).layer(noting("outer")))
        .tool(Tool::new("closed", "", || "done").layer(refusing));
    let client = Client::plain(server).await;
    assert_eq!(client.text("open", json!({})).await, "done");
    assert_eq!(*order.lock().unwrap(), ["outer", "inner"]);
    assert_eq!(client.call("closed", json!({})).await.unwrap_err().code, -32601);
}

#[tokio::test]
async fn a_call_through_a_layer_can_be_cancelled() {
    let (started, dropped) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (begun, gone) = (started.clone(), dropped.clone());
    let tool = Tool::new("wait", "", move || {
        let (begun, gone) = (begun.clone(), gone.clone());
        async move {
            let _guard = Guard(gone);
            begun.notify_one();
            std::future::pending::<()>().await;
        }
    });
    let server = Server::new("s", "1").tool(tool.layer(TimeoutLayer::new(Duration::from_secs(60))));
    let client = Client::plain(server).await;
    let call = client.start("tools/call", json!({"name": "wait"})).await;
    started.notified().await;
    drop(call);
    within(dropped.notified()).await;
}

struct Guard(Arc<Notify>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}
