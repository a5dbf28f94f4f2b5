//! `mgp demo`, as the program that users run.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::Value;
use std::{
    collections::BTreeMap,
    process::{Command, Output},
};

const STEPS: [&str; 22] = [
    "negotiate",
    "discover",
    "refused",
    "grant",
    "permission",
    "validator",
    "stream",
    "cancel",
    "checkpoint",
    "events",
    "callback",
    "created",
    "health",
    "restart",
    "retry",
    "fallback",
    "result",
    "dry_run",
    "limit",
    "idempotent",
    "transaction",
    "reference",
];

/// Runs the program with a folder of its own for what is temporary.
fn demo(args: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_mgp"))
        .arg("demo")
        .args(args)
        .env("TMPDIR", folder.path())
        .env_remove("RUST_LOG")
        .output()
        .unwrap();
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "left behind: {left:?}");
    output
}

/// The messages of a step: whether each was sent, and what it says.
fn messages(step: &Value) -> Vec<(bool, Value)> {
    let lines = step["wire"].as_array().unwrap().iter().map(|line| line.as_str().unwrap());
    let read = |line: &str| {
        let (direction, text) = line.split_once(' ').unwrap();
        assert!(["→", "←"].contains(&direction), "{line}");
        let message: Value = serde_json::from_str(text).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        (direction == "→", message)
    };
    lines.map(read).collect()
}

