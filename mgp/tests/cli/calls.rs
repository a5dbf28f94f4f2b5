//! `mgp call` and `mgp tools`.

use crate::support::User;

#[test]
fn a_search_shows_the_best_first_and_obeys_its_filters() {
    let user = User::of_demo();
    let (_, found) = user.json(&["tools", "search", "write a text to a file", "--limit", "2"]);
    let tools = found["tools"].as_array().unwrap();
    assert_eq!((tools.len(), &tools[0]["name"]), (2, &"write_file".into()));
    let (_, safe) = user.json(&["tools", "search", "shell command", "--risk-max", "safe"]);
    let safe = safe["tools"].as_array().unwrap();
    assert_eq!(safe[0]["name"], "command_history", "its server says that it only reads");
    assert!(safe.iter().all(|tool| tool["security"]["effective_risk_level"] == "safe"), "{safe:?}");
    let table = user.run(&["tools", "search", "shell command", "--limit", "1"]).succeeds().stdout;
    let mut lines = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    assert_eq!(lines.next().unwrap(), ["NAME", "SERVER", "RISK", "SCORE", "WHY", "DESCRIPTION"]);
    assert_eq!(lines.next().unwrap()[..3], ["run_command", "jobs", "dangerous"]);
}

#[test]
fn a_search_of_one_server_ranks_only_its_tools() {
    let user = User::of_demo();
    let found = |args: &[&str]| -> Vec<(String, String)> {
        let (_, found) =
            user.json(&[&["tools", "search", "read a text from a file or a list"], args].concat());
        let tools = found["tools"].as_array().unwrap().iter();
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        tools.map(|tool| (text(&tool["server_id"]), text(&tool["name"]))).collect()
    };
    let all = found(&["--limit", "20"]);
    let other = all.iter().find(|(server, _)| *server != all[0].0).expect("tools of two servers");
    let best = found(&["--limit", "1", "--server", &other.0]);
    assert_eq!(best.first(), Some(other), "the limit is of its tools");
    assert_eq!(best.len(), 1);
    let (code, error) = user.json(&["tools", "search", "x", "--server", "filez"]);
    assert_eq!((code, &error["error"]["message"]), (5, &"there is no server \"filez\"".into()), "{error}");
}

