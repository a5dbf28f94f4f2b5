//! The operator's commands, and kernels that run meanwhile.

use crate::support::User;
use serde_json::json;
use xtask_testing::block_until_some;

#[test]
fn a_waiting_call_continues_when_it_is_approved_elsewhere() {
    let user = User::with_notes();
    let mut host = user.serve(&[]);
    host.call(2, "add_note", &json!({ "title": "t", "text": "x" }));
    // Messages are taken up in order: when this is answered, the call is under way.
    host.send(3, "tools/list", &json!({}));
    assert!(host.reply(3)["result"].is_object());
    block_until_some(|| {
        (!user.json(&["approve"]).1["permissions"].as_array().unwrap().is_empty()).then_some(())
    });
    user.run(&["approve", "notes"]).succeeds();
    let reply = host.reply(2);
    assert!(reply["result"]["isError"].is_null(), "{reply}");
    host.close();
    assert_eq!(host.end(), 0);
}

#[test]
fn a_rule_holds_at_once_in_a_running_kernel() {
    let user = User::with_notes();
    let mut host = user.serve(&[]);
    host.call(2, "list_notes", &json!({}));
    assert!(host.reply(2)["result"].is_object());
    user.run(&["access", "grant", "local", "notes", "--deny"]).succeeds();
    let mut id = 2;
    let refused = block_until_some(|| {
        id += 1;
        host.call(id, "list_notes", &json!({}));
        host.reply(id).get("error").cloned()
    });
    assert!(refused["message"].as_str().unwrap().contains("may not call"), "{refused}");
}

#[test]
fn an_operator_s_rule_outlives_a_restart_and_the_file_s_returns() {
    let user = User::with_notes();
    user.run(&["call", "list_notes"]).succeeds();
    let note = user.run(&["access", "revoke", "local", "notes"]).succeeds().stderr;
    assert!(note.contains("comes back when a gateway starts"), "{note}");
    user.run(&["call", "list_notes"]).succeeds();
    user.run(&["access", "grant", "local", "notes", "--deny"]).succeeds();
    user.run(&["call", "list_notes"]).fails_with(4);
}

#[test]
fn a_rule_with_an_end_and_a_reason_shows_both() {
    let user = User::with_notes();
    user.run(&["access", "grant", "ben", "notes", "list_notes", "--for", "2h", "--reason", "a trial"])
        .succeeds();
    let (_, list) = user.json(&["access", "list", "--agent", "ben"]);
    let entry = &list["entries"][0];
    assert_eq!((&entry["granted_by"], &entry["justification"]), (&json!("ann"), &json!("a trial")));
    assert!(entry["expires_at"].is_string());
    let (code, found) = user.json(&["access", "query", "ben", "notes", "list_notes"]);
    assert_eq!((code, &found["source"]), (0, &json!("tool_grant")));
    user.run(&["access", "query", "ben", "notes"]).fails_with(4);
    user.run(&["access", "grant", "ben", "notes", "--for", "soon"]).fails_with(2);
}

#[test]
fn a_decision_is_denied_revoked_and_given_for_a_time() {
    let user = User::with_notes();
    let state = || user.json(&["approve", "--all"]).1["permissions"][0]["state"].as_str().map(str::to_owned);
    let note = r#"{"title": "t", "text": "x"}"#;
    user.run(&["call", "add_note", note]).fails_with(4);
    assert_eq!(state().as_deref(), Some("deferred"));
    user.run(&["approve", "notes", "--deny"]).succeeds();
    assert_eq!(state().as_deref(), Some("denied"));
    user.run(&["call", "add_note", note]).fails_with(4);
    user.run(&["approve", "notes", "--revoke"]).succeeds();
    assert_eq!(state(), None);
    // Before it is asked for.
    let approved = user.run(&["approve", "notes", "memory.write", "--for", "1h"]).succeeds();
    assert!(approved.stdout.starts_with("notes: memory.write is approved until 2"), "{approved:?}");
    user.run(&["call", "add_note", note]).succeeds();
}

