//! §11.3 The health of servers, as the kernel shows it, and the kernel's own.

use crate::{
    boot::life::fragile,
    raw_host::As,
    support::{Setup, Signals, spec, start, until, within},
};
use mgp_client_sdk::client::Client;
use mgp_kernel::{Endpoint, Era, InProcess, ServerSpec};
use mgp_server_sdk::{HealthCheck, Server, Tool, Weight};
use mgp_types::{
    access::DefaultPolicy,
    context::Principal,
    discovery::{ListServers, ListServersParams},
    lifecycle::{
        CheckHealth, ControlServer, ControlServerParams, HealthStatus, HealthStatusResult,
        KernelStatusParams, ReportKernel, RestartPolicy, ServerAction, ServerState,
    },
    negotiation::ExtensionSet,
    rpc::Empty,
    tool_index::{DiscoverTools, DiscoverToolsParams},
};
use std::time::Duration;

/// A server whose only check fails, which is asked for its health all the time.
pub(crate) fn limited(default_policy: DefaultPolicy) -> ServerSpec {
    let stack = Server::new("limited", "1")
        .tool(Tool::new("work", "Works", async || "done"))
        .health_check(HealthCheck::new("disk", Weight::Helpful, async || false))
        .build()
        .unwrap();
    let mut spec =
        ServerSpec::new("limited", Endpoint::InProcess(InProcess::new(move || stack.in_process())));
    spec.default_policy = default_policy;
    spec.health_pause = Duration::from_millis(20);
    spec
}

async fn operator(setup: &Setup) -> Client {
    setup.host_that(ExtensionSet::ALL, Principal::operator("ann")).await
}

/// Has the servers run their checks, and waits until the kernel knows that `limited` is degraded.
async fn known_to_be_degraded(setup: &Setup, operator: &Client) {
    let asked = KernelStatusParams { checks: true, ..Default::default() };
    within(operator.request::<ReportKernel>(&asked)).await.unwrap();
    until(|| setup.kernel.registry().iter().any(|server| server.health == Some(HealthStatus::Degraded)))
        .await;
}

async fn health(host: &Client) -> HealthStatusResult {
    within(host.request::<CheckHealth>(&Empty::default())).await.unwrap()
}

fn checks(health: &HealthStatusResult) -> String {
    health.checks.as_ref().map(|checks| checks.to_json().to_string()).unwrap_or_default()
}

#[tokio::test]
async fn a_server_that_reports_itself_degraded_degrades_the_kernel() {
    let setup =
        start(|kernel, signals| kernel.server(spec("test", signals)).server(limited(DefaultPolicy::OptOut)))
            .await;
    let operator = operator(&setup).await;
    known_to_be_degraded(&setup, &operator).await;
    let listed = within(operator.request::<ListServers>(&ListServersParams::default())).await.unwrap();
    let listed: Vec<_> = listed.servers.iter().map(|server| (&*server.id, server.health)).collect();
    assert!(listed.contains(&("limited", Some(HealthStatus::Degraded))), "{listed:?}");
    let report = within(operator.request::<ReportKernel>(&KernelStatusParams::default())).await.unwrap();
    let limited = report.servers.iter().find(|server| server.id == "limited").unwrap();
    assert_eq!((limited.health, &limited.checks), (Some(HealthStatus::Degraded), &None));

    let told = health(&operator).await;
    assert_eq!(told.status, HealthStatus::Degraded);
    assert_eq!(checks(&told), r#"{"limited":false,"test":true}"#);
    let control = async |id: &str| {
        let params = ControlServerParams {
            server_id: id.to_owned(),
            action: ServerAction::Stop,
            timeout_ms: None,
            reason: None,
        };
        assert!(within(operator.request::<ControlServer>(&params)).await.unwrap().done);
    };
    control("limited").await;
    let told = health(&operator).await;
    assert_eq!((told.status, &*checks(&told)), (HealthStatus::Healthy, r#"{"test":true}"#));
    let known = setup.kernel.registry();
    assert!(known.iter().all(|server| server.health != Some(HealthStatus::Degraded)), "it does not run");
    within(setup.kernel.shutdown()).await;
}

#[tokio::test]
async fn nobody_sees_the_health_of_servers_hidden_from_them() {
    let setup =
        start(|kernel, signals| kernel.server(spec("test", signals)).server(limited(DefaultPolicy::OptIn)))
            .await;
    let operator = operator(&setup).await;
    known_to_be_degraded(&setup, &operator).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let told = host.get("mgp/health/status", serde_json::json!({})).await;
    assert_eq!(
        (&told["status"], &told["checks"]),
        (&serde_json::json!("healthy"), &serde_json::json!({"test": true}))
    );
    within(setup.kernel.shutdown()).await;
}

#[tokio::test]
async fn a_kernel_is_unhealthy_only_if_every_server_is_down() {
    let setup = start(|kernel, _| kernel.server(limited(DefaultPolicy::OptOut))).await;
    let operator_of_limited = operator(&setup).await;
    known_to_be_degraded(&setup, &operator_of_limited).await;
    let told = health(&operator_of_limited).await;
    assert_eq!((told.status, &*checks(&told)), (HealthStatus::Degraded, r#"{"limited":false}"#));
    within(setup.kernel.shutdown()).await;

    let (mut fragile, lines) = fragile(&Signals::default());
    fragile.restart.restart_policy = RestartPolicy::Never;
    let setup = start(|kernel, _| kernel.server(fragile)).await;
    let operator = operator(&setup).await;
    assert_eq!(health(&operator).await.status, HealthStatus::Healthy);
    lines.lock().pop().unwrap().abort();
    let watched = setup.kernel.servers()[0].clone();
    until(|| watched.status().state == ServerState::Error).await;
    let told = health(&operator).await;
    assert_eq!((told.status, &*checks(&told)), (HealthStatus::Unhealthy, r#"{"fragile":false}"#));
    within(setup.kernel.shutdown()).await;
}

#[tokio::test]
async fn a_degraded_server_s_tool_is_found_after_an_equal_healthy_one() {
    let twin = || {
        Server::new("twin", "1")
            .tool(Tool::new("work", "Works", async || "done"))
            .build()
            .unwrap()
            .in_process()
    };
    let mut healthy = ServerSpec::new("zealous", Endpoint::InProcess(InProcess::new(twin)));
    healthy.default_policy = DefaultPolicy::OptOut;
    let setup = start(|kernel, _| kernel.server(limited(DefaultPolicy::OptOut)).server(healthy)).await;
    let (host, operator) = (setup.host().await, operator(&setup).await);
    let found = async || {
        let params =
            DiscoverToolsParams { query: "work".to_owned(), strategy: None, max_results: None, filter: None };
        let found = within(host.request::<DiscoverTools>(&params)).await.unwrap();
        found.tools.into_iter().map(|tool| (tool.server_id, tool.relevance_score)).collect::<Vec<_>>()
    };
    let before = found().await;
    assert_eq!((before.len(), &*before[0].0), (2, "limited"), "{before:?}");
    known_to_be_degraded(&setup, &operator).await;
    let after = found().await;
    assert_eq!((after.len(), &*after[0].0), (2, "zealous"), "{after:?}");
    assert!(after[1].1 < before[0].1, "{before:?} {after:?}");
    within(setup.kernel.shutdown()).await;
}
