//! The audit trails of several machines in one database.

use crate::support::{User, text};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader},
    process::Stdio,
};
use xtask_testing::block_until_some;

/// Creates the users of two machines whose gateways share a database, or returns `None` without PostgreSQL.
fn machines(audit: &str) -> Option<([User; 2], String)> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let url = runtime.block_on(xtask_testing::postgres())?;
    let user = || {
        let user = User::with_notes();
        let own = user.own_configuration();
        let database = format!("[store]\nurl = {}\n\n[audit]\n{audit}\n", Value::from(url.clone()));
        fs::write(&own, format!("{}\n{database}", text(&own))).unwrap();
        user
    };
    Some(([user(), user()], url))
}

impl User {
    /// The events of agents and operators, as `TYPE TARGET`, in the order of the listing.
    fn trail(&self, args: &[&str]) -> Vec<String> {
        let (code, shown) = self.json(&[&["audit", "--last", "1000"], args].concat());
        assert_eq!(code, 0, "{shown}");
        let events = shown["events"].as_array().unwrap().iter();
        let line = |event: &Value| {
            let kind = event["event_type"].as_str().unwrap().trim_start_matches("dev.cloto.mgp.").to_owned();
            format!("{kind} {}", event["actor"]["id"].as_str().unwrap())
        };
        events.filter(|event| event["actor"]["type"] != "kernel").map(line).collect()
    }
}

#[test]
fn each_machine_reads_the_events_of_all() {
    let Some(([one, other], _)) = machines("") else { return };
    one.run(&["access", "grant", "ben", "notes", "list_notes"]).succeeds();
    let of_one = one.trail(&[]);
    assert!(!of_one.is_empty());
    assert_eq!(other.trail(&[]), of_one);
    assert!(other.trail(&["--local"]).is_empty());
    other.run(&["access", "revoke", "ben", "notes", "list_notes"]).succeeds();
    let of_both = one.trail(&[]);
    assert!(of_both.len() > of_one.len() && of_both.starts_with(&of_one), "{of_both:?}");
    assert_eq!(one.trail(&["--local"]), of_one);
    let (code, report) = one.json(&["audit", "verify"]);
    assert_eq!((code, &report["intact"]), (0, &json!(true)), "{report}");
    assert_eq!(report["trails"].as_array().unwrap().len(), 2, "{report}");
    let head = report["trails"][0]["head"].as_str().unwrap();
    other.run(&["audit", "verify", "--head", head]).succeeds();
    let changed = format!("{}:{}", head.split(':').next().unwrap(), "0".repeat(64));
    other.run(&["audit", "verify", "--head", &changed]).fails_with(1);
    let (code, report) = one.json(&["audit", "verify", "--local"]);
    assert_eq!((code, &report["trail"]), (0, &Value::Null), "{report}");
    let exported = other.run(&["audit", "export"]).succeeds().stdout;
    let trails: std::collections::BTreeSet<_> = exported
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["_mgp"]["trail"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(trails.len(), 2, "{exported}");
}

#[test]
fn a_gateway_s_calls_are_followed_on_another_machine() {
    for audit in ["", "journal = \"store\""] {
        let Some(([one, other], _)) = machines(audit) else { return };
        let mut command =
            other.command(&["--json", "audit", "--follow", "--last", "0", "--type", "TOOL_EXECUTED"]);
        let mut follower = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut host = one.serve(&[]);
        for id in 2..5 {
            host.call(id, "list_notes", &json!({}));
            host.reply(id);
        }
        let executed = || (other.trail(&["--type", "TOOL_EXECUTED"]).len() >= 3).then_some(());
        if audit.is_empty() {
            block_until_some(executed);
        } else {
            executed().expect("an answered call is in the database");
        }
        let lines = BufReader::new(follower.stdout.take().unwrap()).lines();
        assert_eq!(lines.take(3).map(Result::unwrap).count(), 3);
        follower.kill().unwrap();
        follower.wait().unwrap();
    }
}

#[test]
fn a_trail_is_migrated_both_ways_and_goes_on() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let Some(url) = runtime.block_on(xtask_testing::postgres()) else { return };
    let user = User::with_notes();
    user.run(&["call", "list_notes"]).succeeds();
    let (folder, back) = (user.path("../state"), user.path("back"));
    let (folder, back) = (folder.to_str().unwrap(), back.to_str().unwrap());
    let events = user.trail(&[]);
    let (code, there) = user.json(&["store", "migrate", "--from", folder, "--to", &url]);
    assert_eq!((code, &there["verified"]), (0, &json!(true)), "{there}");
    let (code, again) = user.json(&["store", "migrate", "--from", &url, "--to", back]);
    assert_eq!(code, 0, "{again}");
    let trail = |report: &Value| report["sections"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((trail(&there), &trail(&there)["section"]), (trail(&again), &json!("audit")));
    let here = |args: &[&str]| user.json(&[&["--state-dir", back, "audit"], args].concat());
    assert_eq!(here(&["verify"]).0, 0);
    let listed = here(&["--last", "1000"]).1["events"].as_array().unwrap().len();
    assert_eq!(listed, user.json(&["audit", "--last", "1000"]).1["events"].as_array().unwrap().len());
    user.run(&["--state-dir", back, "call", "list_notes"]).succeeds();
    let (code, report) = here(&["verify"]);
    assert_eq!((code, &report["intact"]), (0, &json!(true)), "{report}");
    assert!(!events.is_empty());
}

#[test]
fn the_trails_of_several_machines_become_a_file_each() {
    let Some(([one, other], url)) = machines("") else { return };
    one.run(&["access", "grant", "ben", "notes", "list_notes"]).succeeds();
    other.run(&["access", "grant", "ann", "notes", "list_notes"]).succeeds();
    let back = one.path("back");
    let ended = one.run(&["store", "migrate", "--from", &url, "--to", back.to_str().unwrap()]).succeeds();
    let files = || {
        let names =
            fs::read_dir(&back).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("audit") && name.ends_with(".sqlite3")).collect::<Vec<_>>()
    };
    assert_eq!(files().len(), 2, "{ended:?}");
    assert!(files().iter().all(|name| name.starts_with("audit-")), "{:?}", files());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let again = runtime.block_on(xtask_testing::postgres()).unwrap();
    one.run(&["store", "migrate", "--from", back.to_str().unwrap(), "--to", &again]).succeeds();
    let mut command = one.command(&["--json", "audit", "verify"]);
    command.env("MGP_STORE_URL", &again);
    let report: Value = serde_json::from_str(&crate::support::ended(command, "").succeeds().stdout).unwrap();
    let trails = report["trails"].as_array().unwrap();
    // The two machines' trails, and that of this machine, which has the same id as one of them.
    assert_eq!((trails.len(), &report["intact"]), (2, &json!(true)), "{report}");
}
