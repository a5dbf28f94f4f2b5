//! §14.5 What a call that failed says of a second try.

use crate::{
    boot::life::fragile,
    raw_host::As,
    raw_server::{RawServer, result},
    support::{Setup, Signals, code, json, number, pause_clock, server_rule, spec, start, until, within},
};
use mgp_kernel::{Endpoint, Era, InProcess, ServerSpec};
use mgp_server_sdk::{Server, Tool};
use mgp_transport::seam::CallError;
use mgp_types::{
    access::DefaultPolicy,
    context::TrustLevel,
    error::{ErrorCode, Recovery},
    lifecycle::{RestartConfig, RestartPolicy, ServerState},
    mcp::ToolAnnotations,
};
use serde_json::{Value, json as value};
use std::time::Duration;

fn advice(error: &CallError) -> Recovery {
    let CallError::Peer(error) = error else { panic!("not an answer: {error}") };
    Recovery::from_error(error).unwrap()
}

/// A server of which each tool never answers.
fn silent() -> Endpoint {
    let hang = || Tool::new("x", "", async || std::future::pending::<String>().await);
    let hints = |read_only, idempotent| ToolAnnotations {
        read_only_hint: read_only,
        idempotent_hint: idempotent,
        ..ToolAnnotations::default()
    };
    let tool = |name: &str, hints: ToolAnnotations| {
        Tool::new(name, "", async || std::future::pending::<String>().await).annotations(hints)
    };
    let stack = Server::new("silent", "1")
        .tool(hang())
        .tool(tool("reads", hints(Some(true), None)))
        .tool(tool("repeats", hints(None, Some(true))))
        .tool(tool("writes", hints(Some(false), Some(false))))
        .build()
        .unwrap();
    Endpoint::InProcess(InProcess::new(move || stack.in_process()))
}

async fn setup(endpoint: Endpoint, change: impl FnOnce(&mut ServerSpec)) -> Setup {
    let mut spec = ServerSpec::new("test", endpoint);
    spec.default_policy = DefaultPolicy::OptOut;
    change(&mut spec);
    start(|kernel, _| kernel.server(spec)).await
}

async fn timed_out(setup: &Setup, tool: &str) -> Recovery {
    let host = setup.host().await;
    let _paused = pause_clock();
    let error = within(host.call_tool(tool, json("{}"))).await.unwrap_err();
    assert_eq!(code(&error), number(ErrorCode::Timeout), "{tool}");
    let advice = advice(&error);
    assert!(advice.is_outcome_unknown(), "{tool}: {advice:?}");
    advice
}

#[tokio::test]
async fn an_unanswered_call_is_retryable_only_if_repeatable() {
    let limit = Duration::from_millis(20);
    for (trust, hints_count) in
        [(TrustLevel::Trusted, true), (TrustLevel::Standard, true), (TrustLevel::Sandboxed, false)]
    {
        let setup = setup(silent(), |spec| {
            (spec.trust, spec.call_timeout) = (trust, limit);
            spec.confirmation = Some(mgp_security::profile::Confirmation::Never);
        })
        .await;
        for (tool, retryable) in
            [("x", false), ("writes", false), ("reads", hints_count), ("repeats", hints_count)]
        {
            let advice = timed_out(&setup, tool).await;
            assert_eq!(advice.retryable, retryable, "{trust} {tool}");
            assert_eq!(advice.retry_strategy.is_some(), retryable, "{trust} {tool}");
        }
    }
    let setup = setup(silent(), |spec| {
        (spec.trust, spec.call_timeout) = (TrustLevel::Sandboxed, limit);
        spec.idempotent = vec!["x".to_owned()];
        spec.confirmation = Some(mgp_security::profile::Confirmation::Never);
    })
    .await;
    assert!(timed_out(&setup, "x").await.retryable, "the operator says so");
    assert!(!timed_out(&setup, "writes").await.retryable);
}

/// Calls a method of a server that never answers it, and returns whether the error says that it may be sent again.
async fn may_be_sent_again(capabilities: Value, method: &'static str, params: Value) -> bool {
    let server =
        RawServer::new(Era::Initialize, capabilities, move |message| match message["method"].as_str()? {
            silent if silent == method => Some(Vec::new()),
            "resources/list" => {
                Some(vec![result(message, value!({"resources": [{"uri": "w://1", "name": "w"}]}))])
            }
            "resources/templates/list" => Some(vec![result(message, value!({"resourceTemplates": []}))]),
            "prompts/list" => Some(vec![result(message, value!({"prompts": [{"name": "p"}]}))]),
            _ => None,
        });
    let setup = start(|kernel, _| {
        let mut spec = server.spec("raw");
        spec.trust = TrustLevel::Trusted;
        spec.confirmation = Some(mgp_security::profile::Confirmation::Never);
        kernel.server(spec)
    })
    .await;
    setup.kernel.access().put(server_rule("agent.test", "raw")).await.unwrap();
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let _paused = pause_clock();
    let refused = host.refused(method, params).await;
    assert_eq!(refused["code"], number(ErrorCode::Timeout), "{method}: {refused}");
    let advice = &refused["data"]["_mgp"];
    assert_eq!(advice["details"]["outcome"], "unknown", "{method}: {refused}");
    advice["retryable"].as_bool().unwrap()
}

