//! §14.6 Failed calls that the kernel makes again.

use crate::{
    boot::life::fragile,
    raw_host::As,
    raw_server::{RawServer, result},
    support::{Setup, Signals, code, json, jump, number, pause_clock, start, until, within},
};
use mgp_kernel::{Era, ServerSpec};
use mgp_types::{
    access::DefaultPolicy,
    audit::AuditResult,
    context::TrustLevel,
    error::ErrorCode,
    lifecycle::{RestartConfig, RestartPolicy, ServerState},
};
use serde_json::{Value, json as value};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// A server whose tool `work` fails as often as `fails` says, by this answer to a request.
fn failing(fails: usize, error: Value) -> (RawServer, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let offers = value!({"tools": {}, "mgp": {"version": "0.3.0", "extensions": ["error_handling"]}});
    let server = RawServer::new(Era::Initialize, offers, move |message| {
        if message["method"] != "tools/call" {
            return None;
        }
        let call = counted.fetch_add(1, Ordering::SeqCst);
        Some(vec![if call < fails {
            value!({"jsonrpc": "2.0", "id": message["id"], "error": error})
        } else {
            result(message, value!({"content": [{"type": "text", "text": "done"}]}))
        }])
    });
    (server, calls)
}

fn limited(retry_after_ms: u64) -> Value {
    value!({"code": 3000, "message": "slow down",
        "data": {"_mgp": {"category": "resource", "retryable": true, "retry_after_ms": retry_after_ms}}})
}

async fn setup(server: &RawServer, change: impl FnOnce(&mut ServerSpec)) -> Setup {
    let mut spec = server.spec("raw");
    spec.default_policy = DefaultPolicy::OptOut;
    spec.idempotent = vec!["work".to_owned()];
    spec.confirmation = Some(mgp_security::profile::Confirmation::Never);
    change(&mut spec);
    start(|kernel, _| kernel.server(spec)).await
}

/// Returns the number of retries in the trail, and the attempts that the call's own event counts.
fn recorded(setup: &Setup) -> (usize, Value) {
    let events = setup.sink.events();
    let retried = events.iter().filter(|event| event.event_type.as_str() == "dev.cloto.mgp.TOOL_RETRIED");
    let retries = retried.inspect(|event| assert_eq!(event.result, AuditResult::Failure)).count();
    let mut of_calls = events.iter().filter(|event| event.event_type.as_str() == "TOOL_EXECUTED");
    let details =
        of_calls.next_back().and_then(|event| event.details.as_ref()).and_then(|all| all.get("attempts"));
    let attempts = details.and_then(|attempts| serde_json::from_str(attempts.as_str()).ok());
    (retries, attempts.unwrap_or_default())
}

#[tokio::test]
async fn a_repeatable_call_is_retried_with_an_event_for_each_retry() {
    let (server, calls) = failing(2, limited(1));
    let setup = setup(&server, |_| {}).await;
    let host = setup.host().await;
    within(host.call_tool("work", json("{}"))).await.unwrap();
    setup.calls_recorded(1).await;
    assert_eq!(calls.load(Ordering::SeqCst), 3);
    assert_eq!(recorded(&setup), (2, value!(3)));
}

#[tokio::test]
async fn a_call_with_all_retries_used_up_advises_no_retry() {
    let (server, calls) = failing(9, limited(1));
    let setup = setup(&server, |spec| spec.retries.max_retries = 1).await;
    let params = value!({"name": "work", "arguments": {}});
    let refused = setup.raw_host(As::mgp(Era::Initialize)).await.refused("tools/call", params).await;
    assert_eq!(refused["data"]["_mgp"]["retryable"], false, "{refused}");
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    setup.calls_recorded(1).await;
    assert_eq!(recorded(&setup), (1, value!(2)));
}

