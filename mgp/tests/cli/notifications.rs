//! Notifications about what waits for a decision.

use crate::support::{User, text};
use serde_json::{Value, json};
use std::fs;
use xtask_testing::block_until_some;

fn configure(user: &User, lines: &str) {
    let own = user.own_configuration();
    fs::write(&own, format!("{}\n{lines}\n", text(&own))).unwrap();
}

#[test]
fn a_program_is_told_of_a_call_that_waits() {
    let user = User::with_notes();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notification");
    let argv = json!(["tee", file]);
    // The first target is away, which delays nothing.
    configure(
        &user,
        &format!(
            "[[approvals.notify]]\nkind = \"ntfy\"\nurl = \"http://127.0.0.1:1/mgp\"\n[[approvals.notify]]\nkind = \"command\"\nargv = {argv}"
        ),
    );
    user.run(&["approve", "notes", "memory.write"]).succeeds();
    let mut host = user.serve(&[]);
    host.call(2, "delete_note", &json!({"id": 424_242}));
    let told: Value = block_until_some(|| serde_json::from_str(&fs::read_to_string(&file).ok()?).ok());
    let id = user.json(&["approve"]).1["confirmations"][0]["request_id"].as_str().unwrap().to_owned();
    let parts = [&told["kind"], &told["id"], &told["server_id"], &told["tool_name"], &told["agent_id"]];
    assert_eq!(parts, [&json!("call"), &json!(id), &json!("notes"), &json!("delete_note"), &json!("local")]);
    assert!(!told.to_string().contains("424242"), "no arguments: {told}");
    let command: Vec<_> = told["command"].as_str().unwrap().split(' ').collect();
    user.run(&command[1..]).succeeds();
    host.reply(2);
    host.close();
    assert_eq!(host.end(), 0);
}

#[test]
fn mistakes_in_targets_are_named_with_their_key() {
    for (target, expected) in [
        ("kind = \"slack\"", "a target of kind \"slack\" without url"),
        ("kind = \"ntfy\"\nurl = \"http://ntfy.example/x\"", "an address without TLS on another machine"),
        ("kind = \"command\"", "without a program: expected argv"),
        ("kind = \"command\"\nargv = [\"true\"]\nurl = \"https://a.example\"", "approvals.notify[0].url"),
        ("kind = \"slack\"\nurl = \"https://a.example\"\ntoken = \"hush\"", "approvals.notify[0].token"),
        ("kind = \"pigeon\"", "ntfy"),
    ] {
        let user = User::with_notes();
        configure(&user, &format!("[[approvals.notify]]\n{target}"));
        let refused = user.run(&["servers"]).fails_with(3);
        let said = format!("{}{}", refused.stdout, refused.stderr);
        assert!(said.contains(expected) && !said.contains("hush"), "{expected} in {said}");
    }
}
