//! The limit on the number of tasks of one principal.

use super::support::{EXTENSION, host};
use crate::{
    raw_server::{RawServer, result},
    support::start,
};
use mgp_kernel::Era;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

#[tokio::test]
async fn a_completed_task_frees_a_slot_and_an_excess_one_is_cancelled() {
    let task = |id: &Value, status: &str| json!({"taskId": id, "status": status, "createdAt": "c", "lastUpdatedAt": "u", "ttlMs": null});
    let made = AtomicUsize::new(0);
    let server =
        RawServer::new(Era::Stateless, json!({"tools": {}, "extensions": {EXTENSION: {}}}), move |message| {
            let mut answer = match message["method"].as_str() {
                Some("tools/call") => {
                    let id = json!(format!("own-{}", made.fetch_add(1, Ordering::SeqCst)));
                    let mut created = task(&id, "working");
                    created["resultType"] = "task".into();
                    created
                }
                Some("tasks/get") => {
                    let mut ended = task(&message["params"]["taskId"], "completed");
                    ended["result"] = json!({"content": []});
                    ended
                }
                Some("tasks/cancel") => json!({}),
                _ => return None,
            };
            if answer.get("resultType").is_none() {
                answer["resultType"] = "complete".into();
            }
            Some(vec![result(message, answer)])
        });
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = host(&setup, Era::Stateless).await;
    let call = json!({"name": "work", "arguments": {}});
    let first = host.get("tools/call", call.clone()).await;
    for _ in 1..512 {
        host.get("tools/call", call.clone()).await;
    }
    let refused = host.refused("tools/call", call.clone()).await;
    assert!(refused["message"].as_str().unwrap().contains("too many tasks"), "{refused}");
    let cancelled = server.has_read("tasks/cancel", 1).await;
    assert_eq!(cancelled[0]["params"]["taskId"], "own-512");

    let ended = host.get("tasks/get", json!({"taskId": first["taskId"]})).await;
    assert_eq!(ended["status"], "completed");
    host.get("tools/call", call).await;
    host.refused("tasks/get", json!({"taskId": first["taskId"]})).await;
}