#[test]
fn a_confirmed_call_can_still_be_refused_by_a_validator() {
    let user = User::of_demo();
    let harmless = r#"{"command": "ls"}"#;
    let refused = user.run(&["call", "run_command", harmless]).fails_with(4);
    assert!(
        refused.stderr.contains("waits for an approval") && refused.stderr.contains("--yes"),
        "{refused:?}"
    );
    user.run(&["call", "run_command", harmless, "--yes"]).succeeds();
    let refused = user.run(&["call", "run_command", r#"{"command": "rm -rf /"}"#, "--yes"]).fails_with(4);
    assert!(refused.stderr.contains("the sandbox refuses the command"), "{refused:?}");
    let (code, result) = user.json(&["call", "run_command", r#"{"command": "rm -rf /"}"#, "--yes"]);
    assert_eq!((code, &result["isError"]), (4, &true.into()));
}

#[test]
fn a_tool_that_asks_fails_with_advice_where_nobody_answers() {
    let failed = User::of_demo().run(&["call", "send_report", r#"{"topic": "tides"}"#]).fails_with(1);
    assert!(failed.stderr.contains("cannot answer the server's question"), "{failed:?}");
    assert!(failed.stderr.contains("call it from a host that shows forms"), "{failed:?}");
}

#[test]
fn a_dry_run_reports_the_fate_of_the_call_and_makes_none() {
    let user = User::of_demo();
    let note = r#"{"title": "Tides", "text": "at six"}"#;
    let allowed = user.run(&["call", "list_files", "--dry-run"]).succeeds();
    assert_eq!(allowed.stdout, "allowed\n");
    let wrong = user.run(&["call", "add_note", r#"{"title": "Tides"}"#, "--dry-run"]).fails_with(2);
    assert!(
        wrong.stdout.contains("refused (4000): invalid arguments") && wrong.stdout.contains("text"),
        "{wrong:?}"
    );
    assert!(wrong.stdout.contains("see also `mgp access explain "), "{wrong:?}");
    let blocked = user.run(&["call", "run_command", r#"{"command": "rm -rf /"}"#, "--dry-run"]).fails_with(4);
    assert!(blocked.stdout.contains("refused (1010): "), "{blocked:?}");
    let asked = user.run(&["call", "run_command", r#"{"command": "ls"}"#, "--dry-run"]).succeeds();
    assert!(
        asked.stdout.starts_with("allowed once these are answered with yes:\n  confirmation: "),
        "{asked:?}"
    );
    user.run(&["call", "does_not_exist", "--dry-run"]).fails_with(5);
    let (code, judgement) = user.json(&["call", "add_note", note, "--dry-run"]);
    assert_eq!((code, &judgement["allowed"]), (0, &true.into()), "{judgement}");
    // Nothing ran.
    let notes = user.run(&["call", "list_notes"]).succeeds();
    assert!(!notes.stdout.contains("Tides"), "{notes:?}");
    for excluded in ["--stream", "--yes", "--outcome", "--provenance"] {
        user.run(&["call", "list_files", "--dry-run", excluded]).fails_with(2);
    }
}

#[test]
fn an_answer_in_parts_is_printed_once_with_progress_on_stderr() {
    let user = User::of_demo();
    let report = r#"{"topic": "tides", "paragraphs": 2}"#;
    let whole = "Paragraph 1 on tides.\nParagraph 2 on tides.\n";
    let parts = user.run(&["call", "write_report", report, "--stream"]).succeeds();
    assert_eq!(parts.stdout, whole);
    assert!(
        parts.stderr.contains("progress: 1/2 writing") || parts.stderr.contains("progress: 0.5 writing"),
        "{parts:?}"
    );
    assert_eq!(user.run(&["call", "write_report", report]).succeeds().stdout, whole);
}

#[test]
fn arguments_are_read_from_stdin_and_slow_answers_time_out() {
    let user = User::of_demo();
    let read = user.run_with(&["call", "write_report", "-"], r#"{"topic": "x", "paragraphs": 1}"#).succeeds();
    assert_eq!(read.stdout, "Paragraph 1 on x.\n");
    let slow = r#"{"topic": "x", "paragraphs": 200, "pause_ms": 1000}"#;
    let late = user.run(&["call", "write_report", slow, "--timeout", "1"]).fails_with(6);
    assert!(late.stderr.contains("no answer within 1 s"), "{late:?}");
}

#[test]
fn one_tool_shows_its_gates_its_users_and_the_commands_for_them() {
    let user = User::with_notes();
    let shown = user.run(&["tools", "show", "add_note"]).succeeds().stdout;
    for line in [
        "server          notes (connected)",
        "risk            moderate",
        "validators      none",
        "confirmation    nobody is asked: the tool is moderate (",
        "  memory.write is deferred: `mgp approve notes memory.write`",
        "\"inputSchema\"",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    user.run(&["approve", "notes", "memory.write"]).succeeds();
    user.run(&["access", "grant", "ben", "notes", "add_note", "--deny"]).succeeds();
    let (_, shown) = user.json(&["tools", "show", "notes__add_note"]);
    assert_eq!(
        shown["permissions"],
        serde_json::json!([{"permission": "memory.write", "state": "approved"}])
    );
    let access = serde_json::json!([
        {"agent": "ben", "permission": "deny", "source": "tool_grant"},
        {"agent": "local", "permission": "allow", "source": "server_grant"},
    ]);
    assert_eq!((&shown["access"], &shown["definition"]["name"]), (&access, &"add_note".into()));
    let missing = user.run(&["tools", "show", "nope"]).fails_with(5);
    assert!(missing.stderr.contains("\"nope\"") && missing.stderr.contains("mgp tools"), "{missing:?}");
}

#[test]
fn one_tool_shows_the_policy_on_its_undecided_permissions() {
    let user = User::with_notes();
    let own = user.own_configuration();
    let file = crate::support::text(&own).replace(r#"policy = "interactive""#, r#"policy = "auto_approve""#);
    std::fs::write(&own, &file).unwrap();
    let shown = user.run(&["tools", "show", "add_note"]).succeeds().stdout;
    let line = "  memory.write is approved by the policy auto_approve\n";
    assert!(shown.contains(line), "{shown}");
    let excepted = file
        .replace("policy = \"auto_approve\"", "policy = \"auto_approve\"\nexceptions = [\"memory.write\"]");
    std::fs::write(&own, excepted).unwrap();
    let shown = user.run(&["tools", "show", "add_note"]).succeeds().stdout;
    assert!(shown.contains("  memory.write is deferred: `mgp approve notes memory.write`\n"), "{shown}");
}

#[test]
fn one_tool_shows_its_confirmations() {
    let shown = User::of_demo().run(&["tools", "show", "run_command"]).succeeds().stdout;
    let line = "confirmation    somebody is asked: the tool is dangerous (its server says so), and no dangerous permission that it needs was \
                approved (servers[].mgp.confirmation)\n";
    assert!(shown.contains(line), "{shown}");
}

#[test]
fn the_setting_for_secrets_in_results_is_shown_if_it_is_on() {
    let user = User::with_notes();
    assert!(!user.run(&["tools", "show", "add_note"]).succeeds().stdout.contains("secrets"));
    let own = user.own_configuration();
    let file = crate::support::text(&own);
    std::fs::write(&own, format!("{file}\n[servers.mgp.results]\nsecrets = \"mask\"\n")).unwrap();
    let words = "masked and recorded (servers[].mgp.results.secrets)";
    let shown = user.run(&["tools", "show", "add_note"]).succeeds().stdout;
    assert!(shown.contains(&format!("secrets         in results: {words}\n")), "{shown}");
    let explained = user.run(&["servers", "explain", "notes"]).succeeds().stdout;
    assert!(explained.contains(&format!("\nsecrets in results: {words}")), "{explained}");
    assert_eq!(user.json(&["servers", "explain", "notes"]).1["secrets"], "mask");
}

#[test]
fn an_impossible_limit_is_named_as_it_was_given() {
    let refused = User::of_demo().run(&["tools", "search", "x", "--limit", "0"]).fails_with(2);
    assert!(refused.stderr.contains("--limit <N>") && refused.stderr.contains("1..=50"), "{refused:?}");
}

/// A server with a tool whose name hosts are not shown as it is.
const ODD: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}\n' "$id" ;;
    *'"tools/list"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"tool with space","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
    *'"id":'*)
      printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
  esac
done
"#;

#[test]
fn a_renamed_tool_is_granted_by_its_server_s_name_for_it() {
    let user = User::new();
    let list = serde_json::json!({ "mcpServers": { "odd": { "command": "sh", "args": ["-c", ODD] } } });
    user.write("list.json", &list.to_string());
    user.run(&["init", "--from", "list.json"]).succeeds();
    let name = user.json(&["tools"]).1["tools"][0]["name"].as_str().unwrap().to_owned();
    assert_eq!(name, "tool_with_space");
    for name in [&*name, "odd__tool with space"] {
        let refused = user.run(&["--agent", "my agent", "call", name]).fails_with(4);
        let grant = "`mgp access grant 'my agent' odd 'tool with space'`";
        assert!(refused.stderr.contains(grant), "{name}: {refused:?}");
    }
    user.run(&["access", "grant", "ben", "odd", "tool with space", "--deny"]).succeeds();
    let shown = user.run(&["tools", "show", &name]).succeeds().stdout;
    assert!(shown.contains("`mgp access grant AGENT odd 'tool with space'`"), "{shown}");
}

#[test]
fn an_outcome_explains_a_failed_call() {
    let user = User::of_demo();
    let file = r#"{"path": "a.txt", "text": "x"}"#;
    user.run(&["call", "write_file", file]).succeeds();
    let again = user.run(&["call", "write_file", file]).succeeds();
    assert_eq!(again.stdout, "\"a.txt\" has that text already\n");
    assert_eq!(again.stderr, "note: no change was needed\n");
    let missing = user.run(&["call", "read_file", r#"{"path": "b.txt"}"#]).fails_with(1);
    assert!(missing.stderr.contains("\"read_file\" failed: FileNotFoundError: \"b.txt\": "), "{missing:?}");
    assert!(missing.stderr.contains(r#"{"path":"b.txt"}"#), "{missing:?}");
}

#[test]
fn an_envelope_is_printed_for_every_answer_with_its_exit_code() {
    let user = User::of_demo();
    for (tool, arguments, code, status, error_type) in [
        ("list_files", "{}", 0, "success", None),
        ("read_file", r#"{"path": "b.txt"}"#, 1, "failure", Some("FileNotFoundError")),
        ("read_file", r#"{"path": 1}"#, 1, "failure", Some("ValidationError")),
        ("run_command", r#"{"command": "ls"}"#, 4, "failure", Some("PermissionError")),
        ("read_fiel", "{}", 5, "failure", Some("ResourceNotFound")),
    ] {
        for json in [&["--json"][..], &[]] {
            let arguments = [json, &["call", tool, arguments, "--outcome"]].concat();
            let ended = user.run(&arguments);
            let outcome: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
            assert_eq!((ended.code, &outcome["status"]), (code, &status.into()), "{ended:?}");
            assert_eq!(outcome["error"]["error_type"].as_str(), error_type, "{ended:?}");
            assert_eq!(outcome["data"].is_object(), code == 0, "{ended:?}");
        }
    }
}
