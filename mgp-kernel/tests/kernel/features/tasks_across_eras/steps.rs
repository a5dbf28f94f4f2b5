//! Steps of transactions whose calls become tasks, for each pair of eras.

use super::support::{Door, EXTENSION, about, call, each_era_pair, spec, takes};
use crate::{
    raw_host::{As, RawHost},
    raw_server::{RawServer, error, result},
    support::{Setup, start, until_some, within},
};
use mgp_kernel::Era;
use mgp_lifecycle::transaction::CompensationTemplate;
use mgp_types::transaction::Compensation;
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Starts a kernel whose server's tool `wait` is undone by the tool `plain`, and begins a transaction with a step that becomes a task.
async fn begin((host_era, server_era): (Era, Era), door: &Door, tool: &str) -> (Setup, RawHost, Value) {
    let mut spec = spec(server_era, door);
    spec.compensations.insert("wait".to_owned(), CompensationTemplate(Compensation::new("plain")));
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let mut host = setup.raw_host(As::mgp(host_era).can(takes())).await;
    host.get("mgp/transaction/begin", transaction()).await;
    let mut step = call(host_era, tool);
    step["_meta"] = transaction();
    let created = host.get("tools/call", step).await;
    assert_eq!(created["_meta"]["step_id"], "step-1", "{created}");
    let task = if host_era == Era::Initialize { created["task"].clone() } else { created };
    (setup, host, task)
}

/// Starts a kernel with a server of one era, and begins a transaction with a step that becomes a task. Returns the answer to the step too.
async fn begin_at(server: &RawServer, era: Era) -> (Setup, RawHost, Value) {
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = setup.raw_host(As::mgp(era).can(takes())).await;
    host.get("mgp/transaction/begin", transaction()).await;
    let mut step = call(era, "work");
    step["_meta"] = transaction();
    let made = host.get("tools/call", step).await;
    (setup, host, made)
}

fn transaction() -> Value {
    json!({"transaction_id": "tx-1"})
}

async fn settled(host: &mut RawHost) -> Value {
    until_some(async || {
        let report = host.get("mgp/transaction/status", transaction()).await;
        (report["steps"][0]["status"] != "running").then_some(report)
    })
    .await
}

#[tokio::test]
async fn a_step_ends_with_its_task_and_delays_the_commit_until_then() {
    for eras in each_era_pair() {
        let door = Door::closed();
        let (_setup, mut host, task) = begin(eras, &door, "wait").await;
        let report = host.get("mgp/transaction/status", transaction()).await;
        let step = &report["steps"][0];
        assert_eq!(
            (&step["status"], &step["task_id"]),
            (&json!("running"), &task["taskId"]),
            "{eras:?} {report}"
        );
        let refused = host.refused("mgp/transaction/commit", transaction()).await;
        assert_eq!(refused["code"], 4000, "{eras:?} {refused}");
        let id = task["taskId"].as_str().unwrap();
        assert!(refused["message"].as_str().unwrap().contains(id), "{refused}");
        door.open();
        let report = settled(&mut host).await;
        let step = &report["steps"][0];
        assert_eq!((&step["status"], step.get("task_id")), (&json!("ok"), None), "{eras:?} {report}");
        assert_eq!(step["compensation"]["tool"], "plain", "{eras:?} {report}");
        assert_eq!(host.get("mgp/transaction/commit", transaction()).await["status"], "committed");
    }
}

#[tokio::test]
async fn a_rollback_waits_for_the_task_of_a_step_and_undoes_it() {
    for eras in each_era_pair() {
        let door = Door::closed();
        let (setup, mut host, _task) = begin(eras, &door, "wait").await;
        let waiting = host.send("mgp/transaction/rollback", transaction()).await;
        until_some(async || {
            let report = host.get("mgp/transaction/status", transaction()).await;
            (report["status"] == "rolling_back").then_some(())
        })
        .await;
        assert_eq!(door.inside(), 1, "{eras:?}");
        door.open();
        let report = host.answer_to(waiting).await["result"].take();
        assert_eq!(report["status"], "rolled_back", "{eras:?} {report}");
        assert_eq!(setup.calls().last().unwrap(), "TOOL_EXECUTED SUCCESS srv.plain", "{eras:?}");
    }
}

