//! A server whose variables are not set where the gateway runs.

use crate::support::{User, ended, text};
use serde_json::{Value, json};

/// Returns the row of a server in the answer of `mgp servers`.
fn row<'a>(servers: &'a Value, id: &str) -> &'a Value {
    servers["servers"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap()
}

#[test]
fn a_server_with_an_unset_variable_is_off_and_named() {
    let user = User::with_notes();
    let own = user.own_configuration();
    let issues = "[[servers]]\nid = \"issues\"\ncommand = \"no-such-program\"\nargs = [\"${ISSUES_TOKEN}\"]\n\
        [[access.grants]]\nagent = \"local\"\nserver = \"issues\"\n";
    std::fs::write(&own, format!("{}{issues}", text(&own))).unwrap();

    let (code, servers) = user.json(&["servers"]);
    assert_eq!((code, &row(&servers, "notes")["state"]), (1, &json!("connected")));
    let reason = row(&servers, "issues")["reason"].as_str().unwrap();
    assert!(reason.starts_with("the environment variable ISSUES_TOKEN is not set: "), "{reason}");
    let explained = user.run(&["servers", "explain", "issues"]).fails_with(1);
    assert!(explained.stderr.contains("ISSUES_TOKEN is not set"), "{explained:?}");

    let (mut host, greeting) = user.greeted(user.command(&["serve"]));
    let told = greeting["result"]["instructions"].as_str().unwrap();
    assert!(told.contains("`issues` (off: the environment variable ISSUES_TOKEN is not set: "), "{told}");
    host.says("the environment variable ISSUES_TOKEN is not set");
    // The list waits for servers that start.
    host.send(2, "tools/list", &json!({}));
    host.reply(2);
    host.call(3, "list_notes", &json!({}));
    let listed = host.reply(3);
    assert!(listed["result"]["content"].is_array() && listed["result"]["isError"] != true, "{listed}");
    host.close();
    assert_eq!(host.end(), 0);

    let mut set = user.command(&["--json", "servers"]);
    set.env("ISSUES_TOKEN", "t0ken");
    let servers: Value = serde_json::from_str(&ended(set, "").stdout).unwrap();
    let reason = row(&servers, "issues")["reason"].as_str().unwrap();
    assert!(reason.contains("no-such-program") && !reason.contains("ISSUES_TOKEN"), "{reason}");
}