#[test]
fn every_step_is_ok_on_the_wire_and_in_the_stored_events() {
    let output = demo(&["--json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?}\n{text}\n{stderr}", output.status);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (last, steps) = lines.split_last().unwrap();
    for (index, step) in steps.iter().enumerate() {
        assert_eq!(step["step"], index + 1);
        assert_eq!(step["ok"], true, "{step}");
        assert!(messages(step).len() >= 2, "{step}");
    }
    let names: Vec<_> = steps.iter().map(|step| step["name"].as_str().unwrap()).collect();
    assert_eq!(names, STEPS);

    handshake(&messages(&steps[0]));
    let codes: Vec<_> =
        messages(&steps[2]).iter().filter_map(|(_, message)| message["error"]["code"].as_i64()).collect();
    assert_eq!(codes, [1001]);
    asked_once(&messages(&steps[4]));
    blocked(&messages(&steps[5]));
    streamed(&messages(&steps[6]));
    answered_once(&messages(&steps[7]));
    said_how_it_went(&messages(&steps[16]));
    judged(&messages(&steps[17]));
    limited(&messages(&steps[18]));
    made_once(&messages(&steps[19]));
    undone(&messages(&steps[20]));
    passed_on(&messages(&steps[21]));
    let is_made = steps.iter().all(|step| step.get("notes").is_none());
    assert!(is_made || std::env::var_os("CI").is_none(), "no tool is made of code: {text}");
    if !is_made {
        eprintln!("skipped: no tool is made of code without Linux and python3");
    }
    audited(last["audit"].as_array().unwrap(), is_made);
    assert_eq!(last.as_object().unwrap().len(), 1);
}

fn handshake(messages: &[(bool, Value)]) {
    let (sent, first) = &messages[0];
    assert!(*sent && first["method"] == "initialize");
    let answer = messages.iter().find(|(sent, message)| !sent && message["id"] == first["id"]).unwrap();
    assert_eq!(answer.1["result"]["capabilities"]["mgp"]["version"], "0.3.0");
}

fn asked_once(messages: &[(bool, Value)]) {
    let asked: Vec<_> =
        messages.iter().filter(|(_, message)| message["method"] == "elicitation/create").collect();
    let [(false, question)] = asked[..] else { panic!("{asked:?}") };
    assert!(question["params"]["message"].as_str().unwrap().contains("memory.write"));
    let answer = messages
        .iter()
        .find(|(sent, message)| *sent && message["id"] == question["id"] && message.get("result").is_some());
    assert_eq!(answer.unwrap().1["result"]["action"], "accept");
}

fn blocked(messages: &[(bool, Value)]) {
    let call =
        |(sent, message): &&(bool, Value)| *sent && message["params"]["arguments"]["command"] == "rm -rf /";
    let id = &messages.iter().find(call).unwrap().1["id"];
    let answer = &messages
        .iter()
        .find(|(sent, message)| !sent && message["id"] == *id && message.get("result").is_some())
        .unwrap()
        .1;
    assert_eq!(answer["result"]["isError"], true);
    let rejection: Value =
        serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!((&rejection["status"], &rejection["code"]), (&"rejected".into(), &1010.into()));
}

fn streamed(messages: &[(bool, Value)]) {
    let id =
        &messages.iter().find(|(sent, message)| *sent && message["method"] == "tools/call").unwrap().1["id"];
    let (mut chunks, mut answered) = (Vec::new(), false);
    for (_, message) in messages.iter().filter(|(sent, _)| !sent) {
        if message["params"]["request_id"] == *id {
            assert!(!answered, "a chunk after the answer: {message}");
            chunks.push(message["params"]["index"].as_u64().unwrap());
        }
        answered |= message["id"] == *id;
    }
    assert!(answered && chunks.len() > 1);
    assert_eq!(chunks, (0..chunks.len() as u64).collect::<Vec<_>>());
}

fn answered_once(messages: &[(bool, Value)]) {
    let id =
        &messages.iter().find(|(sent, message)| *sent && message["method"] == "tools/call").unwrap().1["id"];
    let answers: Vec<_> = messages.iter().filter(|(sent, message)| !sent && message["id"] == *id).collect();
    let [(_, answer)] = answers[..] else { panic!("{answers:?}") };
    assert_eq!(answer["result"]["_mgp"]["cancelled"], true);
}

/// Returns the calls of a step: the params of each, and the whole answer, in the order of the calls.
fn calls(messages: &[(bool, Value)]) -> Vec<(&Value, &Value)> {
    let calls = messages.iter().filter(|(sent, message)| *sent && message["method"] == "tools/call");
    let answered = calls.map(|(_, call)| {
        let answer = messages.iter().find(|(sent, message)| {
            !sent
                && message["id"] == call["id"]
                && (message["result"].is_object() || message["error"].is_object())
        });
        (&call["params"], &answer.unwrap().1)
    });
    answered.collect()
}

fn said_how_it_went(messages: &[(bool, Value)]) {
    let calls = calls(messages);
    let said = calls.iter().map(|(_, answer)| &answer["result"]["_meta"]["dev.cloto/result"]);
    let said: Vec<_> = said.collect();
    assert_eq!(said.len(), 3);
    assert_eq!(calls[0].1["result"]["structuredContent"]["lines"][0]["path"], "plan.txt");
    assert_eq!(said[1]["status"], "no_change_needed");
    assert_eq!(
        (&said[2]["status"], &said[2]["error"]["error_type"]),
        (&"failure".into(), &"FileNotFoundError".into())
    );
}

fn judged(messages: &[(bool, Value)]) {
    let asked = messages.iter().filter(|(sent, message)| *sent && message["method"] == "mgp/tools/check");
    assert_eq!(asked.count(), 2);
    let judgements = messages.iter().filter(|(_, message)| message["result"]["allowed"].is_boolean());
    let judgements: Vec<_> = judgements.map(|(_, message)| &message["result"]).collect();
    assert_eq!((&judgements[0]["allowed"], &judgements[1]["allowed"]), (&true.into(), &false.into()));
    assert_eq!(judgements[1]["error"]["code"], 1010);
    // Only what counts was called, before and after, and it counts the same.
    let calls = calls(messages);
    let names: Vec<_> = calls.iter().map(|(params, _)| params["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["notes_status", "command_history", "notes_status", "command_history"]);
    for (before, after) in [(0, 2), (1, 3)] {
        let counted = |at: usize| &calls[at].1["result"]["structuredContent"];
        assert!(counted(before).is_object());
        assert_eq!(counted(before), counted(after));
    }
}

fn limited(messages: &[(bool, Value)]) {
    let calls = calls(messages);
    let refused: Vec<_> = calls.iter().map(|(_, answer)| answer["error"]["code"].as_i64()).collect();
    assert_eq!(refused, [None, None, Some(3000)]);
    let pause = calls[2].1["error"]["data"]["_mgp"]["retry_after_ms"].as_u64().unwrap();
    assert!((1..=30_000).contains(&pause), "{pause}");
}

fn made_once(messages: &[(bool, Value)]) {
    let calls = calls(messages);
    let added: Vec<_> = calls.iter().filter(|(params, _)| params["name"] == "add_note").collect();
    let keys: Vec<_> = added.iter().map(|(params, _)| &params["_meta"]["idempotency_key"]).collect();
    assert!(keys[0].is_string() && keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    let replays: Vec<_> =
        added.iter().map(|(_, answer)| answer["result"]["_meta"]["was_replay"].as_bool()).collect();
    assert_eq!(replays, [Some(false), Some(true), None]);
    assert_eq!(added[2].1["error"]["data"]["code"], "IDEMPOTENCY_CONFLICT");
    let notes = |at: usize| calls[at].1["result"]["structuredContent"]["notes"].as_u64().unwrap();
    assert_eq!(notes(calls.len() - 1), notes(0) + 1);
}

fn undone(messages: &[(bool, Value)]) {
    let reports = messages.iter().filter(|(_, message)| message["result"]["transaction_id"].is_string());
    let reports: Vec<_> = reports.map(|(_, message)| &message["result"]).collect();
    let states: Vec<_> = reports.iter().map(|report| report["status"].as_str().unwrap()).collect();
    assert_eq!(states, ["active", "rolled_back", "rolled_back"]);
    let steps = reports[2]["steps"].as_array().unwrap().iter();
    let steps: Vec<_> = steps.map(|step| step["status"].as_str().unwrap()).collect();
    assert_eq!(steps, ["compensated", "compensated", "failed"]);
    let servers = reports[2]["steps"].as_array().unwrap().iter();
    let servers: Vec<_> = servers.map(|step| step["server_id"].as_str().unwrap()).collect();
    assert_eq!(servers, ["notes", "files", "jobs"]);
    assert_eq!(calls(messages)[3].1["result"]["content"][0]["text"], "cancelled");
}

fn passed_on(messages: &[(bool, Value)]) {
    let calls = calls(messages);
    let reference = &calls[0].1["result"]["_meta"]["dev.cloto/reference"];
    let placed = &calls[1].0["_meta"]["dev.cloto/call"]["refs"]["/text"];
    assert!(placed.is_string() && *placed == reference["ref_id"], "{placed}");
    assert!(calls[..2].iter().all(|call| !call.1.to_string().contains("Paragraph")));
    let read = calls[2].1["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(reference["size_bytes"], read.len());
    assert_eq!((read.lines().count(), read.len() > 4000), (200, true));
}

/// Checks the events. `is_made` is true where a tool was made of code.
fn audited(events: &[Value], is_made: bool) {
    let numbers: Vec<_> = events.iter().map(|event| event["_mgp"]["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
    let mut counts = BTreeMap::<_, usize>::new();
    for event in events {
        *counts
            .entry((event["event_type"].as_str().unwrap(), event["result"].as_str().unwrap()))
            .or_default() += 1;
    }
    let made = usize::from(is_made);
    for (event, count) in [
        (("SERVER_CONNECTED", "SUCCESS"), 6 + made),
        (("SERVER_DISCONNECTED", "SUCCESS"), 4 + made),
        (("SERVER_DISCONNECTED", "FAILURE"), 2),
        // A call, a call to a server that is stopped, one too many, and one with a key of another.
        (("TOOL_BLOCKED", "BLOCKED"), 4),
        // A grant by the agent itself.
        (("dev.cloto.mgp.REQUEST_BLOCKED", "BLOCKED"), 1),
        // For a permission of the notes, and for two calls of run_command.
        (("dev.cloto.mgp.APPROVAL_NEEDED", "SUCCESS"), 3),
        (("dev.cloto.mgp.CHANGE_INTENDED", "SUCCESS"), 3 + made),
        (("dev.cloto.mgp.TOOL_DISPATCHED", "SUCCESS"), 2 + made),
        (("dev.cloto.mgp.TOOL_CHECKED", "SUCCESS"), 1),
        (("dev.cloto.mgp.TOOL_CHECKED", "BLOCKED"), 1),
        (("CODE_REJECTED", "BLOCKED"), 1),
        (("dev.cloto.mgp.TOOLS_REQUESTED", "BLOCKED"), 2 - made),
        (("VALIDATION_FAILED", "BLOCKED"), 1),
        (("ACCESS_GRANTED", "SUCCESS"), 2),
        (("PERMISSION_GRANTED", "SUCCESS"), 2),
        (("TOOL_EXECUTED", "FAILURE"), 4),
        (("dev.cloto.mgp.TOOL_RETRIED", "FAILURE"), 1),
        (("dev.cloto.mgp.HOST_ASKED", "SUCCESS"), 1),
        (("dev.cloto.mgp.SERVER_CONTROLLED", "SUCCESS"), 2),
        (("dev.cloto.mgp.TRANSACTION_BEGUN", "SUCCESS"), 1),
        (("dev.cloto.mgp.TRANSACTION_ROLLBACK_BEGUN", "SUCCESS"), 1),
        (("dev.cloto.mgp.TRANSACTION_ROLLED_BACK", "SUCCESS"), 1),
    ] {
        assert_eq!(counts.remove(&event), Some(count), "{event:?}");
    }
    let left: Vec<_> = counts.into_keys().collect();
    let (executed, created) = (("TOOL_EXECUTED", "SUCCESS"), "dev.cloto.mgp.TOOL_CREATED");
    let expected = if is_made {
        let requested = ("dev.cloto.mgp.TOOLS_REQUESTED", "SUCCESS");
        vec![executed, requested, (created, "SUCCESS"), ("dev.cloto.mgp.TOOL_REMOVED", "SUCCESS")]
    } else {
        vec![executed, (created, "BLOCKED")]
    };
    assert_eq!(left, expected);
}

#[test]
fn people_are_shown_every_step_and_the_audit_trail() {
    let output = demo(&[]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    for (index, name) in STEPS.iter().enumerate() {
        assert!(text.contains(&format!("{}. {name}: ", index + 1)), "{name}: {text}");
    }
    assert_eq!(text.lines().filter(|line| line.trim() == "ok").count(), STEPS.len());
    for part in ["→ {", "← {", "VALIDATION_FAILED", "run_command", "elicitation/create"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
