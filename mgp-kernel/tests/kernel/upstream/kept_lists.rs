//! A kept list stands in for the list of a server that has not started, and nobody waits for a slow server without need.

use crate::{
    catalog::instructions::told_by,
    raw_host::As,
    raw_server::{RawServer, result},
    support::{Setup, Signals, full, json as text, server, server_rule, spec, until, within},
};
use mgp_client_sdk::client::Client;
use mgp_kernel::{Endpoint, Era, InProcess, Kernel, KernelBuilder, ServerSpec, StateFolder, Stores};
use mgp_security::audit::MemorySink;
use mgp_toolindex::meta_tools;
use mgp_transport::memory;
use mgp_types::{
    access::DefaultPolicy,
    context::Principal,
    lifecycle::{HealthStatus, ServerState},
    negotiation::ExtensionSet,
};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::{io::copy, sync::Notify};

/// Returns an endpoint at which a server takes no message before the signal.
fn held(endpoint: Endpoint, go_on: &Arc<Notify>) -> Endpoint {
    let Endpoint::InProcess(inner) = endpoint else { unreachable!() };
    let go_on = go_on.clone();
    Endpoint::InProcess(InProcess::new(move || {
        let (here, (mut from_kernel, mut to_kernel)) = memory::pair();
        let (mut from_server, mut to_server) = inner.connect();
        let go_on = go_on.clone();
        tokio::spawn(async move {
            go_on.notified().await;
            tokio::select! {
                _ = copy(&mut from_kernel, &mut to_server) => {}
                _ = copy(&mut from_server, &mut to_kernel) => {}
            }
        });
        here
    }))
}

/// A server that never answers.
fn silent(id: &str) -> ServerSpec {
    RawServer::new(Era::Initialize, json!({}), |_| Some(Vec::new())).spec(id)
}

/// Starts a kernel, and waits for none of its servers. Hosts wait for ever where they wait at all.
async fn starting(build: impl FnOnce(KernelBuilder, &Signals) -> KernelBuilder) -> Setup {
    let (sink, signals) = (MemorySink::new(100), Signals::default());
    let builder = Kernel::builder().audit_sink(sink.clone()).config(|config| {
        config.kernel.agent = "agent.test".into();
        config.kernel.start_wait_ms = u64::MAX;
    });
    let kernel = build(builder.program(|program| program.greeting_wait = Duration::ZERO), &signals)
        .start()
        .await
        .unwrap();
    Setup { kernel, sink, signals }
}

/// Returns stores in memory, except that of listings.
fn listings_in(folder: &StateFolder) -> Stores {
    Stores { listings: Some(Arc::new(folder.listings().unwrap())), ..Stores::default() }
}

/// Runs a kernel until it has kept the list of the test server in a folder.
async fn keep_list(folder: &StateFolder) {
    let before =
        starting(|kernel, signals| kernel.stores(listings_in(folder)).server(spec("test", signals))).await;
    is_up(&before, "test").await;
    before.kernel.shutdown().await;
}

/// Returns the spec of the test server, which takes no message before the signal, and whose start has all the time that it wants.
fn slow(signals: &Signals, go_on: &Arc<Notify>) -> ServerSpec {
    let mut slow = ServerSpec::new("test", held(server(signals), go_on));
    slow.default_policy = DefaultPolicy::OptOut;
    slow.startup_timeout = Duration::from_secs(3600);
    slow
}

async fn names(host: &Client) -> Vec<String> {
    within(host.list_tools()).await.unwrap().into_iter().map(|tool| tool.name).collect()
}

async fn is_up(setup: &Setup, id: &str) {
    let server = setup.kernel.servers().iter().find(|server| server.id() == id).unwrap().clone();
    until(|| server.status().state == ServerState::Connected).await;
}

