//! A database that gateways on several machines share.

use crate::support::{User, text};
use serde_json::{Value, json};
use std::fs;
use xtask_testing::block_until_some;

/// Creates the users of two machines whose gateways share a database, or returns `None` without PostgreSQL.
fn machines() -> Option<[User; 2]> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let url = runtime.block_on(xtask_testing::postgres())?;
    let user = || {
        let user = User::with_notes();
        let own = user.own_configuration();
        fs::write(&own, format!("{}\n[store]\nurl = {}\n", text(&own), Value::from(url.clone()))).unwrap();
        user
    };
    Some([user(), user()])
}

#[test]
fn rights_hold_on_another_machine_until_they_are_revoked() {
    let Some([one, other]) = machines() else { return };
    let mut host = other.serve(&["--agent", "ben", "--exposure", "full"]);
    let mut id = 10;
    let mut allows = || {
        id += 1;
        host.call(id, "list_notes", &json!({}));
        let reply = host.reply(id);
        reply["error"].is_null() && reply["result"]["isError"] != true
    };
    assert!(!allows());
    one.run(&["access", "grant", "ben", "notes", "list_notes"]).succeeds();
    block_until_some(|| allows().then_some(()));
    let list = other.run(&["access", "list", "--agent", "ben"]).succeeds().stdout;
    assert!(list.contains("list_notes"), "{list}");
    one.run(&["access", "revoke", "ben", "notes", "list_notes"]).succeeds();
    block_until_some(|| (!allows()).then_some(()));
    let files = other.state_files();
    assert!(files.iter().all(|(name, _)| !name.starts_with("access")), "the rules are in the database");
}

#[test]
fn keys_and_approvals_are_the_same_on_all_machines() {
    let Some([one, other]) = machines() else { return };
    one.run(&["keys", "add", "laptop", "--agent", "ann"]).succeeds();
    assert!(other.run(&["keys", "list"]).succeeds().stdout.contains("laptop"));
    other.run(&["keys", "revoke", "laptop"]).succeeds();
    assert!(!one.run(&["keys", "list"]).succeeds().stdout.contains("laptop"));
    one.run(&["approve", "notes", "memory.write"]).succeeds();
    let call = ["call", "add_note", r#"{"title":"a","text":"b"}"#];
    other.run(&call).succeeds();
    one.run(&["approve", "notes", "memory.write", "--deny"]).succeeds();
    other.run(&call).fails_with(4);
}

#[test]
fn a_database_that_is_away_is_named_without_its_password() {
    let user = User::with_notes();
    for (url, code, expected) in [
        ("postgres://mgp:hunter2@127.0.0.1:1/mgp", 1, "no connection to PostgreSQL"),
        ("mysql://mgp:hunter2@db/mgp", 1, "invalid URL of the store"),
    ] {
        let mut command = user.command(&["access", "list"]);
        command.env("MGP_STORE_URL", url);
        let ended = crate::support::ended(command, "");
        assert!(ended.stderr.contains(expected), "{ended:?}");
        assert!(!ended.stderr.contains("hunter2") && ended.code >= code, "{ended:?}");
    }
}

#[test]
fn objects_of_kept_results_need_a_database() {
    let user = User::with_notes();
    let own = user.own_configuration();
    let table = "\n[references]\nobject_store = \"s3://kept/mgp\"\n";
    fs::write(&own, text(&own) + table).unwrap();
    let ended = crate::support::ended(user.command(&["serve"]), "");
    let expected = "references.object_store = \"s3://kept/mgp\": needs a database, expected one in store.url";
    assert!(ended.code != 0 && ended.stderr.contains(expected), "{ended:?}");
}
