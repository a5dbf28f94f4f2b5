//! Servers that an agent may use and that show it no tool: everybody who looks for tools is told why, and what changes it.

use crate::support::{User, text};
use serde_json::{Value, json};

/// The notes, whose tools all need this permission, under a policy.
fn user(policy: &str) -> User {
    let user = User::with_notes();
    let own = user.own_configuration();
    let file = text(&own).replace(r#"policy = "interactive""#, &format!("policy = {policy:?}"));
    let file = format!("{file}\n[servers.mgp]\npermissions_required = [\"filesystem.write\"]\n");
    std::fs::write(&own, file).unwrap();
    user
}

/// A user who denied what all notes need.
fn denying() -> User {
    let user = user("interactive");
    user.run(&["approve", "notes", "filesystem.write", "--deny"]).succeeds();
    user
}

/// A user whose one server does not start.
fn failing() -> User {
    let user = User::new();
    let script = "echo 'FILES_TOKEN is not set' >&2; exit 7";
    let list = json!({ "mcpServers": { "files": { "command": "sh", "args": ["-c", script] } } });
    user.write("list.json", &list.to_string());
    user.run(&["init", "--from", "list.json"]).succeeds();
    let own = user.own_configuration();
    let file = format!("{}\n[servers.mgp]\nrestart_policy = \"never\"\n", text(&own));
    std::fs::write(&own, file).unwrap();
    user
}

const DENIED: &str =
    "of `notes` need filesystem.write, which is denied: `mgp approve notes filesystem.write`";
const CONFIG_ONLY: &str =
    "the policy config_only takes approvals only from permissions.approved.notes in the configuration";

/// The hints of a model that searches, and of one that asks for a tool.
fn hints(user: &User, agent: &[&str]) -> Vec<String> {
    let mut host = user.serve(agent);
    host.call(2, "mgp_tools_discover", &json!({ "query": "find a note" }));
    let found = host.reply(2)["result"]["structuredContent"].clone();
    assert_eq!(found["tools"], json!([]), "{found}");
    host.call(3, "mgp_tools_request", &json!({ "requirements": { "capabilities": ["find a note"] } }));
    let requested = host.reply(3)["result"]["structuredContent"].clone();
    [found, requested].iter().map(|answer| answer["_mgp"]["hints"].to_string()).collect()
}

#[test]
fn a_model_without_tools_reads_which_server_is_closed_and_why() {
    for (user, expected) in [
        (denying(), DENIED),
        (user("config_only"), &*format!("of `notes` need filesystem.write, and {CONFIG_ONLY}")),
        (failing(), "`files` is not connected (error): the operator sees why with `mgp servers`"),
    ] {
        for hints in hints(&user, &[]) {
            assert!(hints.contains(expected), "{hints}");
            assert!(!hints.contains("may use no tool") && !hints.contains("mgp access grant"), "{hints}");
            assert!(!hints.contains("FILES_TOKEN"), "what a server says of its failure is for the operator");
        }
        for hints in hints(&user, &["--agent", "stranger"]) {
            assert!(hints.contains("`mgp access grant stranger SERVER`"), "{hints}");
            assert!(!hints.contains("notes") && !hints.contains("files"), "{hints}");
        }
    }
}

#[test]
fn the_commands_name_the_closed_tools_and_the_remedy() {
    for (user, expected) in [
        (denying(), DENIED),
        (user("config_only"), &*format!("of `notes` need filesystem.write, and {CONFIG_ONLY}")),
    ] {
        for args in [&["servers"][..], &["tools"], &["tools", "search", "find a note"]] {
            let ended = user.run(args).succeeds();
            assert!(ended.stderr.contains(expected), "{args:?}: {ended:?}");
            assert!(!ended.stderr.contains("may call nothing"), "{args:?}: {ended:?}");
        }
        for command in ["servers", "tools"] {
            let closed = user.json(&[command]).1["closed"].as_array().unwrap().clone();
            let said = |row: &Value| row["reason"].as_str().is_some_and(|reason| reason.contains(expected));
            assert!(
                closed.iter().any(said) && closed.iter().all(|row| row["server_id"] == "notes"),
                "{closed:?}"
            );
        }
    }
    // The command that is named opens them.
    let user = denying();
    user.run(&["approve", "notes", "filesystem.write"]).succeeds();
    let ended = user.run(&["tools"]).succeeds();
    assert!(ended.stdout.contains("list_notes") && !ended.stderr.contains("filesystem.write"), "{ended:?}");
}

#[test]
fn a_server_that_did_not_start_is_named_with_its_reason() {
    let ended = failing().run(&["tools"]).succeeds();
    let line = ended.stderr.lines().find(|line| line.starts_with("note: `files` is not connected: "));
    assert!(line.is_some_and(|line| line.contains("FILES_TOKEN is not set")), "{ended:?}");
}

#[test]
fn no_command_is_advised_if_only_the_configuration_approves() {
    let user = user("interactive");
    // A question from before.
    user.run(&["servers"]).succeeds();
    let own = user.own_configuration();
    std::fs::write(&own, text(&own).replace(r#"policy = "interactive""#, r#"policy = "config_only""#))
        .unwrap();
    let mut host = user.serve(&[]);
    host.call(2, "list_notes", &json!({}));
    let refused = host.reply(2)["error"].clone();
    let message = refused["message"].as_str().unwrap();
    assert!(message.ends_with(CONFIG_ONLY) && !message.contains("mgp approve"), "{refused}");
    assert_eq!(refused["data"]["suggestion"], CONFIG_ONLY, "{refused}");

    let call = user.run(&["call", "list_notes"]).fails_with(4);
    let help = r#"help: add "filesystem.write" to that list of the configuration"#;
    assert!(call.stderr.contains(help) && !call.stderr.contains("mgp approve"), "{call:?}");

    let listed = user.run(&["approve"]).succeeds();
    assert!(!listed.stdout.contains("perm-"), "{listed:?}");
    assert!(listed.stderr.contains("no question is open"), "{listed:?}");
    assert_eq!(user.json(&["approve"]).1["permissions"], json!([]));
    let all = user.json(&["approve", "--all"]).1["permissions"].clone();
    assert!(all.as_array().unwrap().iter().any(|row| row["permission"] == "filesystem.write"), "{all}");

    let shown = user.run(&["tools", "show", "list_notes"]).succeeds().stdout;
    assert!(shown.contains(&format!("  filesystem.write is denied: {CONFIG_ONLY}\n")), "{shown}");
    let refused = user.run(&["approve", "notes", "filesystem.write"]).fails_with(4);
    assert_eq!(refused.stderr, format!("error: {CONFIG_ONLY}\n"));

    // The key that is named opens them, in a kernel that reads it.
    host.close();
    assert_eq!(host.end(), 0);
    let file = format!("{}\n[permissions.approved]\nnotes = [\"filesystem.write\"]\n", text(&own));
    std::fs::write(&own, file).unwrap();
    user.run(&["call", "list_notes"]).succeeds();
}

#[test]
fn a_denying_policy_opens_no_question_at_a_server_s_start() {
    for policy in ["config_only", "deny_all"] {
        let user = user(policy);
        user.run(&["servers"]).succeeds();
        user.run(&["call", "list_notes"]).fails_with(4);
        assert_eq!(user.json(&["approve"]).1["permissions"], json!([]));
        let all = user.json(&["approve", "--all"]).1["permissions"].clone();
        let rows: Vec<_> =
            all.as_array().unwrap().iter().map(|row| [&row["state"], &row["decided_by"]]).collect();
        let denied = [&json!("denied"), &json!(policy)];
        assert!(!rows.is_empty() && rows.iter().all(|row| *row == denied), "{all}");
        let refused = user.run(&["approve", "notes", "filesystem.write"]).fails_with(4);
        assert!(
            refused.stderr.contains(&format!("the policy {policy} takes approvals only from ")),
            "{refused:?}"
        );
        user.run(&["call", "list_notes"]).fails_with(4);
    }
}