#[tokio::test]
async fn the_last_listed_tools_are_listed_while_their_server_starts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = crate::engine::state(folder.path()).await;
    keep_list(&folder).await;
    let go_on = Arc::new(Notify::new());
    let setup = starting(|kernel, signals| {
        let kernel = kernel.stores(listings_in(&folder)).config(full);
        kernel.server(slow(signals, &go_on))
    })
    .await;
    let host = setup.host().await;
    assert_eq!(names(&host).await, ["add", "run_shell", "count", "hang"]);
    let told = within(told_by(&setup.kernel, "agent.test")).await;
    assert!(told.contains("`test` (4 tools, and 1 that waits for an approval)"), "{told}");
    assert_eq!(within(host.health()).await.unwrap().status, HealthStatus::Healthy);
    let arguments = r#"{"a":1,"b":1}"#;
    let check = within(host.check_tool("add", text(arguments))).await.unwrap();
    assert!(check.allowed, "{check:?}");
    let sum = host.call_tool("add", text(arguments));
    let goes_on = async {
        until(|| setup.kernel.servers()[0].status().state == ServerState::Connecting).await;
        go_on.notify_one();
    };
    let (sum, ()) = within(async { tokio::join!(sum, goes_on) }).await;
    assert_eq!(sum.unwrap().content[0].as_text(), Some("2"));
}

#[tokio::test]
async fn a_greeting_does_not_wait_for_a_server_whose_list_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let folder = crate::engine::state(folder.path()).await;
    keep_list(&folder).await;
    let setup = starting(|kernel, signals| {
        let kernel = kernel.stores(listings_in(&folder)).config(full);
        kernel.server(slow(signals, &Arc::default())).program(|program| program.greeting_wait = Duration::MAX)
    })
    .await;
    let told = within(told_by(&setup.kernel, "agent.test")).await;
    assert!(told.contains("`test` (4 tools, and 1 that waits for an approval)"), "{told}");
}

#[tokio::test]
async fn a_list_without_servers_tools_waits_for_no_server() {
    let setup = starting(|kernel, _| kernel.server(silent("slow"))).await;
    for host in [setup.host().await, setup.plain_host().await] {
        assert_eq!(names(&host).await, meta_tools::NAMES);
    }
}

/// A server with one prompt and one resource.
fn with_prompt() -> RawServer {
    let capabilities =
        json!({"tools": {}, "prompts": {"listChanged": true}, "resources": {"listChanged": true}});
    RawServer::new(Era::Initialize, capabilities, |message| {
        let answer: Value = match message["method"].as_str()? {
            "prompts/list" => json!({"prompts": [{"name": "p"}]}),
            "prompts/get" => json!({"messages": []}),
            "resources/list" => json!({"resources": [{"uri": "file:///a", "name": "a"}]}),
            "resources/templates/list" => json!({"resourceTemplates": []}),
            "resources/read" => json!({"contents": [{"uri": "file:///a", "text": "text"}]}),
            _ => return None,
        };
        Some(vec![result(message, answer)])
    })
}

#[tokio::test]
async fn the_list_of_one_server_is_read_before_another_has_started() {
    let setup = starting(|kernel, _| kernel.server(silent("slow")).server(with_prompt().spec("quick"))).await;
    setup.kernel.access().put(server_rule("agent.test", "quick")).await.unwrap();
    is_up(&setup, "quick").await;
    let mut host = within(setup.raw_host(As::plain(Era::Initialize))).await;
    assert_eq!(host.get("prompts/get", json!({"name": "p"})).await["messages"], json!([]));
    let read = host.get("resources/read", json!({"uri": "file:///a"})).await;
    assert_eq!(read["contents"][0]["text"], "text");
}

#[tokio::test(start_paused = true)]
async fn several_lists_wait_together_as_long_as_one() {
    let builder = Kernel::builder().server(silent("slow")).config(full);
    let builder = builder
        .config(|config| config.kernel.start_wait_ms = 3_000)
        .program(|program| program.greeting_wait = Duration::ZERO);
    let kernel = builder.start().await.unwrap();
    let setup = Setup { kernel, sink: MemorySink::new(10), signals: Signals::default() };
    let host = setup.host_that(ExtensionSet::ALL, Principal::agent("agent.test")).await;
    let before = tokio::time::Instant::now();
    assert!(host.list_tools().await.unwrap().is_empty());
    host.list_prompts().await.unwrap();
    host.list_resources().await.unwrap();
    assert!(before.elapsed() < Duration::from_secs(4), "{:?}", before.elapsed());
}