#[tokio::test]
async fn a_failed_task_fails_its_step_and_a_cancelled_one_is_unknown() {
    for eras in each_era_pair() {
        for (tool, status, part) in [
            ("fails", "failed", "answered with an error"),
            ("late", "failed", "out of order"),
            ("wait", "unknown", "cancelled"),
        ] {
            let door = Door::closed();
            let (_setup, mut host, task) = begin(eras, &door, tool).await;
            if tool == "wait" {
                host.get("tasks/cancel", about(&task)).await;
            }
            let report = settled(&mut host).await;
            let step = &report["steps"][0];
            assert_eq!(step["status"], status, "{eras:?} {tool} {report}");
            assert!(step["error"]["message"].as_str().unwrap().contains(part), "{eras:?} {tool} {report}");
        }
    }
}

#[tokio::test]
async fn the_end_of_the_kernel_leaves_the_step_of_a_task_unknown() {
    let door = Door::closed();
    let (setup, mut host, _task) = begin((Era::Stateless, Era::Stateless), &door, "wait").await;
    within(setup.kernel.shutdown()).await;
    let report = settled(&mut host).await;
    assert_eq!(report["steps"][0]["status"], "unknown", "{report}");
}

#[tokio::test]
async fn a_step_whose_task_has_an_unreadable_result_is_unknown() {
    let capabilities =
        json!({"tools": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}});
    let task = |status: &str| {
        json!({"taskId": "own", "status": status, "createdAt": "2026-01-01T00:00:00Z",
            "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": 60_000, "pollInterval": 5})
    };
    let server =
        RawServer::new(Era::Initialize, capabilities, move |message| match message["method"].as_str() {
            Some("tools/call") => Some(vec![result(message, json!({"task": task("working")}))]),
            Some("tasks/get") => Some(vec![result(message, task("completed"))]),
            Some("tasks/result") => Some(vec![error(message, -32603, "it is lost")]),
            _ => None,
        });
    let (_setup, mut host, _task) = begin_at(&server, Era::Initialize).await;
    let report = settled(&mut host).await;
    assert_eq!(report["steps"][0]["status"], "unknown", "{report}");
    let told = report["steps"][0]["error"]["message"].as_str().unwrap();
    assert!(told.contains("its result could not be read") && told.contains("it is lost"), "{report}");
}

#[tokio::test]
async fn a_step_whose_server_forgets_its_task_is_unknown() {
    let capabilities = json!({"tools": {}, "extensions": {EXTENSION: {}}});
    let server = RawServer::new(Era::Stateless, capabilities, |message| match message["method"].as_str() {
        Some("tools/call") => Some(vec![result(
            message,
            json!({"resultType": "task", "taskId": "own", "status": "working", "createdAt": "c",
                    "lastUpdatedAt": "u", "ttlMs": null}),
        )]),
        Some("tasks/get") => Some(vec![error(message, -32602, "there is no such task")]),
        _ => None,
    });
    let (_setup, mut host, _task) = begin_at(&server, Era::Stateless).await;
    let report = settled(&mut host).await;
    assert_eq!(report["steps"][0]["status"], "unknown", "{report}");
    let told = report["steps"][0]["error"]["message"].as_str().unwrap();
    assert!(told.contains("forgotten the task"), "{report}");
}

#[tokio::test]
async fn a_host_that_saw_the_end_of_a_step_s_task_commits_at_once() {
    let ended = Arc::new(AtomicBool::new(false));
    let is_ended = ended.clone();
    let task = move |kind: &str, status: &str| {
        json!({"resultType": kind, "taskId": "own", "status": status, "createdAt": "c", "lastUpdatedAt": "u",
            "ttlMs": null, "pollIntervalMs": 20_000, "result": {"content": []}})
    };
    let capabilities = json!({"tools": {}, "extensions": {EXTENSION: {}}});
    let server = RawServer::new(Era::Stateless, capabilities, move |message| {
        let status = if is_ended.load(Ordering::Relaxed) { "completed" } else { "working" };
        match message["method"].as_str() {
            Some("tools/call") => Some(vec![result(message, task("task", "working"))]),
            Some("tasks/get") => Some(vec![result(message, task("complete", status))]),
            _ => None,
        }
    });
    let (_setup, mut host, made) = begin_at(&server, Era::Stateless).await;
    assert_eq!(host.get("tasks/get", about(&made)).await["status"], "working");
    ended.store(true, Ordering::Relaxed);
    assert_eq!(host.get("tasks/get", about(&made)).await["status"], "completed");
    assert_eq!(host.get("mgp/transaction/commit", transaction()).await["status"], "committed");
}
