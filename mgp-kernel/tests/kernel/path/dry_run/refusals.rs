//! Refusals that a dry run foretells beside those of rights, permissions, limits and arguments.

use crate::{
    raw_host::{As, RawHost},
    raw_server::{RawServer, text},
    support::{open, spec, start, until},
};
use mgp_kernel::Era;
use mgp_types::lifecycle::{RestartPolicy, ServerState};
use serde_json::{Value, json};

async fn check(host: &mut RawHost, params: Value) -> Value {
    host.get("mgp/tools/check", params).await
}

#[tokio::test]
async fn a_dry_run_reports_an_unavailable_server_as_a_real_call_does() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        (message["method"] == "tools/call").then(|| vec![text(message, "done")])
    });
    let mut spec = server.spec("srv");
    spec.restart.restart_policy = RestartPolicy::Never;
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let work = json!({"name": "work", "arguments": {}});
    assert_eq!(check(&mut host, work.clone()).await["allowed"], true);
    server.hang_up();
    let servers = setup.kernel.servers();
    until(|| servers[0].status().state != ServerState::Connected).await;
    let dry = check(&mut host, work.clone()).await;
    let real = host.refused("tools/call", work).await;
    assert_eq!((&dry["allowed"], &dry["error"]["code"]), (&json!(false), &real["code"]), "{dry} {real}");
    assert_eq!(dry["error"]["data"]["_mgp"]["category"], "lifecycle", "{dry}");
}

#[tokio::test]
async fn a_dry_run_reports_a_disabled_tool() {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.disabled = vec!["add".to_owned()];
        kernel.server(spec)
    })
    .await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let dry = check(&mut host, json!({"name": "add", "arguments": {"a": 1, "b": 1}})).await;
    assert_eq!((&dry["allowed"], &dry["error"]["code"]), (&json!(false), &json!(4002)), "{dry}");
}

#[tokio::test]
async fn an_unknown_caller_gets_an_error_and_no_judgement() {
    let setup = open().await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let params = json!({"name": "add", "arguments": {"a": 1, "b": 1}, "_mgp": {"delegation": ["a", "b", "c", "d", "e"]}});
    let real = host.refused("tools/call", params.clone()).await;
    let dry = host.refused("mgp/tools/check", params).await;
    assert_eq!((&dry["code"], &dry["message"]), (&real["code"], &real["message"]));
}
