//! The circuit breaker of a server: calls are refused for a while after several in a row were not answered, or while the server is unhealthy.

use crate::{
    raw_host::As,
    raw_server::{RawServer, result},
    support::{Setup, pause_clock, start, until},
};
use mgp_kernel::{Era, ServerSpec};
use mgp_lifecycle::breaker::BreakerPolicy;
use mgp_types::{access::DefaultPolicy, lifecycle::HealthStatus};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

/// A server whose answers depend on the switch, and the number of calls that reached it.
struct SwitchedServer {
    works: Arc<AtomicBool>,
    calls: Arc<AtomicUsize>,
    server: RawServer,
}

/// Returns a server that answers calls while its switch is on. If it tells, its health says so too.
fn switched(works: bool, tells: bool) -> SwitchedServer {
    let (works, calls) = (Arc::new(AtomicBool::new(works)), Arc::new(AtomicUsize::new(0)));
    let offers =
        json!({"tools": {}, "mgp": {"version": "0.3.0", "extensions": ["error_handling", "lifecycle"]}});
    let (is_on, counted) = (works.clone(), calls.clone());
    let server = RawServer::new(Era::Initialize, offers, move |message| {
        let is_on = is_on.load(Ordering::SeqCst);
        match message["method"].as_str()? {
            "mgp/health/ping" => {
                let status = if is_on || !tells { "healthy" } else { "unhealthy" };
                Some(vec![result(message, json!({"status": status}))])
            }
            "tools/call" => {
                counted.fetch_add(1, Ordering::SeqCst);
                let answer = || result(message, json!({"content": [{"type": "text", "text": "done"}]}));
                Some(if is_on { vec![answer()] } else { Vec::new() })
            }
            _ => None,
        }
    });
    SwitchedServer { works, calls, server }
}

async fn setup(server: &RawServer, change: impl FnOnce(&mut ServerSpec)) -> Setup {
    let mut spec = server.spec("raw");
    spec.default_policy = DefaultPolicy::OptOut;
    spec.confirmation = Some(mgp_security::profile::Confirmation::Never);
    spec.retries.max_retries = 0;
    change(&mut spec);
    start(|kernel, _| kernel.server(spec)).await
}

/// Returns the answer to a call.
async fn call(setup: &Setup) -> Value {
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    host.ask("tools/call", json!({"name": "work", "arguments": {}})).await
}

#[tokio::test]
async fn an_unresponsive_server_gets_no_calls_until_a_trial_call() {
    let SwitchedServer { works, calls, server } = switched(false, false);
    let setup = setup(&server, |spec| {
        spec.call_timeout = Duration::from_secs(1);
        let pause = Duration::from_secs(3);
        spec.breaker = BreakerPolicy { failures: 2, pause, max_pause: pause };
    })
    .await;
    let _paused = pause_clock();
    for _ in 0..2 {
        assert_eq!(call(&setup).await["error"]["code"], 3003);
    }
    let refused = call(&setup).await;
    assert_eq!(refused["error"]["code"], 2000, "{refused}");
    let advice = &refused["error"]["data"]["_mgp"];
    assert_eq!(advice["retryable"], true, "{refused}");
    let after = advice["retry_after_ms"].as_u64().unwrap();
    assert!((1..=3_000).contains(&after), "{refused}");
    assert_eq!(calls.load(Ordering::SeqCst), 2, "the refused call reached the server");
    works.store(true, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(after)).await;
    for _ in 0..2 {
        assert_eq!(call(&setup).await["result"]["content"][0]["text"], "done");
    }
}

#[tokio::test]
async fn a_server_that_is_unhealthy_from_the_start_gets_no_calls() {
    let SwitchedServer { calls, server, .. } = switched(false, true);
    let setup = setup(&server, |spec| spec.health_pause = Duration::from_secs(3600)).await;
    until(|| setup.kernel.registry()[0].health == Some(HealthStatus::Unhealthy)).await;
    assert_eq!((call(&setup).await["error"]["code"].as_i64(), calls.load(Ordering::SeqCst)), (Some(2000), 0));
}

#[tokio::test]
async fn a_server_gets_no_calls_while_it_reports_itself_unhealthy() {
    let SwitchedServer { works, calls, server } = switched(true, true);
    let setup = setup(&server, |spec| spec.health_pause = Duration::from_millis(20)).await;
    assert!(call(&setup).await.get("result").is_some());
    for is_healthy in [false, true] {
        works.store(is_healthy, Ordering::SeqCst);
        // It is asked for its health again only after the kernel has the answer to the question before.
        let asked = server.read_of("mgp/health/ping").len();
        server.has_read("mgp/health/ping", asked + 3).await;
        let before = calls.load(Ordering::SeqCst);
        let answer = call(&setup).await;
        if is_healthy {
            assert!(answer.get("result").is_some(), "{answer}");
        } else {
            assert_eq!(answer["error"]["code"], 2000, "{answer}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.contains("reports that it is unhealthy"), "{message}");
            assert_eq!(calls.load(Ordering::SeqCst), before, "the refused call reached the server");
        }
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        let told = host.get("mgp/health/status", json!({})).await;
        let counted = (&told["tools_available"], &told["tools_total"]);
        assert_eq!(counted, (&json!(u8::from(is_healthy)), &json!(1)), "{told}");
    }
}
