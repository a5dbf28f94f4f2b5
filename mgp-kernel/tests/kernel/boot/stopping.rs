//! §11.4 The end of a kernel: which servers it takes along, and who may ask for it.

use crate::{
    features::events::raw_with,
    raw_host::{As, ERAS, RawHost},
    support::{Setup, Signals, agent_test, code, idle, json, number, ready, server, spec, start, within},
};
use mgp_kernel::{Endpoint, Era, Kernel, ServerSpec};
use mgp_security::audit::{MemorySink, REQUEST_BLOCKED};
use mgp_transport::{connection::Config, memory};
use mgp_types::{
    access::DefaultPolicy,
    context::Principal,
    error::ErrorCode,
    lifecycle::{
        ControlServer, ControlServerParams, ServerAction, ServerState, Shutdown, ShutdownParams,
        ShutdownReason,
    },
    negotiation::ExtensionSet,
};
use std::time::Duration;

/// A kernel in front of one server.
async fn kernel(endpoint: Endpoint) -> Setup {
    let mut spec = ServerSpec::new("test", endpoint);
    spec.default_policy = DefaultPolicy::OptOut;
    start(|kernel, _| kernel.server(spec)).await
}

async fn adds(setup: &Setup) {
    let host = setup.host().await;
    let sum = within(host.call_tool("add", json(r#"{"a":1,"b":1}"#))).await.unwrap();
    assert_eq!(sum.content[0].as_text(), Some("2"));
}

#[cfg(feature = "http")]
#[tokio::test]
async fn a_server_at_a_url_continues_to_serve_its_other_clients() {
    use mgp_kernel::HttpClientConfig;
    use mgp_server_sdk::{Server, Tool};
    use mgp_transport::http::server::HttpServer;

    let stack = Server::new("shared", "1").tool(Tool::new("add", "Adds", async || "2"));
    // Even where it would obey, it is not asked.
    let stack = stack.shutdown_by_admins(true).build().unwrap();
    let http = HttpServer::builder(move |_| (stack.service(), Some(stack.lane())));
    let http = http.principal(Principal::agent("kernel").with_admin());
    let serving = http.build().bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", serving.address());
    let endpoint = || Endpoint::Http { url: url.clone(), config: HttpClientConfig::default() };
    let (leaving, staying) = (kernel(endpoint()).await, kernel(endpoint()).await);
    adds(&leaving).await;
    within(leaving.kernel.shutdown()).await;
    assert_eq!(leaving.kernel.servers()[0].status().state, ServerState::Disconnected);
    adds(&staying).await;
    adds(&kernel(endpoint()).await).await;
    within(staying.kernel.shutdown()).await;
    within(serving.shutdown()).await;
}

#[tokio::test]
async fn a_call_with_a_pending_question_ends_with_its_host_s_messages() {
    for era in ERAS {
        let setup = start(|kernel, signals| {
            kernel.server(spec("test", signals)).config(|config| config.permissions.wait_ms = 3_600_000)
        })
        .await;
        let (here, there) = memory::pair();
        let agent = Principal::agent("agent.test");
        let connection = setup.kernel.face().serve(agent, Config::default(), there.0, there.1);
        let mut host = RawHost::over(here, As::plain(era).can(serde_json::json!({}))).await;
        let secret = serde_json::json!({"name": "secret", "arguments": {}});
        let id = host.send("tools/call", secret).await;
        idle().await;
        connection.peer().drain();
        let answer = within(host.answer_to(id)).await;
        let refused = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{era:?}: {answer}"));
        assert!(refused.contains("`mgp approve perm-"), "{era:?}: {refused}");
    }
}

#[tokio::test]
async fn only_a_server_with_lifecycle_is_asked_to_stop() {
    for (extension, is_asked) in [("lifecycle", true), ("security", false)] {
        for (era, by_operator) in ERAS.into_iter().flat_map(|era| [(era, false), (era, true)]) {
            let raw = raw_with(era, &[extension]);
            let mut spec = raw.spec("test");
            spec.shutdown_timeout = Duration::from_secs(7);
            let setup = start(|kernel, _| kernel.server(spec)).await;
            if by_operator {
                let operator = setup.host_that(ExtensionSet::ALL, Principal::operator("ann")).await;
                let drain = ControlServerParams {
                    server_id: "test".to_owned(),
                    action: ServerAction::Drain,
                    timeout_ms: None,
                    reason: None,
                };
                within(operator.request::<ControlServer>(&drain)).await.unwrap();
            }
            within(setup.kernel.shutdown()).await;
            let asked = raw.read_of("mgp/lifecycle/shutdown");
            let asked: Vec<_> = asked
                .iter()
                .map(|asked| (asked["params"]["reason"].as_str(), asked["params"]["timeout_ms"].as_u64()))
                .collect();
            let reason = if by_operator { "operator_request" } else { "kernel_shutdown" };
            let expected = if is_asked { vec![(Some(reason), Some(7000))] } else { Vec::new() };
            assert_eq!(asked, expected, "{extension} {era:?}");
        }
    }
}

#[tokio::test]
async fn a_server_in_the_same_process_serves_the_next_kernel() {
    let endpoint = server(&Signals::default());
    for _ in 0..3 {
        let setup = kernel(endpoint.clone()).await;
        adds(&setup).await;
        within(setup.kernel.shutdown()).await;
    }
}

#[tokio::test]
async fn an_in_process_server_stopped_amid_a_call_serves_again() {
    let signals = Signals::default();
    let endpoint = server(&signals);
    let mut first = ServerSpec::new("test", endpoint.clone());
    first.default_policy = DefaultPolicy::OptOut;
    first.shutdown_timeout = Duration::from_millis(50);
    let setup = start(|kernel, _| kernel.server(first)).await;
    let host = setup.host().await;
    let hanging = host.start_tool("hang", json("{}")).await.unwrap();
    within(signals.started.notified()).await;
    within(setup.kernel.shutdown()).await;
    assert!(within(hanging.reply()).await.is_err());
    adds(&kernel(endpoint).await).await;
}

#[tokio::test]
async fn only_the_admin_role_stops_the_kernel_s_interface() {
    let setup = start(|kernel, signals| kernel.server(spec("test", signals))).await;
    let params = ShutdownParams { reason: ShutdownReason::OperatorRequest, timeout_ms: None };
    let host = setup.host().await;
    let refused = within(host.request::<Shutdown>(&params)).await.unwrap_err();
    assert_eq!(code(&refused), number(ErrorCode::PermissionDenied));
    assert_eq!(setup.kernel.servers()[0].status().state, ServerState::Connected);
    adds(&setup).await;
    let events = setup.sink.events();
    let blocked = events.iter().find(|event| event.event_type.as_str() == REQUEST_BLOCKED).unwrap();
    assert_eq!(blocked.details.as_ref().unwrap().text("method").as_deref(), Some("mgp/lifecycle/shutdown"));

    let admin = Principal::agent("operator").with_admin();
    let operator = setup.host_that(ExtensionSet::ALL, admin).await;
    let answer = within(operator.request::<Shutdown>(&params)).await.unwrap();
    assert!(answer.accepted);
    assert_eq!((answer.pending_requests, answer.estimated_drain_ms), (Some(0), Some(0)));
    within(setup.kernel.stop_requested()).await;
    within(setup.kernel.shutdown()).await;
    assert_eq!(setup.kernel.servers()[0].status().state, ServerState::Disconnected);
    let stopped = |kind: &str| setup.sink.events().iter().any(|event| event.event_type.as_str() == kind);
    assert!(stopped("dev.cloto.mgp.KERNEL_STOPPED"));
}

#[tokio::test]
async fn all_requests_to_stop_a_kernel_wait_for_the_same_end() {
    let signals = Signals::default();
    let mut slow = spec("test", &signals);
    slow.shutdown_timeout = Duration::from_millis(200);
    let kernel = Kernel::builder()
        .audit_sink(MemorySink::new(100))
        .config(agent_test)
        .server(slow)
        .start()
        .await
        .unwrap();
    ready(&kernel).await;
    let setup = Setup { kernel, sink: MemorySink::new(1), signals };
    let host = setup.host().await;
    let _hanging = host.start_tool("hang", json("{}")).await.unwrap();
    within(setup.signals.started.notified()).await;
    tokio::select! {
        biased;
        () = setup.kernel.shutdown() => panic!("the call in flight is waited for"),
        // It has begun, and this one waits no longer.
        () = std::future::ready(()) => {}
    }
    within(setup.kernel.shutdown()).await;
    assert_eq!(setup.kernel.servers()[0].status().state, ServerState::Disconnected);
}

#[tokio::test]
async fn the_time_limit_of_a_stop_request_bounds_running_calls() {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.shutdown_timeout = Duration::from_secs(3600);
        kernel.server(spec)
    })
    .await;
    let host = setup.host().await;
    let hanging = host.start_tool("hang", json("{}")).await.unwrap();
    within(setup.signals.started.notified()).await;
    let operator = setup.host_that(ExtensionSet::ALL, Principal::operator("ann")).await;
    let ask = |timeout_ms| ShutdownParams { reason: ShutdownReason::OperatorRequest, timeout_ms };
    let answer = within(operator.request::<Shutdown>(&ask(Some(50)))).await.unwrap();
    assert_eq!((answer.pending_requests, answer.estimated_drain_ms), (Some(1), Some(50)));
    within(setup.kernel.shutdown()).await;
    assert!(within(hanging.reply()).await.is_err());
}

#[tokio::test]
async fn hosts_with_lifecycle_are_notified_of_a_drain_and_its_reason() {
    for era in ERAS {
        let setup = start(|kernel, signals| kernel.server(spec("test", signals))).await;
        let mut admin = setup.raw_host(As { principal: Principal::operator("ann"), ..As::mgp(era) }).await;
        let mut host = setup.raw_host(As::mgp(era)).await;
        let mut remote = setup.raw_remote_host(As::mgp(era)).await;
        let mut plain = setup.raw_host(As::plain(era)).await;
        if era == Era::Stateless {
            let listen = serde_json::json!({"notifications": {"dev.cloto/mgp": {"lifecycle": true}}});
            for host in [&mut admin, &mut host, &mut remote, &mut plain] {
                host.send("subscriptions/listen", listen.clone()).await;
                host.hear("notifications/subscriptions/acknowledged").await;
            }
        }
        within(setup.kernel.shutdown()).await;
        for host in [&mut admin, &mut host, &mut remote] {
            let told = loop {
                let told = host.hear("notifications/mgp.lifecycle").await;
                if told["params"]["server_id"] == "mgp.kernel" {
                    break told;
                }
            };
            assert_eq!(told["params"]["previous_state"], "connected", "{told}");
            assert_eq!(told["params"]["new_state"], "draining", "{told}");
            assert_eq!(told["params"]["reason"], "kernel_shutdown", "{told}");
        }
        plain.settle().await;
        assert_eq!(plain.count("notifications/mgp.lifecycle"), 0, "{era:?}");
    }
}
