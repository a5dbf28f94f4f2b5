//! Operators start and stop single servers of a running kernel.

use crate::{
    boot::life::fragile,
    raw_server::RawServer,
    support::{Setup, Signals, code, full, json, jump, number, open, spec, start, until, within},
};
use mgp_client_sdk::client::{Change, Client};
use mgp_kernel::Era;
use mgp_transport::seam::CallError;
use mgp_types::{
    audit::AuditResult,
    context::Principal,
    error::{ErrorCode, Recovery},
    lifecycle::{
        ControlServer, ControlServerParams, ControlServerResult, KernelStatusParams, ReportKernel,
        ServerAction, ServerState,
    },
    mcp::SubscriptionFilter,
    negotiation::ExtensionSet,
    rpc::JsonRpcCode,
};
use serde_json::Value;
use std::time::Duration;

async fn operator(setup: &Setup) -> Client {
    setup.host_that(ExtensionSet::ALL, Principal::operator("ann")).await
}

fn params(server_id: &str, action: ServerAction) -> ControlServerParams {
    ControlServerParams { server_id: server_id.to_owned(), action, timeout_ms: None, reason: None }
}

async fn control(operator: &Client, action: ServerAction) -> ControlServerResult {
    within(operator.request::<ControlServer>(&params("test", action))).await.unwrap()
}

fn states(result: &ControlServerResult) -> (ServerState, ServerState, bool) {
    (result.previous_state, result.state, result.done)
}