#[tokio::test]
async fn a_server_s_retry_advice_counts_for_plain_hosts_unseen() {
    let mut error = limited(1);
    error["data"]["_mgp"]["max_retries"] = value!(1);
    error["data"]["_meta"] = value!({"mgp": {}});
    let (server, calls) = failing(9, error);
    let setup = setup(&server, |_| {}).await;
    let params = value!({"name": "work", "arguments": {}});
    let refused = setup.raw_host(As::plain(Era::Initialize)).await.refused("tools/call", params).await;
    assert!(!refused.to_string().contains("mgp"), "{refused}");
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_non_repeatable_call_reaches_its_server_only_once() {
    // Its annotations say that it only reads, which counts for servers of standard trust.
    let sandboxed = |spec: &mut ServerSpec| {
        spec.idempotent.clear();
        spec.trust = TrustLevel::Sandboxed;
    };
    let (server, calls) = failing(
        9,
        value!({"code": 5002, "message": "the database is gone",
        "data": {"_mgp": {"category": "external", "retryable": true}}}),
    );
    let setup = setup(&server, sandboxed).await;
    let host = setup.host().await;
    let error = within(host.call_tool("work", json("{}"))).await.unwrap_err();
    assert_eq!(code(&error), number(ErrorCode::UpstreamUnavailable));
    // An error without advice: that of the table says to retry, which counts for calls alone that were not sent.
    let (silent, silent_calls) = failing(9, value!({"code": 3000, "message": "slow down"}));
    let unsaid = self::setup(&silent, sandboxed).await;
    within(unsaid.host().await.call_tool("work", json("{}"))).await.unwrap_err();
    assert_eq!((calls.load(Ordering::SeqCst), silent_calls.load(Ordering::SeqCst)), (1, 1));
    assert_eq!((recorded(&setup).0, recorded(&unsaid).0), (0, 0));
}

#[tokio::test]
async fn rights_are_checked_again_before_a_retry() {
    let (server, calls) = failing(1, limited(300));
    let setup = setup(&server, |_| {}).await;
    let host = setup.host().await;
    let _paused = pause_clock();
    let call = host.start_tool("work", json("{}")).await.unwrap();
    until(|| calls.load(Ordering::SeqCst) > 0).await;
    let denial = mgp_types::access::AccessEntry::deny("agent.test").server("raw").tool("work");
    setup.kernel.access().put(denial).await.unwrap();
    within(call.reply()).await.unwrap_err();
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn calls_wait_for_a_restart_and_repeatable_ones_are_repeated() {
    let signals = Signals::default();
    let (mut fragile, lines) = fragile(&signals);
    fragile.idempotent = vec!["hang".to_owned()];
    fragile.restart = RestartConfig {
        restart_policy: RestartPolicy::OnFailure,
        max_restarts: 9,
        restart_window_secs: 300,
        backoff_base_ms: 10_000,
        backoff_max_ms: 10_000,
    };
    let setup = start(|kernel, _| kernel.server(fragile)).await;
    let host = setup.host().await;
    let hangs = host.start_tool("hang", json("{}")).await.unwrap();
    within(signals.started.notified()).await;
    lines.lock().pop().unwrap().abort();
    until(|| setup.kernel.servers()[0].status().state != ServerState::Connected).await;
    // Both calls wait before the server is started again.
    let add = within(host.call_tool("add", json(r#"{"a":1,"b":1}"#)));
    tokio::join!(add, jump(Duration::from_secs(11))).0.unwrap();
    within(signals.started.notified()).await;
    drop(hangs);
    let events = setup.sink.events();
    let of = |name| events.iter().filter(move |event| event.event_type.as_str() == name);
    let retried: Vec<_> = of("dev.cloto.mgp.TOOL_RETRIED")
        .map(|event| event.details.as_ref().unwrap().get("error_code").unwrap().as_str().to_owned())
        .collect();
    // The call that hangs is repeated for each restart. It is one, unless the jump of the clock ends the new connection too.
    let restarts = of("SERVER_CONNECTED").count() - 1;
    assert!(restarts > 0);
    assert_eq!(retried.iter().filter(|code| *code == "5002").count(), restarts, "{retried:?}");
    assert_eq!(retried.len(), 1 + restarts, "{retried:?}");
}
