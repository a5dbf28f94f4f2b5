//! The life of a server that is registered, and the end of one that is removed.

use super::support::{builder, deregister, open, operator, register, shown, stdio, waiting, with_registrar};
use crate::{
    features::session_state::{Stateful, brought},
    raw_host::{As, ERAS, RawHost},
    support::{Setup, server_rule, spec, start, until, until_some, within},
};
use mgp_discovery::config::Config;
use mgp_kernel::{Endpoint, Era, InProcess};
use mgp_transport::memory;
use mgp_types::lifecycle::ServerState;
use serde_json::json;
use std::collections::BTreeSet;

const ADD: &str = "dynamic.tool__add";

#[tokio::test]
async fn a_registered_server_is_visible_only_to_agents_with_a_grant() {
    let setup = open().await;
    let mut admin = operator(&setup).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let mut other = setup.raw_host(As::mgp(Era::Initialize).of("agent.other")).await;
    register(&mut admin, "dynamic.tool").await;
    // Not even the agent that registered the server may use it, nor anybody by the kernel's default policy.
    assert!(!shown(&mut host).await.iter().any(|name| name.contains("dynamic")));
    assert_eq!(
        host.refused("tools/call", json!({"name": ADD, "arguments": {"a": 1, "b": 2}})).await["code"],
        1001
    );
    setup.kernel.access().put(server_rule("agent.test", "dynamic.tool")).await.unwrap();
    host.hear("notifications/tools/list_changed").await;
    let names = shown(&mut host).await;
    assert!(names.iter().any(|name| name == "dynamic_tool__add"), "{names:?}");
    let found = host.get("mgp/tools/discover", json!({"query": "adds two numbers"})).await;
    assert!(found.to_string().contains("dynamic"), "{found}");
    assert_eq!(host.text(ADD, json!({"a": 1, "b": 2})).await, "3");
    assert!(
        host.asked.iter().any(|(method, _)| method == "elicitation/create"),
        "what is sandboxed is confirmed"
    );
    let found = other.get("mgp/tools/discover", json!({"query": "adds two numbers"})).await;
    assert!(!found.to_string().contains("dynamic"), "{found}");
    assert_eq!(
        other.refused("tools/call", json!({"name": ADD, "arguments": {"a": 1, "b": 2}})).await["code"],
        1001
    );
}

#[tokio::test]
async fn permissions_of_a_registered_server_s_tools_need_an_operator() {
    let setup = open().await;
    register(&mut builder(&setup).await, "a").await;
    until_some(async || {
        let rows = setup.kernel.permissions().pending().await.unwrap();
        rows.into_iter().find(|row| row.server_id == "a" && row.permission.as_str() == "camera")
    })
    .await;
}

#[tokio::test]
async fn declared_permissions_are_requested_even_without_a_start() {
    // The other end is gone before anything is said.
    let gone = InProcess::new(|| memory::pair().0);
    let setup = start(|kernel, signals| {
        with_registrar(kernel, signals).reach_registered(move |_| Ok(gone.clone().into()))
    })
    .await;
    let mut request = stdio("a");
    request["mgp"] = json!({"permissions_required": ["network.outbound", "shell"]});
    let result = builder(&setup).await.get("mgp/discovery/register", request).await;
    assert_ne!(result["status"], "connected", "{result}");
    let rows = setup.kernel.permissions().pending().await.unwrap();
    let asked: BTreeSet<_> = rows.iter().map(|row| (&*row.server_id, row.permission.as_str())).collect();
    assert_eq!(asked, BTreeSet::from([("a", "network.outbound"), ("a", "shell.execute")]));
    deregister(&mut operator(&setup).await, "a").await;
    assert_eq!(setup.kernel.permissions().pending().await.unwrap().len(), 0);
}

/// Starts a kernel in which each registered server is one that waits. A server that goes has a minute to end its calls.
async fn start_waiting(endpoint: Endpoint) -> Setup {
    let text = "[kernel]\nshutdown_timeout_ms = 60000\n";
    let config = Config::parse("mgp.toml".as_ref(), text.as_bytes(), &|_| None).unwrap();
    start(|kernel, signals| {
        with_registrar(kernel.configure(&config).unwrap(), signals)
            .server(spec("test", signals))
            .reach_registered(move |_| Ok(endpoint.clone()))
    })
    .await
}

/// Reads until a call was asked about, and confirms it.
async fn confirm(host: &mut RawHost) {
    while host.asked.is_empty() {
        host.next().await;
    }
}

