//! Servers with a process for each session of a host.

use crate::{
    raw_host::As,
    support::{Setup, full, json, server_rule, start, until, within},
};
use mgp_client_sdk::client::Client;
use mgp_kernel::{Endpoint, Era, InProcess, InstanceScope, ServerSpec};
use mgp_server_sdk::{Resource, Server, Tool};
use mgp_transport::seam::CallError;
use mgp_types::{
    access::DefaultPolicy,
    context::Principal,
    lifecycle::{
        ControlServer, ControlServerParams, KernelStatusParams, ReportKernel, ServerAction, ServerReport,
    },
    negotiation::ExtensionSet,
};
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Returns a server whose every process counts its own calls, and the number of processes that run.
fn counting() -> (ServerSpec, Arc<()>) {
    let running = Arc::new(());
    let process = running.clone();
    let connect = move || {
        let (count, guard) = (Arc::new(AtomicUsize::new(0)), process.clone());
        let next = {
            let count = count.clone();
            move || {
                let _process = &guard;
                let count = count.fetch_add(1, Ordering::SeqCst) + 1;
                async move { count.to_string() }
            }
        };
        let read = move || {
            let count = count.clone();
            async move { count.load(Ordering::SeqCst).to_string() }
        };
        let server = Server::new("count", "1.0.0")
            .tool(Tool::new("next", "Counts its calls", next))
            .resource(Resource::text("count://now", "now", read));
        server.build().unwrap().in_process()
    };
    let mut spec = ServerSpec::new("count", Endpoint::InProcess(InProcess::new(connect)));
    spec.default_policy = DefaultPolicy::OptOut;
    (spec.instances, spec.lazy) = (InstanceScope::Session, true);
    (spec, running)
}

/// Starts a kernel in front of a server with a process for each session, at most `most` of them.
async fn kernel(most: usize) -> (Setup, Arc<()>) {
    let (mut spec, running) = counting();
    spec.max_instances = most;
    let rule = server_rule("agent.test", "count");
    (start(|kernel, _| kernel.server(spec).config(full).grant(rule)).await, running)
}

async fn next(host: &Client) -> Result<String, CallError> {
    let counted = within(host.call_tool("next", json("{}"))).await?;
    Ok(counted.content[0].as_text().unwrap_or_default().to_owned())
}

async fn report(setup: &Setup) -> ServerReport {
    let operator = setup.host_that(ExtensionSet::ALL, Principal::operator("ann")).await;
    let params = KernelStatusParams { tools: true, ..KernelStatusParams::default() };
    within(operator.request::<ReportKernel>(&params)).await.unwrap().servers.remove(0)
}

async fn control(setup: &Setup, action: ServerAction) {
    let operator = setup.host_that(ExtensionSet::ALL, Principal::operator("ann")).await;
    let params = ControlServerParams { server_id: "count".into(), action, timeout_ms: None, reason: None };
    assert!(within(operator.request::<ControlServer>(&params)).await.unwrap().done);
}

/// Waits until as many processes run.
async fn processes(running: &Arc<()>, expected: usize) {
    // One is held by the test, and one by the endpoint.
    within(until(|| Arc::strong_count(running) == expected + 2)).await;
}

#[tokio::test]
async fn each_session_has_a_process_of_its_own_until_it_ends() {
    let (setup, running) = kernel(16).await;
    let (one, two) = (setup.host().await, setup.host().await);
    // The process that listed the tools has ended.
    processes(&running, 0).await;
    assert_eq!([next(&one).await.unwrap(), next(&one).await.unwrap()], ["1", "2"]);
    assert_eq!(next(&two).await.unwrap(), "1");
    processes(&running, 2).await;
    let status = report(&setup).await;
    assert_eq!((status.instances, status.tool_count), (Some(2), 1));
    let read = within(one.read_resource("count://now")).await.unwrap();
    assert_eq!(read.contents[0].text.as_deref(), Some("2"));
    drop(one);
    processes(&running, 1).await;
    assert_eq!(next(&two).await.unwrap(), "2");
    setup.kernel.shutdown().await;
    processes(&running, 0).await;
}

#[tokio::test]
async fn a_stateless_host_on_one_connection_has_a_process_of_its_own() {
    let (setup, running) = kernel(16).await;
    for _ in 0..2 {
        let mut host = setup.raw_host(As::plain(Era::Stateless)).await;
        for expected in ["1", "2"] {
            let answer = host.once("tools/call", json!({"name": "next", "arguments": {}})).await;
            assert_eq!(answer["result"]["content"][0]["text"], expected, "{answer}");
        }
    }
    processes(&running, 0).await;
}

#[tokio::test]
async fn a_session_beyond_the_maximum_is_refused_until_another_ends() {
    let (setup, running) = kernel(1).await;
    let (one, two) = (setup.host().await, setup.host().await);
    assert_eq!(next(&one).await.unwrap(), "1");
    let refused = next(&two).await.unwrap_err().to_string();
    assert!(refused.contains("raise `max_instances`"), "{refused}");
    let read = within(two.read_resource("count://now")).await.unwrap_err().to_string();
    assert!(read.contains("raise `max_instances`"), "{read}");
    drop(one);
    processes(&running, 0).await;
    assert_eq!(next(&two).await.unwrap(), "1");
}

#[tokio::test]
async fn a_stop_or_restart_by_the_operator_ends_all_processes() {
    let (setup, running) = kernel(16).await;
    let host = setup.host().await;
    for actions in [&[ServerAction::Restart][..], &[ServerAction::Stop, ServerAction::Start]] {
        assert_eq!(next(&host).await.unwrap(), "1");
        for action in actions {
            control(&setup, *action).await;
        }
        within(until(|| Arc::strong_count(&running) <= 3)).await;
    }
    assert_eq!(next(&host).await.unwrap(), "1");
}