#[tokio::test]
async fn a_read_only_request_may_be_repeated() {
    let offers = value!({"resources": {}, "prompts": {}, "completions": {}});
    let reference = value!({"type": "ref/prompt", "name": "p"});
    for (method, params) in [
        ("resources/read", value!({"uri": "w://1"})),
        ("prompts/get", value!({"name": "p"})),
        ("completion/complete", value!({"ref": reference, "argument": {"name": "a", "value": ""}})),
    ] {
        assert!(may_be_sent_again(offers.clone(), method, params).await, "{method}");
    }
}

#[tokio::test]
async fn hints_of_a_server_with_less_trust_do_not_count() {
    let mgp = |trust: &str| {
        let mgp = value!({"version": "0.3.0", "extensions": ["security"], "trust_level": trust});
        value!({"tools": {}, "mgp": mgp})
    };
    for (trust, retryable) in [("standard", true), ("untrusted", false)] {
        let call = value!({"name": "work", "arguments": {}});
        assert_eq!(may_be_sent_again(mgp(trust), "tools/call", call).await, retryable, "{trust}");
    }
}

fn restart(policy: RestartPolicy, backoff_ms: u64) -> RestartConfig {
    RestartConfig {
        restart_policy: policy,
        max_restarts: 2,
        restart_window_secs: 300,
        backoff_base_ms: backoff_ms,
        backoff_max_ms: backoff_ms,
    }
}

#[tokio::test]
async fn later_calls_to_a_lost_server_get_the_time_of_its_restart() {
    let signals = Signals::default();
    let (mut fragile, lines) = fragile(&signals);
    fragile.restart = restart(RestartPolicy::OnFailure, 600_000);
    let setup = start(|kernel, _| kernel.server(fragile)).await;
    let host = setup.host().await;
    let hanging = host.start_tool("hang", json("{}")).await.unwrap();
    within(signals.started.notified()).await;
    lines.lock().pop().unwrap().abort();
    let lost = within(hanging.reply()).await.unwrap_err();
    assert_eq!(code(&lost), number(ErrorCode::UpstreamUnavailable));
    assert!(!advice(&lost).retryable && advice(&lost).is_outcome_unknown(), "{lost}");
    until(|| setup.kernel.servers()[0].status().state == ServerState::Restarting).await;
    let refused = within(host.call_tool("add", json(r#"{"a":1,"b":1}"#))).await.unwrap_err();
    assert_eq!(code(&refused), number(ErrorCode::ServerRestarting));
    let advice = advice(&refused);
    let wait = advice.retry_after_ms.unwrap();
    assert!(advice.retryable && (200_000..=600_000).contains(&wait), "{advice:?}");
}

#[tokio::test]
async fn a_server_without_restarts_is_not_worth_a_retry() {
    let signals = Signals::default();
    let (mut fragile, lines) = fragile(&signals);
    fragile.restart = restart(RestartPolicy::Never, 1);
    let setup = start(|kernel, _| kernel.server(fragile)).await;
    let host = setup.host().await;
    within(host.call_tool("add", json(r#"{"a":1,"b":1}"#))).await.unwrap();
    lines.lock().pop().unwrap().abort();
    until(|| setup.kernel.servers()[0].status().state == ServerState::Error).await;
    // Its supervisor has nothing more to do once the kernel can stop without it.
    within(setup.kernel.shutdown()).await;
    let refused = within(host.call_tool("add", json(r#"{"a":1,"b":1}"#))).await.unwrap_err();
    assert_eq!(code(&refused), number(ErrorCode::ServerNotReady));
    assert!(!advice(&refused).retryable, "{refused}");
    assert!(refused.to_string().contains("is not started again"), "{refused}");
}

#[tokio::test]
async fn a_call_that_stays_in_the_queue_too_long_may_be_retried() {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        (spec.max_concurrent, spec.call_timeout) = (1, Duration::from_secs(60));
        kernel.server(spec)
    })
    .await;
    let host = setup.host().await;
    let running = host.start_tool("hang", json("{}")).await.unwrap();
    within(setup.signals.started.notified()).await;
    // From here on a minute takes no time.
    tokio::time::pause();
    // The time of the call that runs is over before the others have waited too long.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let began = tokio::time::Instant::now();
    let next = host.start_tool("hang", json("{}")).await.unwrap();
    let last = host.start_tool("add", json(r#"{"a":1,"b":1}"#)).await.unwrap();
    let (running, last) = tokio::join!(running.reply(), last.reply());
    assert_eq!(code(&running.unwrap_err()), number(ErrorCode::Timeout));
    let refused = last.unwrap_err();
    assert_eq!((code(&refused), began.elapsed().as_secs()), (number(ErrorCode::ResourceExhausted), 60));
    assert!(advice(&refused).retryable && !advice(&refused).is_outcome_unknown());
    assert!(refused.to_string().contains("max_concurrent"), "{refused}");
    assert_eq!(code(&next.reply().await.unwrap_err()), number(ErrorCode::Timeout), "it had its turn");
    let recorded = setup.calls_recorded(3).await;
    assert!(recorded.contains(&"TOOL_BLOCKED BLOCKED test.add".to_owned()), "{recorded:?}");
}