#[tokio::test]
async fn a_removed_server_completes_its_calls_and_accepts_no_new_ones() {
    let (endpoint, started, release) = waiting();
    let setup = start_waiting(endpoint).await;
    let mut own = builder(&setup).await;
    register(&mut own, "a").await;
    setup.kernel.access().put(server_rule("agent.test", "a")).await.unwrap();
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    assert!(shown(&mut host).await.contains(&"wait".to_owned()));
    let call = host.send("tools/call", json!({"name": "wait", "arguments": {}})).await;
    confirm(&mut host).await;
    within(started.notified()).await;
    let server = setup.kernel.servers()[1].clone();
    deregister(&mut own, "a").await;
    until(|| server.status().state == ServerState::Draining).await;
    until(|| setup.kernel.registry()[1].state == ServerState::Draining).await;
    // The grants for the server are gone; an agent with a new grant finds the server draining.
    assert_eq!(host.refused("tools/call", json!({"name": "wait", "arguments": {}})).await["code"], 1001);
    setup.kernel.access().put(server_rule("agent.test", "a")).await.unwrap();
    assert_eq!(host.refused("tools/call", json!({"name": "wait", "arguments": {}})).await["code"], 2001);
    host.heard.clear();
    // The id comes back as another server, once this one has gone.
    let again = own.send("mgp/discovery/register", stdio("b")).await;
    assert_eq!(own.answer_to(again).await["result"]["status"], "connected");
    release.notify_one();
    let answer = host.answer_to(call).await;
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    host.hear("notifications/tools/list_changed").await;
    setup.knows(&["test", "b"]).await;
    assert!(!shown(&mut host).await.contains(&"wait".to_owned()));
    assert_eq!(host.refused("tools/call", json!({"name": "a__wait", "arguments": {}})).await["code"], 4001);
    assert!(!setup.kernel.servers().iter().any(|server| server.id() == "a"));
    assert_eq!(server.status().state, ServerState::Disconnected);
}

#[tokio::test]
async fn the_id_of_a_leaving_server_is_reused_after_its_end() {
    let (endpoint, started, release) = waiting();
    let setup = start_waiting(endpoint).await;
    let mut own = builder(&setup).await;
    register(&mut own, "a").await;
    setup.kernel.access().put(server_rule("agent.test", "a")).await.unwrap();
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let call = host.send("tools/call", json!({"name": "wait", "arguments": {}})).await;
    confirm(&mut host).await;
    within(started.notified()).await;
    let before = setup.kernel.servers()[1].clone();
    deregister(&mut own, "a").await;
    assert_eq!(register(&mut own, "a").await["status"], "registered");
    release.notify_one();
    assert_eq!(host.answer_to(call).await["result"]["content"][0]["text"], "done");
    setup.knows(&["test", "a"]).await;
    assert!(!std::sync::Arc::ptr_eq(&before, &setup.kernel.servers()[1]));
}

#[tokio::test]
async fn only_operators_get_the_reasons_of_added_and_removed_servers() {
    for era in ERAS {
        let setup = open().await;
        let mut admin = setup
            .raw_host(As { principal: mgp_types::context::Principal::operator("ann"), ..As::mgp(era) })
            .await;
        let mut host = setup.raw_host(As::mgp(era)).await;
        let mut remote = setup.raw_remote_host(As::mgp(era)).await;
        let mut other = setup.raw_host(As::mgp(era).of("agent.other")).await;
        let mut plain = setup.raw_host(As::plain(era)).await;
        setup.kernel.access().put(server_rule("agent.test", "a")).await.unwrap();
        if era == Era::Stateless {
            let listen = json!({"notifications": {"dev.cloto/mgp": {"lifecycle": true, "audit": true}}});
            for host in [&mut admin, &mut host, &mut remote, &mut other, &mut plain] {
                host.send("subscriptions/listen", listen.clone()).await;
                let told = host.hear("notifications/subscriptions/acknowledged").await;
                assert_ne!(told["params"]["notifications"]["dev.cloto/mgp"]["audit"], true, "{told}");
            }
        }
        register(&mut admin, "a").await;
        let moves = |told: &serde_json::Value| {
            let params = &told["params"];
            assert_eq!(params["server_id"], "a", "{told}");
            format!(
                "{} {}",
                params["previous_state"].as_str().unwrap(),
                params["new_state"].as_str().unwrap()
            )
        };
        // A reason that is not the specification's may quote the server: only the operator's own hosts are told.
        for (host, why) in [(&mut admin, true), (&mut host, true), (&mut remote, false)] {
            for expected in ["registered connecting", "connecting connected"] {
                let told = host.hear("notifications/mgp.lifecycle").await;
                assert_eq!(moves(&told), expected, "{era:?}");
                assert_eq!(told["params"].get("reason").is_some(), why, "{told}");
            }
        }
        for host in [&mut other, &mut plain] {
            host.settle().await;
            assert_eq!(host.count("notifications/mgp.lifecycle"), 0, "{era:?}");
        }
    }
}

#[tokio::test]
async fn a_server_that_reuses_an_id_gets_no_data_of_the_previous_one() {
    let server = Stateful::default();
    let endpoint = server.server().spec("a").endpoint;
    let setup = start(|kernel, signals| {
        with_registrar(kernel, signals).reach_registered(move |_| Ok(endpoint.clone()))
    })
    .await;
    let (mut own, mut host) = (builder(&setup).await, setup.raw_host(As::mgp(Era::Initialize)).await);
    for _ in 0..2 {
        register(&mut own, "a").await;
        setup.kernel.access().put(server_rule("agent.test", "a")).await.unwrap();
        setup.knows(&["a"]).await;
        server.gives(Some(json!("the first one's")));
        assert_eq!(brought(&mut host).await, "null");
        assert_eq!(brought(&mut host).await, r#""the first one's""#);
        deregister(&mut own, "a").await;
        setup.knows(&[]).await;
    }
}
