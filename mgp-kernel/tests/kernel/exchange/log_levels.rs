//! From which level on servers of the `initialize` era are told to log.

use crate::{
    raw_host::{As, ERAS},
    raw_server::{RawServer, result, text},
    support::{server_rule, start},
};
use mgp_kernel::Era;
use serde_json::json;

fn server(era: Era, capabilities: serde_json::Value) -> RawServer {
    RawServer::new(era, capabilities, |message| match message["method"].as_str() {
        Some("logging/setLevel") => Some(vec![result(message, json!({}))]),
        Some("tools/call") => Some(vec![text(message, "done")]),
        _ => None,
    })
}

fn levels(server: &RawServer) -> Vec<String> {
    let told = server.read_of("logging/setLevel");
    told.iter().map(|message| message["params"]["level"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_server_gets_the_lowest_level_of_all_hosts_once() {
    let server = server(Era::Initialize, json!({"tools": {}, "logging": {}}));
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
    let mut one = setup.raw_host(As::plain(Era::Initialize)).await;
    let mut other = setup.raw_host(As::plain(Era::Initialize)).await;
    assert_eq!(levels(&server), [""; 0]);
    one.get("logging/setLevel", json!({"level": "notice"})).await;
    other.get("logging/setLevel", json!({"level": "error"})).await;
    other.get("logging/setLevel", json!({"level": "debug"})).await;
    one.get("logging/setLevel", json!({"level": "debug"})).await;
    assert_eq!(levels(&server), ["notice", "debug"]);
}

#[tokio::test]
async fn the_level_of_a_call_reaches_the_server_before_the_call() {
    for host_era in ERAS {
        let server = server(Era::Initialize, json!({"tools": {}, "logging": {}}));
        let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
        let mut host = setup.raw_host(As::plain(host_era)).await;
        host.log_level = Some("debug");
        if host_era == Era::Initialize {
            host.get("logging/setLevel", json!({"level": "debug"})).await;
        }
        host.call("work", json!({})).await;
        host.call("work", json!({})).await;
        let read: Vec<_> = server
            .read()
            .iter()
            .filter_map(|message| message["method"].as_str().map(str::to_owned))
            .collect();
        let tail: Vec<_> = read[read.len() - 3..].iter().map(String::as_str).collect();
        assert_eq!(tail, ["logging/setLevel", "tools/call", "tools/call"], "{host_era:?}");
    }
}

#[tokio::test]
async fn a_stateless_server_or_one_without_a_log_gets_no_level() {
    for (era, capabilities) in
        [(Era::Initialize, json!({"tools": {}})), (Era::Stateless, json!({"tools": {}, "logging": {}}))]
    {
        let server = server(era, capabilities);
        let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
        setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
        let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
        host.get("logging/setLevel", json!({"level": "debug"})).await;
        host.call("work", json!({})).await;
        assert_eq!(levels(&server), [""; 0], "{era:?}");
    }
}
