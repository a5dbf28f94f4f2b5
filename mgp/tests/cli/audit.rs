//! `mgp audit`: which events it shows, and that it misses none.

use crate::support::User;
use rusqlite::{Connection, TransactionBehavior};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader},
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

impl User {
    /// The events that a filter lets through, as `TYPE tool`.
    fn events(&self, filter: &[&str]) -> Vec<String> {
        let (code, shown) = self.json(&[&["audit", "--last", "1000"], filter].concat());
        assert_eq!(code, 0, "{shown}");
        let line = |event: &Value| {
            let tool = event["target"]["tool_name"].as_str().unwrap_or("-");
            format!("{} {tool}", event["event_type"].as_str().unwrap())
        };
        shown["events"].as_array().unwrap().iter().map(line).collect()
    }
}

#[test]
fn a_follower_that_starts_while_others_write_misses_no_event() {
    let user = User::new();
    user.run(&["audit"]).succeeds();
    let stop = Arc::new(AtomicBool::new(false));
    // Another process that stores events as fast as it can.
    let (file, ended) = (user.path("../state/audit.sqlite3"), stop.clone());
    let writer = thread::spawn(move || {
        let mut connection = Connection::open(file).unwrap();
        connection.busy_timeout(Duration::from_secs(100)).unwrap();
        connection.pragma_update(None, "synchronous", "OFF").unwrap();
        while !ended.load(Ordering::Relaxed) {
            let event = json!({"timestamp": "2026-11-20T10:04:22.362Z", "event_type": "TOOL_EXECUTED",
                "actor": {"type": "agent", "id": "a"}, "result": "SUCCESS"});
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
            let insert =
                "INSERT INTO events (at, event_type, actor_id, event) VALUES (1, 'TOOL_EXECUTED', 'a', ?)";
            transaction.execute(insert, [event.to_string()]).unwrap();
            transaction.commit().unwrap();
        }
    });
    for _ in 0..10 {
        let mut command = user.command(&["--json", "audit", "--follow", "--last", "3"]);
        let mut follower = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(follower.stdout.take().unwrap()).lines();
        let numbers: Vec<u64> = lines
            .take(200)
            .map(|line| {
                serde_json::from_str::<Value>(&line.unwrap()).unwrap()["_mgp"]["seq"].as_u64().unwrap()
            })
            .collect();
        follower.kill().unwrap();
        follower.wait().unwrap();
        let dense: Vec<u64> = (numbers[0]..).take(200).collect();
        assert_eq!(numbers, dense);
    }
    stop.store(true, Ordering::Relaxed);
    writer.join().unwrap();
}

#[test]
fn a_follower_continues_with_a_restarted_trail() {
    let user = User::with_notes();
    user.run(&["call", "list_notes"]).succeeds();
    let mut command = user.command(&["--json", "audit", "--follow", "--tool", "list_notes"]);
    let mut follower = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("list_notes"));
    for end in ["", "-wal", "-shm"] {
        // A file beside the trail may be gone by itself.
        let _ = std::fs::remove_file(user.path(&format!("../state/audit.sqlite3{end}")));
    }
    user.run(&["call", "list_notes"]).succeeds();
    assert!(lines.next().unwrap().unwrap().contains("list_notes"));
    follower.kill().unwrap();
    follower.wait().unwrap();
}

#[test]
fn events_are_filtered_by_tool_result_trace_and_time() {
    let user = User::with_notes();
    user.run(&["call", "list_notes"]).succeeds();
    user.run(&["call", "notes_status"]).succeeds();
    user.run(&["call", "add_note", "{}"]).fails_with(4);
    let executed = ["TOOL_EXECUTED list_notes", "TOOL_EXECUTED notes_status"];
    assert_eq!(user.events(&["--tool", "list_notes"]), executed[..1]);
    assert_eq!(user.events(&["--result", "blocked"]), ["TOOL_BLOCKED add_note"]);
    assert_eq!(user.events(&["--result", "SUCCESS", "--type", "tool_executed"]), executed);
    assert_eq!(user.events(&["--since", "1h", "--type", "TOOL_EXECUTED"]), executed);
    assert_eq!(user.events(&["--since", "2001-01-01T00:00:00Z", "--type", "TOOL_EXECUTED"]), executed);
    assert_eq!(user.events(&["--since", "2101-01-01T00:00:00Z"]), [""; 0]);
    let (_, shown) = user.json(&["audit", "--tool", "notes_status"]);
    let event = &shown["events"][0];
    let trace = event["trace_id"].as_str().unwrap();
    assert_eq!(user.events(&["--trace", trace]), executed[1..]);
    // From this event on, which is not the first.
    let since = event["timestamp"].as_str().unwrap();
    assert_eq!(user.events(&["--since", since]), ["TOOL_EXECUTED notes_status", "TOOL_BLOCKED add_note"]);
    for wrong in [["--result", "fine"], ["--since", "yesterday"]] {
        let refused = user.run(&[&["audit"], &wrong[..]].concat()).fails_with(2);
        assert!(refused.stderr.contains(wrong[1]), "{refused:?}");
    }
}