#[test]
fn a_policy_without_approvals_is_reported() {
    let user = User::with_notes();
    let own = user.own_configuration();
    let file = crate::support::text(&own).replace(r#"policy = "interactive""#, r#"policy = "config_only""#);
    std::fs::write(&own, file).unwrap();
    let refused = user.run(&["approve", "notes", "memory.write"]).fails_with(4);
    assert!(refused.stderr.contains("config_only"), "{refused:?}");
}

#[test]
fn followed_events_are_one_a_line_as_they_happen() {
    use std::io::{BufRead, BufReader};
    let user = User::with_notes();
    let mut command =
        user.command(&["--json", "audit", "--follow", "--last", "0", "--type", "TOOL_EXECUTED"]);
    let mut follower = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    let reader = std::thread::spawn(move || lines.next().unwrap().unwrap());
    // The follower may not listen yet: call until it has seen one.
    block_until_some(|| {
        user.run(&["call", "list_notes"]).succeeds();
        reader.is_finished().then_some(())
    });
    let event: serde_json::Value = serde_json::from_str(&reader.join().unwrap()).unwrap();
    assert_eq!(event["target"]["tool_name"], "list_notes");
    follower.kill().unwrap();
    follower.wait().unwrap();
}

#[test]
fn an_unreadable_row_is_named_with_a_remedy_that_works() {
    let user = User::with_notes();
    user.run(&["access", "grant", "ben", "notes", "list_notes"]).succeeds();
    user.run(&["approve", "notes", "memory.write"]).succeeds();
    let by_hand = |file: &str, sql: &str| {
        let file = user.path("../state").join(file);
        assert_eq!(rusqlite::Connection::open(file).unwrap().execute(sql, []), Ok(1));
    };
    by_hand("access.sqlite3", "UPDATE rules SET permission = 'maybe' WHERE agent_id = 'ben'");
    by_hand("permission.sqlite3", "UPDATE permissions SET state = 'maybe'");

    let list = user.run(&["access", "list"]).succeeds();
    assert!(list.stderr.contains("`mgp access revoke ben notes list_notes`"), "{list:?}");
    assert_eq!(user.json(&["access", "list"]).1["unreadable"][0]["agent_id"], "ben");
    user.run(&["access", "query", "ben", "notes", "list_notes"]).fails_with(4);
    user.run(&["access", "revoke", "ben", "notes", "list_notes"]).succeeds();
    assert!(user.json(&["access", "list"]).1.get("unreadable").is_none());

    let list = user.run(&["approve"]).succeeds();
    assert!(list.stderr.contains("`mgp approve notes memory.write`"), "{list:?}");
    assert_eq!(user.json(&["approve"]).1["unreadable"][0]["permission"], "memory.write");
    // The other tools go on; the one that needs it does not.
    user.run(&["call", "list_notes"]).succeeds();
    user.run(&["call", "add_note", r#"{"title":"t","text":"x"}"#]).fails_with(4);
    user.run(&["approve", "notes", "memory.write"]).succeeds();
    user.run(&["call", "add_note", r#"{"title":"t","text":"x"}"#]).succeeds();
}

#[cfg(unix)]
#[test]
fn a_state_folder_that_is_a_link_or_another_s_is_refused() {
    use std::os::unix::fs::{chown, symlink};
    let user = User::new();
    let state = user.path("../state");
    user.run(&["audit"]).succeeds();
    let moved = user.path("../moved");
    std::fs::rename(&state, &moved).unwrap();
    symlink(&moved, &state).unwrap();
    let refused = user.run(&["audit"]).fails_with(3).stderr;
    assert!(refused.contains("state is a symbolic link") && refused.contains("--state-dir"), "{refused}");
    std::fs::remove_file(&state).unwrap();
    std::fs::rename(&moved, &state).unwrap();
    // Only root can give a file away.
    let database = state.join("audit.sqlite3");
    for path in [&database, &state] {
        if chown(path, Some(12_345), None).is_ok() {
            let refused = user.run(&["audit"]).fails_with(3).stderr;
            let owner = "belongs to the account with the id 12345";
            assert!(refused.contains(owner), "{}: {refused}", path.display());
            chown(path, Some(0), None).unwrap();
        }
    }
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_a_file_of_the_state() {
    use std::os::unix::fs::PermissionsExt;
    let user = User::of_demo();
    let mut host = user.serve(&[]);
    host.send(2, "tools/list", &json!({}));
    host.reply(2);
    let state = user.path("../state");
    let mut open = Vec::new();
    let mut folders = vec![state.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let found = entry.metadata().unwrap();
            if found.is_dir() {
                folders.push(entry.path());
            } else if entry.path().to_string_lossy().contains(".sqlite3")
                && found.permissions().mode() & 0o077 != 0
            {
                open.push(entry.path());
            }
        }
    }
    assert_eq!(open, Vec::<std::path::PathBuf>::new());
    assert!(state.join("audit.sqlite3").exists());
}
