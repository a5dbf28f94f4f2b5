//! Changes of rights that could not be made: the trail never says that they were.

use crate::{
    raw_host::{As, RawHost},
    support::{Signals, agent_test},
};
use mgp_kernel::{Era, Kernel, StateFolder};
use mgp_security::audit::MemorySink;
use mgp_types::{
    access::{AccessDecision, EntryType},
    context::Principal,
    permission::Permission,
};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

/// A kernel whose rights stand in files, and its trail in memory.
async fn kernel(signals: &Signals) -> (TempDir, MemorySink, Kernel) {
    let folder = tempfile::tempdir().unwrap();
    let (state, sink) = (StateFolder::open(folder.path()).unwrap(), MemorySink::new(1000));
    let builder = crate::features::registration::support::with_registrar(Kernel::builder(), signals)
        .access(state.access().await.unwrap())
        .stores(state.stores().await.unwrap())
        .audit_sink(sink.clone())
        .config(agent_test);
    (folder, sink, builder.start().await.unwrap())
}

/// Lets every write of a table fail, as a full disk does.
fn fill(folder: &Path, file: &str, table: &str) {
    let connection = Connection::open(folder.join(file)).unwrap();
    for change in ["INSERT", "UPDATE", "DELETE"] {
        let full = format!(
            "CREATE TRIGGER full_{change} BEFORE {change} ON {table}
             BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        );
        connection.execute_batch(&full).unwrap();
    }
}

/// The events of changes, as `TYPE RESULT`; and whether all of them belong together.
fn told(sink: &MemorySink) -> Vec<String> {
    let events = sink.events();
    let changes = events.iter().filter(|event| !event.event_type.as_str().starts_with("SERVER_"));
    changes.map(|event| format!("{} {}", event.event_type, event.result)).collect()
}

/// The ids by which the events of a change name it.
fn change_ids(sink: &MemorySink) -> Vec<String> {
    let id = |details: &mgp_types::json::RawObject| details.text("change_id");
    sink.events().iter().filter_map(|event| id(event.details.as_ref()?)).collect()
}

const INTENDED: &str = "dev.cloto.mgp.CHANGE_INTENDED SUCCESS";

async fn admin(kernel: &Kernel) -> RawHost {
    let this = As { principal: Principal::operator("ann"), ..As::mgp(Era::Initialize) };
    RawHost::connect(kernel, this).await
}

fn rule(permission: &str) -> Value {
    json!({"entry_type": "server_grant", "agent_id": "agent.test", "server_id": "files", "permission": permission})
}

#[tokio::test]
async fn a_rule_is_a_success_in_the_trail_only_once_it_is_stored() {
    let (folder, sink, kernel) = kernel(&Signals::default()).await;
    let mut host = admin(&kernel).await;
    host.get("mgp/access/grant", rule("allow")).await;
    assert_eq!(told(&sink), [INTENDED, "ACCESS_GRANTED SUCCESS"]);
    let ids = change_ids(&sink);
    assert!(ids.len() == 2 && ids[0] == ids[1], "{ids:?}");

    fill(folder.path(), "access.sqlite3", "rules");
    let refused = host.once("mgp/access/grant", rule("deny")).await;
    assert!(refused["error"]["message"].as_str().unwrap().contains("disk is full"), "{refused}");
    let entries = kernel.access().entries().await.unwrap();
    assert_eq!((entries.len(), entries[0].permission), (1, Some(AccessDecision::Allow)));
    assert_eq!(
        told(&sink)[2..],
        [INTENDED, "ACCESS_REVOKED FAILURE"],
        "a rule that denies takes rights back"
    );
    let last = sink.events().pop().unwrap().details.unwrap();
    assert!(last.text("reason").unwrap().contains("disk is full"), "{last:?}");

    let key = json!({"entry_type": EntryType::ServerGrant, "agent_id": "agent.test", "server_id": "files"});
    assert!(host.once("mgp/access/revoke", key).await.get("error").is_some());
    assert_eq!(kernel.access().entries().await.unwrap().len(), 1);
    assert_eq!(told(&sink)[4..], ["ACCESS_REVOKED FAILURE"]);
}

#[tokio::test]
async fn a_decision_that_was_not_stored_is_a_failure_in_the_trail() {
    let (folder, sink, kernel) = kernel(&Signals::default()).await;
    let (ann, permission) = (Principal::operator("ann"), "shell.execute".parse::<Permission>().unwrap());
    kernel.permissions().grant("files", &permission, &ann, None).await.unwrap();
    assert_eq!(told(&sink), [INTENDED, "PERMISSION_GRANTED SUCCESS"]);
    fill(folder.path(), "permission.sqlite3", "permissions");
    assert!(kernel.permissions().deny("files", &permission, &ann).await.is_err());
    // It failed before it could win, and so before its intent.
    assert_eq!(told(&sink)[2..], ["PERMISSION_DENIED FAILURE"]);
    assert!(kernel.permissions().revoke("files", &permission, &ann).await.is_err());
    assert_eq!(told(&sink)[3..], ["PERMISSION_REVOKED FAILURE"]);
}

#[tokio::test]
async fn a_failed_registration_is_one_failure_in_the_trail() {
    let (folder, sink, kernel) = kernel(&Signals::default()).await;
    let mut host = admin(&kernel).await;
    fill(folder.path(), "registry.sqlite3", "registered");
    let asked = json!({"id": "new", "transport": "stdio", "command": "x"});
    let refused = host.once("mgp/discovery/register", asked).await;
    assert!(refused.get("error").is_some(), "{refused}");
    assert_eq!(told(&sink), [INTENDED, "dev.cloto.mgp.SERVER_REGISTERED FAILURE"]);
}