#[test]
fn earlier_events_are_paged_and_all_are_counted() {
    let user = User::with_notes();
    user.run(&["call", "list_notes"]).succeeds();
    user.run(&["call", "notes_status"]).succeeds();
    user.run(&["call", "add_note", "{}"]).fails_with(4);
    let executed = ["TOOL_EXECUTED list_notes", "TOOL_EXECUTED notes_status"];
    let (_, shown) = user.json(&["audit", "--tool", "notes_status"]);
    let event = &shown["events"][0];
    let (seq, time) = (event["_mgp"]["seq"].to_string(), event["timestamp"].as_str().unwrap());
    assert_eq!(user.events(&["--before", &seq, "--type", "TOOL_EXECUTED"]), executed[..1]);
    assert_eq!(user.events(&["--until", time, "--type", "TOOL_EXECUTED"]), executed[..1]);
    assert_eq!(user.events(&["--until", "1h"]), [""; 0]);
    for wrong in [&["--before", "x"][..], &["--until", "soon"], &["--before", "1", "--follow"]] {
        user.run(&[&["audit"], wrong].concat()).fails_with(2);
    }

    let (code, counted) = user.json(&["audit", "count", "--by", "tool", "--bucket", "1h"]);
    assert_eq!((code, &counted["by"], &counted["complete"]), (0, &json!("tool"), &json!(true)), "{counted}");
    let total = &counted["total"];
    assert_eq!(
        (&total["calls"], &total["failed"], &total["refused"]),
        (&json!(2), &json!(0), &json!(1)),
        "{counted}"
    );
    assert!(total["p95_ms"].is_number() && total["events"].as_u64().unwrap() >= 3, "{counted}");
    let names: Vec<_> = counted["groups"].as_array().unwrap().iter().map(|group| &group["name"]).collect();
    assert_eq!(names, ["add_note", "list_notes", "notes_status"]);
    assert_eq!(counted["groups"][0]["server_id"], "notes");
    assert_eq!(counted["buckets"].as_array().unwrap().len(), 24);
    let (_, failed) = user.json(&["audit", "count", "--by", "result", "--result", "blocked"]);
    assert_eq!((&failed["groups"][0]["name"], &failed["total"]["events"]), (&json!("BLOCKED"), &json!(1)));
    let newest = user.run(&["audit", "count", "--most", "1"]).succeeds();
    assert!(newest.stderr.contains("--most counts more"), "{newest:?}");
    let backwards = user.run(&["audit", "count", "--since", "1h", "--until", "2h"]).fails_with(2);
    assert!(backwards.stderr.contains("expected an earlier time"), "{backwards:?}");
}

#[test]
fn short_commands_leave_only_their_calls_in_the_trail() {
    let user = User::with_notes();
    user.run(&["servers"]).succeeds();
    user.run(&["tools"]).succeeds();
    user.run(&["tools", "search", "notes"]).succeeds();
    let before = user.events(&[]);
    // The server asks for a permission, and the question stays.
    let expected = ["dev.cloto.mgp.CHANGE_INTENDED -", "ACCESS_GRANTED -", "dev.cloto.mgp.APPROVAL_NEEDED -"];
    assert_eq!(before, expected);
    user.run(&["call", "list_notes"]).succeeds();
    user.run(&["call", "nothing"]).fails_with(5);
    let calls = &user.events(&[])[3..];
    assert_eq!(calls, ["TOOL_EXECUTED list_notes", "TOOL_BLOCKED nothing"]);
    // The gateway itself says when its servers come and go.
    let mut host = user.serve(&[]);
    host.call(2, "list_notes", &json!({}));
    host.reply(2);
    host.close();
    assert_eq!(host.end(), 0);
    let served = &user.events(&[])[5..];
    assert_eq!(served, ["SERVER_CONNECTED -", "TOOL_EXECUTED list_notes", "SERVER_DISCONNECTED -"]);
}