async fn adds(host: &Client) -> Result<String, i64> {
    let sum = within(host.call_tool("add", json(r#"{"a":1,"b":1}"#))).await;
    sum.map(|sum| sum.content[0].as_text().unwrap_or_default().to_owned()).map_err(|error| code(&error))
}

async fn tools(host: &Client) -> usize {
    within(host.list_tools()).await.unwrap().iter().filter(|tool| !tool.name.starts_with("mgp_")).count()
}

/// Returns the events of commands, as their actor, action and state before.
fn commands(setup: &Setup) -> Vec<(String, String, String)> {
    let events = setup.sink.events().into_iter();
    let commands = events.filter(|event| event.event_type.as_str() == "dev.cloto.mgp.SERVER_CONTROLLED");
    let parts = commands.map(|event| {
        let details = event.details.unwrap();
        let text = |key| details.text(key).unwrap();
        (event.actor.id, text("action"), text("previous_state"))
    });
    parts.collect()
}

#[tokio::test]
async fn only_the_admin_role_controls_servers() {
    let setup = open().await;
    let host = setup.host().await;
    for action in ServerAction::ALL {
        let refused = within(host.request::<ControlServer>(&params("test", *action))).await.unwrap_err();
        assert_eq!(code(&refused), number(ErrorCode::PermissionDenied));
    }
    assert_eq!(adds(&host).await.unwrap(), "2");
    assert_eq!(commands(&setup), []);
    let blocked = setup
        .sink
        .events()
        .into_iter()
        .filter(|event| event.event_type.as_str() == "dev.cloto.mgp.REQUEST_BLOCKED");
    assert_eq!(blocked.count(), ServerAction::ALL.len());
}

#[tokio::test]
async fn a_stopped_server_is_hidden_until_its_recorded_start() {
    let setup = start(|kernel, signals| kernel.config(full).server(spec("test", signals))).await;
    let (host, operator) = (setup.host().await, operator(&setup).await);
    let mut changes = host
        .subscribe(SubscriptionFilter { tools_list_changed: true, ..SubscriptionFilter::default() })
        .await
        .unwrap();
    let before = tools(&host).await;
    let stopped = control(&operator, ServerAction::Stop).await;
    assert_eq!(states(&stopped), (ServerState::Connected, ServerState::Disconnected, true));
    assert_eq!(within(changes.next()).await.unwrap(), Change::Tools);
    assert_eq!(tools(&host).await, 0);
    assert_eq!(adds(&host).await.unwrap_err(), number(ErrorCode::ServerNotReady));
    let told = within(operator.request::<ReportKernel>(&KernelStatusParams::default())).await.unwrap();
    assert!(told.servers[0].stopped);
    let started = control(&operator, ServerAction::Start).await;
    assert_eq!(states(&started), (ServerState::Disconnected, ServerState::Connected, true));
    assert_eq!(tools(&host).await, before);
    assert_eq!(adds(&host).await.unwrap(), "2");
    let entry = |action: &str, state: &str| ("ann".to_owned(), action.to_owned(), state.to_owned());
    assert_eq!(commands(&setup), [entry("stop", "connected"), entry("start", "disconnected")]);
    within(setup.kernel.shutdown()).await;
}

#[tokio::test]
async fn a_restart_of_a_restarting_server_starts_it_at_once() {
    let signals = Signals::default();
    let (mut fragile, lines) = fragile(&signals);
    // Nothing else would start it during the test.
    let pause = 600_000;
    (fragile.restart.backoff_base_ms, fragile.restart.backoff_max_ms) = (pause, pause);
    let setup = start(|kernel, _| kernel.server(fragile)).await;
    let (host, operator) = (setup.host().await, operator(&setup).await);
    assert_eq!(adds(&host).await.unwrap(), "2");
    lines.lock().pop().unwrap().abort();
    until(|| setup.kernel.servers()[0].status().state == ServerState::Restarting).await;
    let restarted =
        within(operator.request::<ControlServer>(&params("fragile", ServerAction::Restart))).await;
    assert_eq!(states(&restarted.unwrap()), (ServerState::Restarting, ServerState::Connected, true));
    assert_eq!(adds(&host).await.unwrap(), "2");
}

#[tokio::test]
async fn draining_completes_calls_within_the_limit_and_accepts_none() {
    let setup = open().await;
    let (host, operator) = (setup.host().await, operator(&setup).await);
    let hanging = host.start_tool("hang", json("{}")).await.unwrap();
    within(setup.signals.started.notified()).await;
    let draining = ControlServerParams { timeout_ms: Some(30_000), ..params("test", ServerAction::Drain) };
    let watched = setup.kernel.servers()[0].clone();
    let (drained, refused) = tokio::join!(within(operator.request::<ControlServer>(&draining)), async {
        until(|| watched.status().state == ServerState::Draining).await;
        let refused = adds(&host).await;
        jump(Duration::from_secs(31)).await;
        refused
    });
    assert_eq!(refused.unwrap_err(), number(ErrorCode::ServerDraining));
    assert_eq!(states(&drained.unwrap()), (ServerState::Connected, ServerState::Disconnected, true));
    assert!(within(hanging.reply()).await.is_err(), "the call past the limit is answered");
    within(setup.kernel.shutdown()).await;
}

#[tokio::test]
async fn a_server_that_ignores_its_shutdown_delays_only_its_own_drain() {
    let capabilities =
        serde_json::json!({"tools": {}, "mgp": {"version": "0.3.0", "extensions": ["lifecycle"]}});
    let silent = |message: &Value| (message["method"] == "mgp/lifecycle/shutdown").then(Vec::new);
    let server = RawServer::new(Era::Initialize, capabilities, silent);
    let mut spec = server.spec("test");
    spec.shutdown_timeout = Duration::from_millis(200);
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let operator = operator(&setup).await;
    let draining = ControlServerParams { timeout_ms: Some(3_600_000), ..params("test", ServerAction::Drain) };
    let drained = within(operator.request::<ControlServer>(&draining)).await.unwrap();
    assert_eq!(states(&drained), (ServerState::Connected, ServerState::Disconnected, true));
    server.has_read("mgp/lifecycle/shutdown", 1).await;
    within(setup.kernel.shutdown()).await;
}

#[tokio::test]
async fn a_stop_or_shutdown_cuts_a_long_drain_or_restart_short() {
    for (action, by_kernel) in [
        (ServerAction::Drain, false),
        (ServerAction::Drain, true),
        (ServerAction::Restart, false),
        (ServerAction::Restart, true),
    ] {
        let setup = start(|kernel, signals| {
            let mut spec = spec("test", signals);
            spec.shutdown_timeout = Duration::from_millis(200);
            kernel.server(spec)
        })
        .await;
        let (host, operator) = (setup.host().await, operator(&setup).await);
        let _hanging = host.start_tool("hang", json("{}")).await.unwrap();
        within(setup.signals.started.notified()).await;
        let draining = ControlServerParams { timeout_ms: Some(3_600_000), ..params("test", action) };
        let watched = setup.kernel.servers()[0].clone();
        let draining = tokio::spawn({
            let operator = setup.host_that(ExtensionSet::ALL, Principal::operator("bob")).await;
            async move { operator.request::<ControlServer>(&draining).await.map(|result| states(&result)) }
        });
        until(|| watched.status().state == ServerState::Draining).await;
        if by_kernel {
            within(setup.kernel.shutdown()).await;
            let answer = within(draining).await.unwrap();
            if action == ServerAction::Restart {
                let error = answer.unwrap_err();
                assert_eq!(code(&error), number(ErrorCode::ServerDraining));
                assert!(error.to_string().contains("the gateway ends"), "{error}");
            } else {
                assert_eq!(answer.unwrap(), (ServerState::Connected, ServerState::Disconnected, true));
            }
        } else {
            let stopped = control(&operator, ServerAction::Stop).await;
            assert_eq!(states(&stopped), (ServerState::Draining, ServerState::Disconnected, true));
            assert_eq!(
                within(draining).await.unwrap().unwrap(),
                (ServerState::Connected, ServerState::Disconnected, true)
            );
        }
        assert_eq!(watched.status().state, ServerState::Disconnected);
        within(setup.kernel.shutdown()).await;
    }
}

#[tokio::test]
async fn a_restarted_server_is_another_process_with_the_same_tools() {
    let setup = open().await;
    let (host, operator) = (setup.host().await, operator(&setup).await);
    for times in 1..=3 {
        let restarted = control(&operator, ServerAction::Restart).await;
        assert_eq!(states(&restarted), (ServerState::Connected, ServerState::Connected, true));
        assert_eq!(setup.kernel.servers()[0].restarts(), times);
        assert_eq!(adds(&host).await.unwrap(), "2");
    }
    within(setup.kernel.shutdown()).await;
}

#[tokio::test]
async fn a_call_waits_for_a_restart_and_a_stop_advises_no_retry() {
    for (action, again) in [(ServerAction::Restart, true), (ServerAction::Drain, false)] {
        let setup = open().await;
        let (host, operator) = (setup.host().await, operator(&setup).await);
        let _hanging = host.start_tool("hang", json("{}")).await.unwrap();
        within(setup.signals.started.notified()).await;
        let watched = setup.kernel.servers()[0].clone();
        let command = ControlServerParams { timeout_ms: Some(30_000), ..params("test", action) };
        let (_, sum) = tokio::join!(within(operator.request::<ControlServer>(&command)), async {
            until(|| watched.status().state == ServerState::Draining).await;
            // The time limit of the command passes while the call waits.
            let call = within(host.call_tool("add", json(r#"{"a":1,"b":1}"#)));
            tokio::join!(call, jump(Duration::from_secs(31))).0
        });
        match sum {
            Ok(sum) => assert_eq!((sum.content[0].as_text(), again), (Some("2"), true)),
            Err(error) => {
                assert_eq!((code(&error), again), (number(ErrorCode::ServerDraining), false), "{error}");
                let CallError::Peer(refused) = error else { panic!("not an answer: {error}") };
                assert!(!Recovery::from_error(&refused).unwrap().retryable, "{refused:?}");
            }
        }
        within(setup.kernel.shutdown()).await;
    }
}

#[tokio::test]
async fn a_manual_start_restores_all_restarts_of_a_failed_server() {
    let (mut fragile, lines) = fragile(&Signals::default());
    fragile.id = "test".to_owned();
    let setup = start(|kernel, _| kernel.server(fragile)).await;
    let (host, operator, watched) =
        (setup.host().await, operator(&setup).await, setup.kernel.servers()[0].clone());
    for _ in 0..2 {
        for loss in 1..=3 {
            until(|| !lines.lock().is_empty() && watched.status().state == ServerState::Connected).await;
            let line = lines.lock().pop().unwrap();
            line.abort();
            until(|| watched.status().state != ServerState::Connected || !lines.lock().is_empty()).await;
            if loss == 3 {
                until(|| watched.status().state == ServerState::Error).await;
            }
        }
        let started = control(&operator, ServerAction::Start).await;
        assert_eq!((started.state, started.done), (ServerState::Connected, true), "{started:?}");
        assert_eq!(adds(&host).await.unwrap(), "2");
    }
    within(setup.kernel.shutdown()).await;
}

#[tokio::test]
async fn a_command_in_the_wrong_state_names_the_allowed_ones() {
    let setup = open().await;
    let operator = operator(&setup).await;
    let refused = async |params: ControlServerParams| {
        within(operator.request::<ControlServer>(&params)).await.unwrap_err()
    };
    let error = refused(params("test", ServerAction::Start)).await;
    assert_eq!(code(&error), i64::from(JsonRpcCode::InvalidRequest));
    let told = error.to_string();
    assert!(
        told.contains(r#"server "test" is connected, which allows: stop, restart, drain; not start"#),
        "{told}"
    );
    let error = refused(params("nope", ServerAction::Stop)).await;
    assert_eq!(code(&error), number(ErrorCode::ResourceNotFound));
    assert!(error.to_string().contains(r#"there is no server "nope"; there are: test"#), "{error}");
    for (wrong, expected) in [
        (
            ControlServerParams { timeout_ms: Some(1), ..params("test", ServerAction::Stop) },
            "stop takes no timeout_ms",
        ),
        (
            ControlServerParams { timeout_ms: Some(3_600_001), ..params("test", ServerAction::Drain) },
            "timeout_ms is 3600001: expected at most 3600000",
        ),
        (
            ControlServerParams { reason: Some("x".repeat(1001)), ..params("test", ServerAction::Stop) },
            "reason is longer than 1000 characters",
        ),
    ] {
        let error = refused(wrong).await;
        assert!(error.to_string().contains(expected), "{error}");
    }
    // What the state does not allow is on record as refused.
    assert_eq!(commands(&setup), [("ann".to_owned(), "start".to_owned(), "connected".to_owned())]);
    let blocked = setup.sink.events().into_iter().filter(|event| event.result == AuditResult::Blocked);
    assert_eq!(blocked.filter(|event| event.event_type.as_str().ends_with("SERVER_CONTROLLED")).count(), 1);
    assert_eq!(setup.kernel.servers()[0].status().state, ServerState::Connected);
}

#[tokio::test]
async fn a_stopped_server_keeps_its_names_from_others() {
    let setup = start(|kernel, signals| {
        kernel.config(full).server(spec("test", signals)).server(spec("other", signals))
    })
    .await;
    let (host, operator) = (setup.host().await, operator(&setup).await);
    control(&operator, ServerAction::Stop).await;
    let names: Vec<_> = within(host.list_tools()).await.unwrap().into_iter().map(|tool| tool.name).collect();
    assert!(names.contains(&"other__add".to_owned()) && !names.contains(&"add".to_owned()), "{names:?}");
    // A call by the bare name reaches no other server.
    assert_eq!(adds(&host).await.unwrap_err(), number(ErrorCode::ServerNotReady));
    within(setup.kernel.shutdown()).await;
}
