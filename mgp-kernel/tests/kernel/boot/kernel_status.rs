//! A kernel's report on itself, for operators.

use crate::{
    boot::kernel_health::limited,
    raw_host::As,
    raw_server::{RawServer, error, says},
    support::{code, json, number, open, server_rule, spec, start, until_some, within},
};
use mgp_client_sdk::client::Client;
use mgp_kernel::Era;
use mgp_types::{
    access::DefaultPolicy,
    context::{Principal, TrustLevel},
    error::ErrorCode,
    lifecycle::{HealthStatus, KernelStatus, KernelStatusParams, ReportKernel, ServerState, TrafficReport},
    mcp::Root,
    negotiation::ExtensionSet,
};

async fn operator(setup: &crate::support::Setup) -> Client {
    setup.host_that(ExtensionSet::ALL, Principal::operator("ann")).await
}

async fn status(operator: &Client, params: KernelStatusParams) -> KernelStatus {
    within(operator.request::<ReportKernel>(&params)).await.unwrap()
}

#[tokio::test]
async fn only_the_admin_role_sees_servers_and_hosts() {
    let setup = open().await;
    let host = setup.host().await;
    let refused = within(host.request::<ReportKernel>(&KernelStatusParams::default())).await.unwrap_err();
    assert_eq!(code(&refused), number(ErrorCode::PermissionDenied));
    let blocked = setup
        .sink
        .events()
        .into_iter()
        .find(|event| event.event_type.as_str() == "dev.cloto.mgp.REQUEST_BLOCKED");
    let details = blocked.unwrap().details.unwrap();
    assert_eq!(details.text("method").as_deref(), Some("dev.cloto/kernel/status"));
    let told = status(&operator(&setup).await, KernelStatusParams::default()).await;
    assert_eq!(told.servers.len(), 1);
}

#[tokio::test]
async fn running_and_waiting_calls_are_counted_by_server_and_by_host() {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.max_concurrent = 1;
        kernel.server(spec).program(|program| program.configuration_name = Some("/etc/mgp.toml".into()))
    })
    .await;
    let host = setup.host().await;
    let hanging = host.start_tool("hang", json("{}")).await.unwrap();
    within(setup.signals.started.notified()).await;
    let waiting = host.start_tool("add", json(r#"{"a":1,"b":1}"#)).await.unwrap();
    let operator = operator(&setup).await;
    let told = until_some(async || {
        let told = status(&operator, KernelStatusParams { tools: true, ..Default::default() }).await;
        (told.servers[0].queued == 1).then_some(told)
    })
    .await;
    let server = &told.servers[0];
    assert_eq!((&*server.id, server.state, server.in_flight), ("test", ServerState::Connected, 1));
    assert_eq!((server.restarts, server.trust_level), (0, TrustLevel::Standard));
    assert_eq!((server.tool_count, server.tools.contains(&"add".to_owned())), (5, true));
    assert_eq!(told.configuration.as_deref(), Some("/etc/mgp.toml"));
    // Whoever asks is not among the hosts.
    let hosts: Vec<_> =
        told.hosts.iter().map(|host| (&*host.name, &*host.principal, host.in_flight)).collect();
    assert_eq!(hosts, [("test host", "agent.test", 2)]);
    drop((hanging, waiting));
    until_some(async || {
        let server = status(&operator, KernelStatusParams::default()).await.servers.remove(0);
        ((server.queued, server.in_flight) == (0, 0)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn calls_errors_and_refusals_of_the_last_minutes_appear() {
    let setup = start(|kernel, signals| kernel.server(spec("test", signals)).without_approver()).await;
    let (host, operator) = (setup.host().await, operator(&setup).await);
    let before = status(&operator, KernelStatusParams::default()).await.traffic.unwrap();
    assert_eq!(before, TrafficReport { minutes: 1, ..TrafficReport::default() });
    for _ in 0..3 {
        within(host.call_tool("add", json(r#"{"a":1,"b":1}"#))).await.unwrap();
    }
    within(host.call_tool("add", json(r#"{"a":"x"}"#))).await.ok();
    within(host.call_tool("secret", json("{}"))).await.unwrap_err();
    within(host.call_tool("no_such_tool", json("{}"))).await.unwrap_err();
    let traffic = status(&operator, KernelStatusParams::default()).await.traffic.unwrap();
    assert_eq!((traffic.sum.calls, traffic.sum.errors, traffic.refused), (4, 1, 2));
    let [server] = &*traffic.servers else { panic!("{traffic:?}") };
    assert_eq!((&*server.server_id, server.sum), ("test", traffic.sum));
    assert!(traffic.sum.p50_ms <= traffic.sum.p95_ms && traffic.sum.p50_ms.is_some(), "{traffic:?}");
    assert_eq!(traffic.tokens_spared, None, "no host has searched");
}

#[tokio::test]
async fn an_operator_s_view_does_not_change_the_host_of_a_server() {
    let server = RawServer::new(Era::Initialize, serde_json::json!({"tools": {}}), |_| None);
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
    let root = Root { uri: "file:///home/ann".to_owned(), name: None, meta: None };
    let _host = setup.host_with(Client::builder("host", "1").roots([root])).await;
    // The account has the name of the agent.
    let _operator = setup.host_that(ExtensionSet::ALL, Principal::operator("agent.test")).await;
    server.say(says(Some(7), "roots/list", serde_json::json!({})));
    let answers = server.reads(|message| message["id"] == 7 && message.get("method").is_none(), 1).await;
    assert_eq!(answers[0]["result"]["roots"][0]["uri"], "file:///home/ann", "{answers:?}");
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    server.say(says(None, "notifications/message", serde_json::json!({"level": "error", "data": "to it"})));
    host.hear("notifications/message").await;
}

#[tokio::test]
async fn servers_are_asked_for_their_own_checks_on_request() {
    let setup = start(|kernel, _| kernel.server(limited(DefaultPolicy::OptOut))).await;
    let operator = operator(&setup).await;
    let server = status(&operator, KernelStatusParams::default()).await.servers.remove(0);
    assert_eq!(server.checks, None);
    let asked = KernelStatusParams { checks: true, ..Default::default() };
    let server = status(&operator, asked).await.servers.remove(0);
    assert_eq!(server.health, Some(HealthStatus::Degraded));
    assert_eq!(server.checks.unwrap().get("disk").map(ToString::to_string).as_deref(), Some("false"));
}

#[tokio::test]
async fn no_text_of_a_server_makes_the_report_long() {
    let capabilities =
        serde_json::json!({"tools": {}, "mgp": {"version": "0.3.0", "extensions": ["lifecycle"]}});
    let server = RawServer::new(Era::Initialize, capabilities, |message| {
        let asked = message["method"] == "mgp/health/status";
        asked.then(|| vec![error(message, -32603, &"é".repeat(100_000))])
    });
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let asked = KernelStatusParams { checks: true, ..Default::default() };
    let report = status(&operator(&setup).await, asked).await.servers.remove(0);
    let problem = report.health_error.unwrap();
    assert!(problem.ends_with("éé…"), "{problem}");
    assert_eq!(problem.chars().count(), 1001);
}
