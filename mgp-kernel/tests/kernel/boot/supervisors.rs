//! A supervisor that fails is noticed and replaced.

use crate::{
    boot::life::deaf_while_it_works,
    support::{Signals, agent_test, json, server, start, until, within},
};
use mgp_kernel::{Endpoint, InProcess, Kernel, ServerSpec};
use mgp_security::audit::MemorySink;
use mgp_types::{
    access::DefaultPolicy,
    lifecycle::{RestartConfig, RestartPolicy, ServerState},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// Returns a server whose supervisor panics the first `times` times that it connects to the server.
fn panics(times: usize) -> ServerSpec {
    let Endpoint::InProcess(inner) = server(&Signals::default()) else { unreachable!() };
    let attempts = AtomicUsize::new(0);
    let endpoint = Endpoint::InProcess(InProcess::new(move || {
        assert!(attempts.fetch_add(1, Ordering::SeqCst) >= times, "out of luck");
        inner.connect()
    }));
    let mut spec = ServerSpec::new("test", endpoint);
    spec.default_policy = DefaultPolicy::OptOut;
    spec.restart = RestartConfig {
        restart_policy: RestartPolicy::OnFailure,
        max_restarts: 2,
        restart_window_secs: 300,
        backoff_base_ms: 1,
        backoff_max_ms: 2,
    };
    spec
}

async fn kernel(spec: ServerSpec) -> (Kernel, MemorySink) {
    let sink = MemorySink::new(100);
    let builder = Kernel::builder().audit_sink(sink.clone()).config(agent_test);
    (builder.server(spec).start().await.unwrap(), sink)
}

fn panics_recorded(sink: &MemorySink) -> usize {
    let events = sink.events();
    let recorded = events.iter().filter(|event| {
        let details = event.details.as_ref();
        event.event_type.as_str() == "SERVER_DISCONNECTED"
            && event.result.to_string() == "FAILURE"
            && details.is_some_and(|details| {
                details.get("supervisor_panicked").is_some()
                    && details.text("reason").is_some_and(|reason| reason.contains("out of luck"))
            })
    });
    recorded.count()
}

#[tokio::test]
async fn a_supervisor_that_panics_is_recorded_and_replaced() {
    let (kernel, sink) = kernel(panics(2)).await;
    let server = kernel.servers()[0].clone();
    until(|| server.status().state == ServerState::Connected).await;
    assert_eq!(panics_recorded(&sink), 2);
    within(kernel.shutdown()).await;
    assert_eq!(server.status().state, ServerState::Disconnected);
}

#[tokio::test]
async fn a_supervisor_that_always_panics_uses_up_its_restarts() {
    let (kernel, sink) = kernel(panics(usize::MAX)).await;
    let gave_up = || {
        let limit = |details: &mgp_types::json::RawObject| details.get("restart_limit_exceeded").is_some();
        sink.events().iter().any(|event| event.details.as_ref().is_some_and(limit))
    };
    until(gave_up).await;
    assert_eq!((panics_recorded(&sink), kernel.servers()[0].status().state), (3, ServerState::Error));
    within(kernel.shutdown()).await;
}

#[tokio::test]
async fn a_busy_server_whose_calls_have_no_time_limit_is_not_lost() {
    let connections = Arc::new(AtomicUsize::new(0));
    let setup = start(|kernel, _| {
        let mut spec = deaf_while_it_works(&connections);
        spec.call_timeout = Duration::MAX;
        spec.question_timeout = Duration::MAX;
        kernel.server(spec).config(|config| {
            config.kernel.start_wait_ms = u64::MAX;
            config.permissions.wait_ms = u64::MAX;
            config.permissions.decision_timeout_secs = u64::MAX;
        })
    })
    .await;
    let host = setup.host().await;
    // From here on the clock is virtual, and a minute takes no time.
    tokio::time::pause();
    let answer = host.call_tool("work", json("{}")).await.unwrap();
    assert_eq!(answer.content[0].as_text(), Some("done"));
    assert_eq!(connections.load(Ordering::SeqCst), 1);
    assert_eq!(setup.kernel.servers()[0].status().state, ServerState::Connected);
}
