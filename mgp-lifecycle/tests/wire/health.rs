//! Health, asked over a connection.

use super::support::{gate_in, nothing, served, settle};
use mgp_lifecycle::health::{
    DownReason, Health, HealthCheck, HealthProbe, ProbeMethod, ToolCounts, Verdict, Weight, monitor,
};
use mgp_transport::{connection::Connection, memory, seam::ControlPeer};
use mgp_types::{
    json::RawObject,
    lifecycle::{HealthStatus, ServerState},
};
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;
use xtask_testing::RawPeer;

fn probe(method: ProbeMethod) -> (Connection, HealthProbe, RawPeer) {
    let (here, there) = memory::pair();
    let connection = Connection::builder(nothing()).over(here.0, here.1);
    let probe = HealthProbe::new(ControlPeer::new(connection.peer().clone()), method);
    (connection, probe, RawPeer::new(there))
}

#[tokio::test(start_paused = true)]
async fn a_ping_is_answered_at_once_from_known_state() {
    let health =
        Health::new("notes").check(HealthCheck::new("stuck", Weight::Needed, std::future::pending::<bool>));
    tokio::time::advance(Duration::from_secs(3600)).await;
    let (_server, mut client) = served(Health::routes().with_state(health.clone()));
    let start = Instant::now();
    let answer = client.ask_next(1, "mgp/health/ping", r#"{"timestamp":"2026-02-27T12:00:00.000Z"}"#).await;
    assert_eq!(start.elapsed(), Duration::ZERO);
    let result = &answer["result"];
    assert_eq!((&result["status"], &result["server_id"]), (&json!("healthy"), &json!("notes")));
    assert_eq!(result["uptime_secs"], 3600);
    let timestamp = result["timestamp"].as_str().unwrap();
    assert!(timestamp.parse::<jiff::Timestamp>().is_ok() && timestamp.ends_with('Z'), "{timestamp}");
    health.set_status(HealthStatus::Degraded);
    assert_eq!(client.ask_next(1, "mgp/health/ping", "{}").await["result"]["status"], "degraded");
}

#[tokio::test(start_paused = true)]
async fn a_status_runs_the_checks_and_the_worst_failure_decides() {
    let (disk, model) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicBool::new(true)));
    let look = |flag: &Arc<AtomicBool>| {
        let flag = flag.clone();
        move || std::future::ready(flag.load(Ordering::Relaxed))
    };
    let gate = gate_in(ServerState::Connected);
    let health = Health::new("notes")
        .check(HealthCheck::new("disk", Weight::Needed, look(&disk)))
        .check(HealthCheck::new("model", Weight::Helpful, look(&model)))
        .gate(gate.clone())
        .tools(|| ToolCounts { available: 2, total: 3 })
        .resources(|| RawObject::parse(r#"{"memory_bytes":7}"#).unwrap());
    let _call = gate.enter().unwrap();
    let (_server, mut client) = served(Health::routes().with_state(health));
    let expected = json!({
        "status": "healthy", "uptime_secs": 0, "tools_available": 2, "tools_total": 3, "pending_requests": 1,
        "resources": {"memory_bytes": 7}, "checks": {"disk": true, "model": true},
    });
    assert_eq!(client.ask_next(1, "mgp/health/status", "{}").await["result"], expected);
    model.store(false, Ordering::Relaxed);
    let degraded = client.ask_next(1, "mgp/health/status", "{}").await;
    assert_eq!(
        (&degraded["result"]["status"], &degraded["result"]["checks"]["model"]),
        (&json!("degraded"), &json!(false))
    );
    disk.store(false, Ordering::Relaxed);
    assert_eq!(client.ask_next(1, "mgp/health/status", "{}").await["result"]["status"], "unhealthy");
    // A ping reports the same status from then on.
    assert_eq!(client.ask_next(1, "mgp/health/ping", "{}").await["result"]["status"], "unhealthy");
    assert_eq!(client.ask_next(1, "mgp/health/other", "{}").await["error"]["code"], -32601);
}

#[tokio::test(start_paused = true)]
async fn hanging_checks_fail_within_five_seconds_in_total() {
    let stuck = |name: &'static str| HealthCheck::new(name, Weight::Helpful, std::future::pending::<bool>);
    let health = Health::new("notes").check(stuck("a")).check(stuck("b"));
    let start = Instant::now();
    let report = health.report().await;
    assert_eq!(report.status, HealthStatus::Degraded);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[tokio::test]
async fn an_mgp_server_is_checked_by_mgp() {
    let (_connection, mut probe, mut server) = probe(ProbeMethod::Mgp);
    let asked = tokio::spawn(async move { (probe.probe().await, probe) });
    let question = server.message().await;
    assert_eq!(question["method"], "mgp/health/ping");
    assert!(question["params"]["timestamp"].as_str().unwrap().parse::<jiff::Timestamp>().is_ok());
    server.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": {"status": "degraded"}})).await;
    assert_eq!(asked.await.unwrap().0, Verdict::Alive(Some(HealthStatus::Degraded)));
}

#[tokio::test]
async fn a_plain_server_that_answers_a_ping_at_all_is_alive() {
    for answer in [
        json!({"result": {}}),
        json!({"error": {"code": -32601, "message": "method not found"}}),
        json!({"result": 7}),
    ] {
        let (_connection, mut probe, mut server) = probe(ProbeMethod::Mcp);
        let asked = tokio::spawn(async move { probe.probe().await });
        let question = server.message().await;
        assert_eq!(question["method"], "ping");
        let mut answer = answer;
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = question["id"].clone();
        server.send(answer).await;
        assert_eq!(asked.await.unwrap(), Verdict::Alive(None));
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_without_ping_is_probed_by_discovery() {
    for (answer, alive) in [
        (json!({"result": {"supportedVersions": []}}), true),
        (json!({"error": {"code": -32601, "message": "unknown"}}), true),
        (json!({"error": {"code": 5002, "message": "failed to reach the server"}}), false),
    ] {
        let (_connection, mut probe, mut server) = probe(ProbeMethod::Discover);
        let asked = tokio::spawn(async move { probe.probe().await });
        let question = server.message().await;
        assert_eq!(question["method"], "server/discover");
        let mut answer = answer;
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = question["id"].clone();
        server.send(&answer).await;
        assert_eq!(asked.await.unwrap() == Verdict::Alive(None), alive, "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn only_failures_in_a_row_make_a_server_dead() {
    let (_connection, probe, mut server) = probe(ProbeMethod::Mcp);
    let mut probe = probe.threshold(2);
    let start = Instant::now();
    let first = probe.probe().await;
    assert_eq!(first, Verdict::Failing { failures: 1, why: "no answer within 5s".into() });
    assert!(start.elapsed() >= Duration::from_secs(5) && start.elapsed() < Duration::from_secs(6));

    // The server answers: the count starts again.
    let asked = tokio::spawn(async move { (probe.probe().await, probe) });
    let id = loop {
        let line = server.message().await;
        if line["method"] == "ping" && line["id"] != 1 {
            break line["id"].clone();
        }
    };
    server.send(json!({"jsonrpc": "2.0", "id": id, "result": {}})).await;
    let (verdict, mut probe) = asked.await.unwrap();
    assert_eq!(verdict, Verdict::Alive(None));

    assert!(matches!(probe.probe().await, Verdict::Failing { failures: 1, .. }));
    assert!(matches!(probe.probe().await, Verdict::Dead { failures: 2, .. }));
}

#[tokio::test(start_paused = true)]
async fn a_monitor_probes_until_the_server_is_dead() {
    let (_connection, probe, _server) = probe(ProbeMethod::Mgp);
    let mut verdicts = Vec::new();
    let start = Instant::now();
    let down = monitor(probe, Duration::from_secs(30), |verdict| verdicts.push(verdict.clone())).await;
    let why: Arc<str> = "no answer within 5s".into();
    assert_eq!(down, DownReason::Unresponsive { failures: 3, why: why.clone(), is_silent: true });
    assert_eq!(verdicts.len(), 3);
    assert_eq!(verdicts[2], Verdict::Dead { failures: 3, why, is_silent: true });
    assert_eq!(start.elapsed().as_secs(), 105);
}

#[tokio::test(start_paused = true)]
async fn a_monitor_ends_at_once_when_the_connection_does() {
    let (_connection, probe, server) = probe(ProbeMethod::Mgp);
    let watching = tokio::spawn(monitor(probe, Duration::from_secs(30), |_| {}));
    settle().await;
    let start = Instant::now();
    drop(server);
    assert_eq!(watching.await.unwrap(), DownReason::Closed);
    assert_eq!(start.elapsed(), Duration::ZERO);
}
