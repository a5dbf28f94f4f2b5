//! `mgp store migrate` between a state folder and a database.

use crate::support::{CommandOutput, User};
use serde_json::Value;

/// A user with keys, rules and approvals in the state folder, and the URL of an empty database; `None` without PostgreSQL.
fn user_and_url() -> Option<(User, String)> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let url = runtime.block_on(xtask_testing::postgres())?;
    let user = User::with_notes();
    user.run(&["keys", "add", "laptop", "--agent", "ann"]).succeeds();
    user.run(&["access", "grant", "ben", "notes", "list_notes"]).succeeds();
    user.run(&["approve", "notes", "memory.write"]).succeeds();
    user.run(&["servers", "add", "extra", "--", "true"]);
    Some((user, url))
}

fn state(user: &User) -> String {
    user.path("../state").to_str().unwrap().to_owned()
}

fn migrate(user: &User, from: &str, to: &str) -> CommandOutput {
    user.run(&["store", "migrate", "--from", from, "--to", to])
}

/// Runs a command on the state in a database.
fn run_in(user: &User, url: &str, args: &[&str]) -> CommandOutput {
    let mut command = user.command(args);
    command.env("MGP_STORE_URL", url);
    crate::support::ended(command, "")
}

#[test]
fn state_is_migrated_to_a_database_and_back() {
    let Some((user, url)) = user_and_url() else { return };
    let (folder, back) = (state(&user), user.path("back").to_str().unwrap().to_owned());
    let (code, planned) = user.json(&["store", "migrate", "--from", &folder, "--to", &url, "--dry-run"]);
    assert_eq!((code, &planned["verified"]), (0, &Value::Bool(false)), "{planned}");
    let (code, there) = user.json(&["store", "migrate", "--from", &folder, "--to", &url]);
    assert_eq!((code, &there["verified"]), (0, &Value::Bool(true)), "{there}");
    assert_eq!(there["sections"], planned["sections"]);
    let rows = |table: &str| {
        let sections = there["sections"].as_array().unwrap().iter();
        let mut tables = sections.flat_map(|section| section["tables"].as_array().unwrap());
        tables.find(|other| other["table"] == table).unwrap()["rows"].as_u64().unwrap()
    };
    assert!(rows("keys") == 1 && rows("rules") > 0 && rows("permissions") > 0, "{there}");
    let lists: [&[&str]; 4] =
        [&["keys", "list"], &["access", "list"], &["approve"], &["transactions", "--all"]];
    // `mgp transactions` would count as a running program for a while.
    for list in &lists[..3] {
        assert_eq!(run_in(&user, &url, list).succeeds().stdout, user.run(list).succeeds().stdout);
    }
    let ended = migrate(&user, &url, &back).succeeds();
    assert!(ended.stdout.contains("copied, equal in both"), "{ended:?}");
    assert!(ended.stderr.contains("index.sqlite3"), "{ended:?}");
    for list in lists {
        let returned = user.run(&[&["--state-dir", &back], list].concat()).succeeds();
        assert_eq!(returned.stdout, user.run(list).succeeds().stdout);
    }
}

#[test]
fn the_configured_database_needs_no_password_as_argument() {
    let Some((user, url)) = user_and_url() else { return };
    let ended = run_in(&user, &url, &["store", "migrate", "--from", &state(&user), "--to", "store.url"]);
    assert!(ended.succeeds().stdout.contains("keys 1"));
    let ended = migrate(&user, &state(&user), "store.url").fails_with(3);
    assert!(ended.stderr.contains("no database is configured"), "{ended:?}");
}

#[test]
fn a_target_with_rows_is_refused_and_its_table_named() {
    let Some((user, url)) = user_and_url() else { return };
    run_in(&user, &url, &["access", "grant", "eve", "notes"]).succeeds();
    let ended = migrate(&user, &state(&user), &url).fails_with(1);
    assert!(
        ended.stderr.contains("table rules of section access in the target database has rows"),
        "{ended:?}"
    );
    let ended = migrate(&user, &url, &state(&user)).fails_with(1);
    assert!(ended.stderr.contains("remove ") && ended.stderr.contains("access.sqlite3"), "{ended:?}");
    assert!(!run_in(&user, &url, &["keys", "list"]).stdout.contains("laptop"));
}

#[test]
fn state_that_a_gateway_uses_is_refused() {
    let Some((user, url)) = user_and_url() else { return };
    let mut host = user.serve(&["--agent", "ben"]);
    let ended = migrate(&user, &state(&user), &url).fails_with(1);
    assert!(ended.stderr.contains("a running gateway or another program uses the folder"), "{ended:?}");
    assert!(ended.stderr.contains(&format!("`mgp --state-dir {} stop`", state(&user))), "{ended:?}");
    host.close();
    host.end();
    migrate(&user, &state(&user), &url).succeeds();
    let mut command = user.command(&["serve", "--agent", "ben"]);
    command.env("MGP_STORE_URL", &url);
    let (_host, _) = user.greeted(command);
    let ended = migrate(&user, &url, user.path("back").to_str().unwrap()).fails_with(1);
    assert!(ended.stderr.contains("uses the database"), "{ended:?}");
    assert!(!user.path("back").exists());
}

#[test]
fn wrong_places_are_named_without_a_password() {
    let user = User::new();
    let folder = user.path("none");
    let folder = folder.to_str().unwrap();
    for (from, to, code, expected) in [
        (folder, "postgres://mgp:hunter2@127.0.0.1:1/mgp", 5, "there is no state in"),
        ("mysql://mgp:hunter2@db/mgp", folder, 2, "invalid URL of the store"),
        ("postgres://mgp:hunter2@127.0.0.1:1/mgp", folder, 1, "no connection to PostgreSQL"),
        ("", folder, 2, "expected a folder or a URL"),
    ] {
        let ended = migrate(&user, from, to).fails_with(code);
        assert!(ended.stderr.contains(expected) && !ended.stderr.contains("hunter2"), "{ended:?}");
    }
    assert!(!user.path("none").exists());
}