#[test]
fn the_reasons_of_a_refused_call_are_shown_whole() {
    let user = User::of_demo();
    user.run(&["call", "run_command", r#"{"command": "ls"}"#]).fails_with(4);
    let id = user.json(&["approve"]).1["confirmations"][0]["request_id"].as_str().unwrap().to_owned();
    let shown = user.run(&["audit", "--type", "tool_blocked"]).succeeds().stdout;
    assert!(shown.contains(&format!("`mgp approve {id}`")) && !shown.contains('…'), "{shown}");
}

#[test]
fn the_gateway_s_own_types_are_named_by_their_last_word() {
    let user = User::of_demo();
    user.run(&["call", "run_command", r#"{"command": "ls"}"#]).fails_with(4);
    let id = user.json(&["approve"]).1["confirmations"][0]["request_id"].as_str().unwrap().to_owned();
    user.run(&["approve", &id, "--deny"]).succeeds();
    for name in ["call_denied", "CALL_DENIED", "dev.cloto.mgp.CALL_DENIED"] {
        assert_eq!(user.events(&["--type", name]), ["dev.cloto.mgp.CALL_DENIED run_command"], "{name}");
    }
}

#[test]
fn a_check_of_the_trail_finds_a_changed_event() {
    let user = User::with_notes();
    user.run(&["call", "list_notes"]).succeeds();
    let (code, report) = user.json(&["audit", "verify"]);
    assert_eq!((code, &report["intact"]), (0, &json!(true)), "{report}");
    let head = report["head"].as_str().unwrap();
    user.run(&["call", "list_notes"]).succeeds();
    let checked = user.run(&["audit", "verify", "--head", head]).succeeds();
    assert!(checked.stdout.contains("5 events, all as they were stored\nhead 5:"), "{checked:?}");

    let trail = Connection::open(user.path("../state/audit.sqlite3")).unwrap();
    trail
        .execute("UPDATE events SET event = replace(event, 'SUCCESS', 'FAILURE') WHERE seq = 3", [])
        .unwrap();
    let (code, report) = user.json(&["audit", "verify"]);
    assert_eq!(
        (code, &report["intact"], &report["problem_count"]),
        (1, &json!(false), &json!(1)),
        "{report}"
    );
    let changed = "event 3 was changed, or is not in its place";
    assert_eq!(report["problems"], json!([changed]));
    let found = user.run(&["audit", "verify"]).fails_with(1);
    assert!(found.stdout.contains(&format!("5 events, 1 problems:\n{changed}")), "{found:?}");
    let refused = user.run(&["audit", "verify", "--head", "4:abc"]).fails_with(2);
    assert!(refused.stderr.contains("64 hexadecimal digits"), "{refused:?}");
}

#[test]
fn a_kernel_killed_at_any_moment_leaves_an_intact_trail() {
    let user = User::with_notes();
    let mut answered = 0;
    for round in 1..=4 {
        let mut host = user.serve(&[]);
        for id in 2..400 {
            host.call(id, "list_notes", &json!({}));
        }
        for _ in 0..20 * round {
            answered += u64::from(host.message().get("result").is_some());
        }
        // Dropping a host kills its kernel, which still has calls under way.
        drop(host);
        let (code, report) = user.json(&["audit", "verify"]);
        assert_eq!(code, 0, "{report}");
        assert!(report["events"].as_u64().unwrap() >= answered, "{report}");
    }
}

#[test]
fn an_export_has_every_event_once_oldest_first() {
    let user = User::with_notes();
    user.run(&["call", "list_notes"]).succeeds();
    user.run(&["call", "add_note", "{}"]).fails_with(4);
    let lines = |args: &[&str]| -> Vec<Value> {
        let printed = user.run(&[&["audit", "export"], args].concat()).succeeds().stdout;
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let events = lines(&[]);
    let numbers: Vec<_> = events.iter().map(|event| event["_mgp"]["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    assert_eq!(events[4]["event_type"], "TOOL_BLOCKED");
    let activities = lines(&["--format", "ocsf"]);
    assert_eq!((activities.len(), &activities[4]["action"]), (5, &json!("Denied")));
    assert_eq!(lines(&["--since", "2101-01-01T00:00:00Z"]), [Value::Null; 0]);
    user.run(&["audit", "export", "--since", "yesterday"]).fails_with(2);
}

#[test]
fn an_export_obeys_the_filters_of_the_list() {
    let user = User::with_notes();
    user.run(&["call", "list_notes"]).succeeds();
    user.run(&["call", "add_note", "{}"]).fails_with(4);
    let exported = |args: &[&str]| -> Vec<Value> {
        let printed = user.run(&[&["audit", "export"], args].concat()).succeeds().stdout;
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let all = exported(&[]);
    let trace = all[4]["trace_id"].as_str().unwrap();
    for args in [
        &["--agent", "local"][..],
        &["--server", "notes", "--tool", "list_notes"],
        &["--type", "TOOL_BLOCKED"],
        &["--result", "BLOCKED"],
        &["--trace", trace],
        &["--before", "3"],
        &["--since", "1h", "--until", "2101-01-01T00:00:00Z", "--agent", "local", "--before", "5"],
    ] {
        let listed = user.json(&[&["audit", "--last", "100"], args].concat()).1["events"].clone();
        let found = exported(args);
        assert!(!found.is_empty() && found.len() < all.len(), "{args:?}: {found:?}");
        assert_eq!(listed, json!(found), "{args:?}");
    }
    assert_eq!(exported(&["--until", "1h"]), [Value::Null; 0]);
    assert_eq!(exported(&["--server", "other"]), [Value::Null; 0]);
    user.run(&["audit", "export", "--before", "x"]).fails_with(2);
    user.run(&["audit", "--follow", "--before", "3"]).fails_with(2);
}
