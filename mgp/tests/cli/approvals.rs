//! Calls that want to be confirmed, and the operator who decides on them from another process.

use crate::support::{CommandOutput, User, text};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};
use xtask_testing::block_until_some;

const LS: &str = r#"{"command": "ls"}"#;

/// Calls the demo's dangerous tool, and returns how that ended.
fn call(user: &User, arguments: &str) -> CommandOutput {
    user.run(&["call", "run_command", arguments])
}

/// The id of the one open question about a call.
fn question(user: &User) -> String {
    let open = user.json(&["approve"]).1;
    let calls = open["confirmations"].as_array().unwrap();
    assert_eq!(calls.len(), 1, "{open}");
    calls[0]["request_id"].as_str().unwrap().to_owned()
}

#[test]
fn only_the_approved_call_passes() {
    let user = User::of_demo();
    let refused = call(&user, LS).fails_with(4);
    let id = question(&user);
    assert!(refused.stderr.contains(&format!("`mgp approve {id}` approves it once")), "{refused:?}");
    let listed = user.run(&["approve"]).succeeds().stdout;
    for part in [
        &*id,
        "run_command of server jobs (dangerous)",
        "local",
        "dangerous permission",
        r#"{"command":"ls"}"#,
    ] {
        assert!(listed.contains(part), "{part} in {listed}");
    }
    let approved = user.run(&["approve", &id]).succeeds().stdout;
    assert!(approved.contains("approved once"), "{approved}");
    call(&user, r#"{"command": "ls -la"}"#).fails_with(4);
    call(&user, r#"{ "command":"ls" }"#).succeeds();
    call(&user, LS).fails_with(4);
    let used = user.run(&["approve", &id]).fails_with(5);
    assert!(used.stderr.contains("it was used"), "{used:?}");
    let (_, audit) = user.json(&["audit", "--type", "TOOL_EXECUTED"]);
    let how = &audit["events"].as_array().unwrap().last().unwrap()["details"]["confirmation"];
    assert_eq!(how, &json!({"id": id, "by": "ann", "term": "once"}));
}

#[test]
fn a_question_shows_the_use_of_a_quota_and_the_tool_the_rest() {
    let user = User::with_notes();
    let own = user.own_configuration();
    let limits =
        "\n[limits.tools.notes__delete_note]\nunits_per_day = 5\n\n[limits.costs]\nnotes__delete_note = 2\n";
    std::fs::write(&own, text(&own) + limits).unwrap();
    user.run(&["approve", "notes", "memory.write"]).succeeds();
    let delete = || user.run(&["call", "delete_note", r#"{"id": 7}"#]);
    delete().fails_with(4);
    let listed = user.run(&["approve"]).succeeds().stdout;
    assert!(listed.contains("\n  likely:    It uses 2 of the 5 units that are left until "), "{listed}");
    let (_, open) = user.json(&["approve"]);
    let estimate = open["confirmations"][0]["estimate"].as_str().unwrap();
    assert!(estimate.starts_with("It uses 2 of the 5 units"), "{open}");
    user.run(&["approve", &question(&user)]).succeeds();
    delete();
    let shown = user.run(&["tools", "show", "delete_note"]).succeeds().stdout;
    assert!(shown.contains("quota           3 of 5 units are left until "), "{shown}");
    let (_, shown) = user.json(&["tools", "show", "delete_note"]);
    let quota = &shown["expectation"]["quota"];
    assert_eq!((&quota["remaining"], &quota["cost"]), (&json!(3), &json!(2)), "{shown}");
}

#[test]
fn a_call_is_approved_for_a_time_denied_and_undecided_again() {
    let user = User::of_demo();
    call(&user, LS).fails_with(4);
    let id = question(&user);
    user.run(&["approve", &id, "--for", "8h"]).succeeds();
    for _ in 0..2 {
        call(&user, LS).succeeds();
    }
    let all = user.json(&["approve", "--all"]).1["confirmations"][0].clone();
    assert_eq!((&all["state"], &all["decided_by"]), (&json!("approved"), &json!("ann")));
    assert!(all["expires_at"].is_string(), "{all}");
    let always = user.run(&["approve", &id, "--always"]).succeeds().stdout;
    assert!(always.contains(&format!("until `mgp approve {id} --revoke`")), "{always}");
    call(&user, LS).succeeds();
    user.run(&["approve", &id, "--deny"]).succeeds();
    let denied = call(&user, LS).fails_with(4).stderr;
    assert!(
        denied.contains("was denied by \"ann\"") && denied.contains(&format!("{id} --revoke")),
        "{denied}"
    );
    user.run(&["approve", &id, "--revoke"]).succeeds();
    let open = call(&user, LS).fails_with(4).stderr;
    assert!(open.contains("waits for an approval"), "{open}");
    assert_ne!(question(&user), id);
    let types: Vec<String> = user.json(&["audit", "--last", "100"]).1["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|event| event["event_type"].as_str()?.strip_prefix("dev.cloto.mgp.").map(str::to_owned))
        .filter(|name| name.starts_with("CALL_"))
        .collect();
    assert_eq!(types, ["CALL_APPROVED", "CALL_APPROVED", "CALL_DENIED", "CALL_DENIAL_REVOKED"]);
}

#[test]
fn a_call_is_shown_whole_before_its_approval() {
    let user = User::of_demo();
    let long: String = (0..3000).map(|i| format!("{i},")).collect();
    let arguments = json!({"command": format!("echo {long}\u{202e}\u{1b}[2J; true")}).to_string();
    call(&user, &arguments).fails_with(4);
    let id = question(&user);
    let listed = user.run(&["approve"]).succeeds().stdout;
    assert!(listed.contains("more characters") && listed.contains(&format!("`mgp approve {id} --show`")));
    let shown = user.run(&["approve", &id, "--show"]).succeeds().stdout;
    assert!(shown.contains(&format!("echo {long}\\u{{202e}}\\u{{1b}}[2J; true\"")), "{shown}");
    let (_, whole) = user.json(&["approve", &id, "--show"]);
    assert_eq!(whole["confirmations"][0]["arguments"].to_string(), arguments);
    assert_eq!(question(&user), id, "nothing was decided");
}

#[test]
fn a_call_of_a_host_continues_when_it_is_approved_elsewhere() {
    let user = User::of_demo();
    let mut host = user.serve(&[]);
    host.call(2, "run_command", &json!({"command": "ls"}));
    let id = block_until_some(|| {
        let open = user.json(&["approve"]).1;
        open["confirmations"][0]["request_id"].as_str().map(str::to_owned)
    });
    // A host that repeats a call that goes on runs it twice.
    let approved = user.run(&["approve", &id]).succeeds().stdout;
    assert!(
        approved.contains("approved once: if it still waits, it goes on now; if it was refused"),
        "{approved}"
    );
    let reply = host.reply(2);
    assert_eq!(reply["result"]["content"][0]["text"], "would run: ls", "{reply}");
    host.close();
    assert_eq!(host.end(), 0);
}

#[test]
fn a_host_is_answered_after_the_configured_wait() {
    let user = User::with_notes();
    let own = user.own_configuration();
    let file = text(&own).replace(r#"policy = "interactive""#, "policy = \"interactive\"\nwait_ms = 100");
    std::fs::write(&own, file).unwrap();
    let mut host = user.serve(&[]);
    host.call(2, "add_note", &json!({"title": "t", "text": "x"}));
    let refused = host.reply(2)["error"].clone();
    // The question has its id once it is stored, which may take longer than the wait.
    let answers = ["`mgp approve perm-", "`mgp approve notes memory.write`"];
    let message = refused["message"].as_str().unwrap();
    assert!(answers.iter().any(|answer| message.contains(answer)), "{refused}");
    // Once it is stored, every answer has it.
    let stored = block_until_some(|| {
        let open = user.json(&["approve"]).1;
        open["permissions"][0]["request_id"].as_str().map(str::to_owned)
    });
    host.call(3, "add_note", &json!({"title": "t", "text": "x"}));
    let refused = host.reply(3)["error"]["message"].as_str().unwrap().to_owned();
    assert!(refused.contains(&format!("`mgp approve {stored}`")), "{refused}");
    user.run(&["approve", "notes"]).succeeds();
    // A kernel that is slow to see the approval answers again at the end of its wait.
    let mut id = 3;
    block_until_some(|| {
        id += 1;
        host.call(id, "add_note", &json!({"title": "t", "text": "x"}));
        host.reply(id).get("error").is_none().then_some(())
    });
}

#[test]
fn a_denial_names_its_revocation() {
    let user = User::of_demo();
    let open = call(&user, LS).fails_with(4).stderr;
    let id = question(&user);
    assert!(open.contains(&format!("help: `mgp approve {id} --show`")), "{open}");
    user.run(&["approve", &id, "--deny"]).succeeds();
    let denied = call(&user, LS).fails_with(4).stderr;
    assert!(denied.contains("--revoke` takes that back") && !denied.contains("help:"), "{denied}");
    let note = r#"{"title":"t","text":"x"}"#;
    user.run(&["approve", "notes", "memory.write", "--deny"]).succeeds();
    let denied = user.run(&["call", "add_note", note]).fails_with(4).stderr;
    assert!(denied.contains("--revoke` takes that back") && !denied.contains("help:"), "{denied}");
}

#[test]
fn an_agent_with_all_its_questions_open_blocks_no_operator() {
    let user = User::of_demo();
    let mut host = user.serve(&[]);
    for number in 0..32 {
        host.call(number + 2, "run_command", &json!({ "command": format!("echo {number}") }));
    }
    block_until_some(|| {
        let open = user.json(&["approve"]).1["confirmations"].as_array().unwrap().len();
        (open == 32).then_some(())
    });
    let full = call(&user, LS).fails_with(4).stderr;
    let answer = "answer one with `mgp approve ID`, or `mgp approve ID --deny`";
    assert!(full.contains("32 calls of agent \"local\" wait") && full.contains(answer), "{full}");
    assert!(full.contains("--yes"), "{full}");
    let confirmed = user.run(&["call", "--yes", "run_command", LS]).succeeds();
    assert_eq!(confirmed.stdout, "would run: ls\n");
    let (_, audit) = user.json(&["audit", "--type", "TOOL_EXECUTED"]);
    let how = audit["events"].as_array().unwrap().last().unwrap()["details"]["confirmation"].clone();
    assert_eq!((&how["by"], &how["term"]), (&json!("ann"), &json!("once")));
    assert_eq!(user.json(&["approve"]).1["confirmations"].as_array().unwrap().len(), 32);
}

#[test]
fn a_decision_without_its_question_is_a_mistake_and_not_a_list() {
    let user = User::of_demo();
    call(&user, LS).fails_with(4);
    for args in
        [&["--deny"][..], &["--revoke"], &["--for", "8h"], &["--always"], &["list", "--deny"], &["list", "x"]]
    {
        let refused = user.run(&[&["approve"], args].concat()).fails_with(2);
        assert_eq!(refused.stdout, "", "{args:?}");
        assert!(refused.stderr.contains("needs the id of a question"), "{args:?}: {refused:?}");
    }
    user.run(&["approve", "list", "--all"]).succeeds();
    question(&user);
}

#[test]
fn a_server_without_a_question_lists_the_other_ways_to_decide() {
    let user = User::of_demo();
    call(&user, LS).fails_with(4);
    let id = question(&user);
    let calls = user.run(&["approve", "jobs"]).fails_with(5).stderr;
    let expected = format!("\"jobs\" has no open question about a permission; its calls: {id}\n");
    assert!(calls.contains(&expected), "{calls}");
    user.run(&["approve", "notes", "memory.write"]).succeeds();
    let decided = user.run(&["approve", "notes", "--for", "2s"]).fails_with(5).stderr;
    assert!(
        decided.contains("name a permission to decide before it is asked for, or to change its decision")
    );
}

#[test]
fn a_question_is_forgotten_and_a_decision_ends() {
    let user = User::of_demo();
    call(&user, LS).fails_with(4);
    let open = user.run(&["approve"]).succeeds().stdout;
    assert!(open.contains(", forgotten: 2") && !open.contains("ends: "), "{open}");
    user.run(&["approve", &question(&user), "--for", "8h"]).succeeds();
    let decided = user.run(&["approve", "--all"]).succeeds().stdout;
    assert!(decided.contains(", ends: 2") && !decided.contains("forgotten"), "{decided}");
}

#[test]
fn an_unreadable_answer_is_shown_and_revoked_by_its_id() {
    let user = User::of_demo();
    call(&user, LS).fails_with(4);
    let id = question(&user);
    user.run(&["approve", &id, "--always"]).succeeds();
    let file = user.path("../state").join("permission.sqlite3");
    let by_hand = "UPDATE confirmations SET risk = 'maybe'";
    assert_eq!(rusqlite::Connection::open(file).unwrap().execute(by_hand, []), Ok(1));
    let refused = call(&user, LS).fails_with(4).stderr;
    assert!(refused.contains("cannot be read") && refused.contains(&format!("{id} --revoke")), "{refused}");
    let listed = user.run(&["approve"]).succeeds().stdout;
    assert!(
        listed.contains(&format!("unreadable: it counts as denied until `mgp approve {id} --revoke`")),
        "{listed}"
    );
    assert_eq!(user.json(&["approve"]).1["confirmations"][0]["state"], "unreadable");
    assert!(user.run(&["approve", &id]).fails_with(2).stderr.contains("--revoke"));
    user.run(&["approve", &id, "--revoke"]).succeeds();
    call(&user, LS).fails_with(4);
    assert_ne!(question(&user), id);
}

#[test]
fn an_approval_covers_similar_calls_or_the_host_s_session() {
    let user = User::of_demo();
    let mut host = user.serve(&[]);
    host.call(2, "run_command", &json!({"command": "git log -1"}));
    let id = block_until_some(|| {
        user.json(&["approve"]).1["confirmations"][0]["request_id"].as_str().map(str::to_owned)
    });
    let unlike = user.run(&["approve", &id, "--session", "--like", "git push *"]).fails_with(2);
    assert!(unlike.stderr.contains("matches 0 arguments of the call"), "{unlike:?}");
    call(&user, r#"{"command": "git log --oneline"}"#).fails_with(4);
    call(&user, LS).fails_with(4);
    let (code, preview) = user.json(&["approve", &id, "--like", "git log *", "--preview"]);
    assert_eq!((code, &preview["looked_at"], &preview["covered"]), (0, &json!(2), &json!(1)), "{preview}");
    assert_eq!(preview["calls"][0]["arguments"]["command"], "git log --oneline");
    assert_eq!(preview["others"].as_array().unwrap().len(), 1, "{preview}");
    user.run(&["approve", &id, "--preview"]).fails_with(2);
    let unclear = user.run(&["approve", &id, "--like", "git log *"]).fails_with(2);
    assert!(unclear.stderr.contains("until a time"), "{unclear:?}");
    let approved = user.run(&["approve", &id, "--session", "--like", "git log *"]).succeeds().stdout;
    assert!(
        approved.contains(r#"command like "git log *""#) && approved.contains("for its session"),
        "{approved}"
    );
    assert_eq!(host.reply(2)["result"]["content"][0]["text"], "would run: git log -1");
    host.call(3, "run_command", &json!({"command": "git log --stat"}));
    assert_eq!(host.reply(3)["result"]["content"][0]["text"], "would run: git log --stat");
    let (_, all) = user.json(&["approve", "--all"]);
    let row = &all["confirmations"][0];
    assert_eq!((&row["pattern"], &row["session_only"]), (&json!({"command": "git log *"}), &json!(true)));
    call(&user, r#"{"command": "git log --stat"}"#).fails_with(4);
    user.run(&["approve", "jobs", "--session"]).fails_with(2);
    host.close();
    assert_eq!(host.end(), 0);
}

#[test]
fn a_follower_sees_each_question_and_its_outcome() {
    let user = User::of_demo();
    let mut command = user.command(&["--json", "approve", "--follow"]);
    let mut follower = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    // Questions about permissions arise as the servers start.
    let mut next = move || {
        let mut rows = lines.by_ref().map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
        rows.find(|row| row["request_id"].as_str().unwrap().starts_with("conf-")).unwrap()
    };
    call(&user, LS).fails_with(4);
    let asked = next();
    assert_eq!((&asked["state"], &asked["arguments"]), (&json!("open"), &json!({"command": "ls"})));
    let id = asked["request_id"].as_str().unwrap();
    user.run(&["approve", id, "--for", "8h"]).succeeds();
    let approved = next();
    assert_eq!((&approved["request_id"], &approved["decided_by"]), (&json!(id), &json!("ann")));
    user.run(&["approve", id, "--revoke"]).succeeds();
    assert_eq!(next(), json!({"request_id": id, "state": "closed"}));
    follower.kill().unwrap();
    follower.wait().unwrap();
}

/// A gateway with a host that waits for this many calls of one tool.
fn waiting(user: &User, count: i64) -> (crate::support::Host, Vec<Value>) {
    let mut host = user.serve(&[]);
    for number in 0..count {
        host.call(2 + number, "run_command", &json!({"command": format!("ls {number}")}));
    }
    let rows = block_until_some(|| {
        let open = user.json(&["approve"]).1["confirmations"].as_array().unwrap().clone();
        (open.len() == usize::try_from(count).unwrap()).then_some(open)
    });
    (host, rows)
}

/// Returns the answers of this many calls, which come in any order, in the order of their ids.
fn replies(host: &mut crate::support::Host, count: usize) -> Vec<Value> {
    let mut replies = Vec::new();
    while replies.len() < count {
        let message = host.message();
        if message.get("method").is_none() {
            replies.push(message);
        }
    }
    replies.sort_by_key(|reply| reply["id"].as_i64());
    replies
}

#[test]
fn one_command_decides_on_all_listed_calls_of_a_group() {
    let user = User::of_demo();
    let (mut host, rows) = waiting(&user, 3);
    let ids: Vec<_> = rows.iter().map(|row| row["request_id"].as_str().unwrap()).collect();
    assert!(rows.iter().all(|row| row["group"] == ids[0]), "{rows:?}");
    let listed = user.run(&["approve"]).succeeds().stdout;
    let head = format!(
        "local's 3 calls of run_command of server jobs, in one session: `mgp approve {}` decides on all 3",
        ids.join(" ")
    );
    assert!(listed.contains(&head), "{listed}");
    // One that comes after the list was printed is not decided with the others, and one that is gone by then keeps none from its answer.
    host.call(9, "run_command", &json!({"command": "ls 9"}));
    let late = block_until_some(|| {
        let rows = user.json(&["approve"]).1["confirmations"].take();
        let late = rows.as_array().unwrap().iter().find(|row| row["arguments"]["command"] == "ls 9")?;
        Some(late["request_id"].as_str().unwrap().to_owned())
    });
    let of = |more: &[&'static str]| [&["approve"][..], more].concat();
    let command =
        |more: &[&'static str]| -> Vec<&str> { of(more).into_iter().chain(ids.iter().copied()).collect() };
    let shown = user.run(&command(&["--show"])).succeeds().stdout;
    let approved = user.run(&command(&[])).succeeds().stdout;
    assert!(!approved.contains("ls 9") && !shown.contains("ls 9"), "{approved}");
    for number in 0..3 {
        assert!(shown.contains(&format!("\"ls {number}\"")), "{shown}");
        assert!(approved.contains(&format!("arguments: {{\"command\":\"ls {number}\"}}")), "{approved}");
    }
    for (number, reply) in replies(&mut host, 3).into_iter().enumerate() {
        assert_eq!(reply["result"]["content"][0]["text"], format!("would run: ls {number}"), "{reply}");
    }
    assert_eq!(question(&user), late);
    let shown = user.run(&["approve", "conf-gone", &late, "--show"]).succeeds();
    assert!(shown.stdout.contains("ls 9") && shown.stderr.contains("1 of 2 questions"), "{shown:?}");
    let ended = user.run(&["approve", "conf-gone", &late, "--deny"]).fails_with(5);
    assert!(ended.stderr.contains(&format!("{late}: ")) && ended.stderr.contains("conf-gone"), "{ended:?}");
    assert!(host.reply(9)["error"]["message"].as_str().unwrap().contains("denied"));
    host.close();
    assert_eq!(host.end(), 0);
}

#[test]
fn several_ids_of_a_group_are_decided_without_the_others() {
    let user = User::of_demo();
    let (mut host, rows) = waiting(&user, 3);
    let id = |at: usize| rows[at]["request_id"].as_str().unwrap();
    let (_, denied) = user.json(&["approve", id(0), id(2), "--deny"]);
    let states: Vec<_> =
        denied["confirmations"].as_array().unwrap().iter().map(|row| row["state"].clone()).collect();
    assert_eq!(states, ["denied", "denied"]);
    assert_eq!(question(&user), id(1));
    user.run(&["approve", id(1), "memory.read"]).fails_with(2);
    user.run(&["approve", id(1), id(2), "--always", "--like", "ls *"]).fails_with(2);
    user.run(&["approve", id(1), "--deny"]).succeeds();
    for reply in replies(&mut host, 3) {
        assert!(reply["error"]["message"].as_str().unwrap().contains("denied"), "{reply}");
    }
    user.run(&["approve", id(0), id(1), id(2), "--revoke"]).succeeds();
    assert_eq!(user.json(&["approve", "--all"]).1["confirmations"], json!([]));
    host.close();
    assert_eq!(host.end(), 0);
}

#[test]
fn the_unique_beginning_of_an_id_is_enough() {
    let user = User::of_demo();
    call(&user, LS).fails_with(4);
    let id = question(&user);
    let short = &id[.."conf-".len() + 13];
    let shown = user.run(&["approve", short, "--show"]).succeeds().stdout;
    assert!(shown.contains(&id), "{shown}");
    for (given, expected) in
        [(&id[.."conf-".len() + 4], "is too short to mean"), ("conf-ffffffff", "none that begins with it")]
    {
        let refused = user.run(&["approve", given]).fails_with(5).stderr;
        assert!(refused.contains(expected) && !refused.contains("it was used"), "{given}: {refused}");
    }
    user.run(&["approve", short]).succeeds();
    call(&user, LS).succeeds();
    let used = user.run(&["approve", &id]).fails_with(5).stderr;
    assert!(used.contains("it was used"), "{used}");

    let user = User::with_notes();
    user.run(&["call", "add_note", r#"{"title": "t", "text": "x"}"#]).fails_with(4);
    let asked = user.json(&["approve"]).1["permissions"][0]["request_id"].as_str().unwrap().to_owned();
    user.run(&["approve", &asked[.."perm-".len() + 4]]).fails_with(2);
    user.run(&["approve", &asked[.."perm-".len() + 13]]).succeeds();
    user.run(&["call", "add_note", r#"{"title": "t", "text": "x"}"#]).succeeds();
    let events = user.json(&["audit", "--type", "TOOL_EXECUTED"]).1;
    let trace = events["events"][0]["trace_id"].as_str().unwrap();
    let found = user.json(&["audit", "--trace", &trace[..13]]).1;
    assert_eq!(found["events"][0]["trace_id"], trace, "{found}");
    assert!(user.json(&["audit", "--trace", "ffffffff"]).1["events"].as_array().unwrap().is_empty());
}

#[test]
fn the_first_decision_on_an_open_question_stands() {
    const UNKNOWN: &str = "conf-0199f0a1-b2c3-7aaa-8000-000000000001";

    let user = User::of_demo();
    let by = |name: &str, arguments: &[&str]| {
        let mut command = user.command(arguments);
        command.env("USER", name);
        crate::support::ended(command, "")
    };
    // A call is denied, and then an approval comes too late; then the other order.
    for (first, second, decision) in
        [("--deny", "--always", "was denied by ann"), ("--always", "--deny", "was approved always by ann")]
    {
        call(&user, LS).fails_with(4);
        let id = question(&user);
        by("ann", &["approve", &id, "--open", first]).succeeds();
        let late = by("ben", &["approve", &id, "--open", second]).fails_with(1).stderr;
        for part in [&*id, "is no longer open", decision, &format!("`mgp approve {id} --revoke`")] {
            assert!(late.contains(part), "{part} in {late}");
        }
        let row = user.json(&["approve", "--all"]).1["confirmations"][0].clone();
        assert_eq!(row["decided_by"], "ann", "{row}");
        by("ben", &["approve", &id, second]).succeeds();
        let row = user.json(&["approve", "--all"]).1["confirmations"][0].clone();
        assert_eq!(row["decided_by"], "ben", "without --open, a decision replaces: {row}");
        user.run(&["approve", &id, "--revoke"]).succeeds();
    }
    // The approval of one call is used up, and only the trail knows it.
    call(&user, LS).fails_with(4);
    let id = question(&user);
    by("ann", &["approve", &id, "--open"]).succeeds();
    call(&user, LS).succeeds();
    let late = by("ben", &["approve", &id, "--open", "--deny"]).fails_with(1).stderr;
    assert!(late.contains("was approved once by ann at ") && late.contains("asks anew"), "{late}");
    let unknown = by("ben", &["approve", UNKNOWN, "--open"]);
    assert!(unknown.fails_with(5).stderr.contains("it was used"));
    let both = by("ben", &["approve", &id, UNKNOWN, "--open"]).fails_with(1).stderr;
    assert!(both.contains("was approved once by ann at ") && both.contains("it was used"), "{both}");
    user.run(&["approve", "--open"]).fails_with(2);
    user.run(&["approve", &id, "--open", "--revoke"]).fails_with(2);
}

#[test]
fn the_first_decision_on_an_open_permission_stands() {
    let user = User::with_notes();
    let by = |name: &str, arguments: &[&str]| {
        let mut command = user.command(arguments);
        command.env("USER", name);
        crate::support::ended(command, "")
    };
    user.run(&["call", "add_note", r#"{"title":"a","text":"b"}"#]).fails_with(4);
    let id = user.json(&["approve"]).1["permissions"][0]["request_id"].as_str().unwrap().to_owned();
    by("ann", &["approve", "notes", "--open", "--deny"]).succeeds();
    for target in [&["approve", &id, "--open"][..], &["approve", "notes", "--open"]] {
        let late = by("ben", target).fails_with(1).stderr;
        for part in ["memory.write for server notes is no longer open: it was denied by ann at ", "--revoke`"]
        {
            assert!(late.contains(part), "{part} in {late}");
        }
    }
    user.run(&["approve", &id, "--revoke"]).succeeds();
    by("ann", &["approve", "notes", "memory.write", "--open", "--for", "8h"]).succeeds();
    let late = by("ben", &["approve", "notes", "memory.write", "--open", "--deny"]).fails_with(1).stderr;
    assert!(late.contains("it was approved by ann at "), "{late}");
    by("ben", &["approve", "notes", "memory.write", "--deny"]).succeeds();
}

#[test]
fn one_of_two_operators_at_once_decides_and_the_other_reads_so() {
    let user = User::of_demo();
    for _ in 0..3 {
        call(&user, LS).fails_with(4);
        let id = question(&user);
        let ended: Vec<_> = std::thread::scope(|scope| {
            let decide = |name: &'static str, decision: &'static str| {
                let mut command = user.command(&["approve", &id, "--open", decision]);
                command.env("USER", name);
                scope.spawn(move || crate::support::ended(command, ""))
            };
            let both = [decide("ann", "--always"), decide("ben", "--deny")];
            both.map(|thread| thread.join().unwrap()).into()
        });
        let winner = match (ended[0].code, ended[1].code) {
            (0, 1) => "ann",
            (1, 0) => "ben",
            _ => panic!("{ended:?}"),
        };
        let loser = &ended[usize::from(winner == "ann")].stderr;
        assert!(loser.contains(&format!(" by {winner} at ")), "{loser}");
        let row = user.json(&["approve", "--all"]).1["confirmations"][0].clone();
        assert_eq!(row["decided_by"], winner, "{row}");
        user.run(&["approve", &id, "--revoke"]).succeeds();
    }
}
