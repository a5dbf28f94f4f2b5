//! The messages for people when something is wrong: one sentence, and advice on what to do next.

use crate::support::User;
use expect_test::{Expect, expect};

#[expect(clippy::needless_pass_by_value, reason = "expect! makes a value")]
fn check(user: &User, args: &[&str], code: i32, expected: Expect) {
    let ended = user.run(args).fails_with(code);
    assert_eq!(ended.stdout, "");
    expected.assert_eq(&without_trace(&user.without_folder(&ended.stderr)));
}

/// Returns a text with `...` in place of a trace's id, which is new each time.
fn without_trace(text: &str) -> String {
    let Some((before, rest)) = text.split_once("mgp audit --trace ") else { return text.to_owned() };
    let id = rest.split_whitespace().next().unwrap();
    format!("{before}mgp audit --trace ...{}", &rest[id.len()..])
}

#[test]
fn unknown_names_are_named() {
    let user = User::with_notes();
    check(
        &user,
        &["call", "nope"],
        5,
        expect![[r#"
            error: unknown tool: "nope"
              help: look for it with `mgp tools list` or `mgp tools search WORDS`
              trace: mgp audit --trace ...
        "#]],
    );
    check(
        &user,
        &["call", "list_notes", "[1]"],
        2,
        expect![[r#"
        error: the arguments are not a JSON object: expected a JSON object, found an array
          help: pass one JSON object, such as '{"path": "a.txt"}', or - to read it from stdin
    "#]],
    );
    check(
        &user,
        &["--config", "nothing.toml", "servers"],
        3,
        expect![[r#"
        error: failed to read ~/project/nothing.toml: No such file or directory (os error 2)
          help: check the path in --config or MGP_CONFIG_PATH, or make a file with `mgp init`
    "#]],
    );
    check(
        &user,
        &["access", "revoke", "local", "notes", "x"],
        5,
        expect![[r#"
        error: there is no rule for local and x of notes
          help: see `mgp access list`
    "#]],
    );
    check(
        &user,
        &["approve", "nobody"],
        5,
        expect![[r#"
        error: "nobody" is neither an open question nor a server with one
          help: see `mgp approve`; name a permission to decide before it is asked for, or to change its decision
    "#]],
    );
    check(
        &user,
        &["audit", "--type", "TOOL_CALLED"],
        2,
        expect![[r#"
            error: "TOOL_CALLED" is not a type of event
              help: use one of TOOL_EXECUTED, TOOL_BLOCKED, PERMISSION_GRANTED, PERMISSION_DENIED, PERMISSION_REVOKED, ACCESS_GRANTED, ACCESS_REVOKED, SERVER_CONNECTED, SERVER_DISCONNECTED, VALIDATION_FAILED, CODE_REJECTED, APPROVAL_NEEDED, AUDIT_FILE_REPLACED, AUDIT_INTERRUPTED, AUDIT_JOURNAL_DAMAGED, AUDIT_SHORTENED, AUTHENTICATION_FAILED, CALL_APPROVAL_REVOKED, CALL_APPROVED, CALL_DENIAL_REVOKED, CALL_DENIED, CHANGE_INTENDED, CONFIGURATION_RELOADED, DEFINITION_ACCEPTED, DEFINITION_FORGOTTEN, EGRESS_REFUSED, EVENT_UNREADABLE, HOST_ASKED, KERNEL_STOPPED, KEY_ADDED, KEY_REVOKED, KEY_ROTATED, PERMISSION_DENIAL_REVOKED, REQUEST_BLOCKED, REQUEST_FORWARDED, SECRET_FOUND, SECRET_REMOVED, SECRET_STORED, SERVER_CONTROLLED, SERVER_DENIAL_REVOKED, SERVER_DEREGISTERED, SERVER_REGISTERED, TOOLS_REQUESTED, TOOL_CHECKED, TOOL_CREATED, TOOL_REMOVED, TOOL_CHANGED, TOOL_DISPATCHED, TOOL_RETRIED, TOOL_SUSPECT, TRANSACTION_BEGUN, TRANSACTION_COMMITTED, TRANSACTION_ROLLBACK_BEGUN, TRANSACTION_ROLLED_BACK
        "#]],
    );
}

#[test]
fn a_reason_is_shown_to_its_end() {
    let user = User::new();
    let script = "printf '%0400d\n' 0 >&2; echo 'FILES_TOKEN is not set' >&2; exit 7";
    let servers =
        serde_json::json!({ "mcpServers": { "files": { "command": "sh", "args": ["-c", script] } } });
    user.write("list.json", &servers.to_string());
    user.run(&["init", "--from", "list.json"]).succeeds();
    let ended = user.run(&["servers"]).fails_with(1);
    let row = ended.stdout.lines().find(|line| line.starts_with("files")).unwrap();
    assert!(row.contains("exit status: 7") && row.ends_with("FILES_TOKEN is not set"), "{row}");
}

#[test]
fn an_address_that_is_in_use_is_named() {
    let user = User::with_notes();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ended = user.run(&["serve", "--http", &address]).fails_with(1);
    let expected = format!("error: failed to bind {address}: Address already in use");
    assert!(ended.stderr.contains(&expected), "{}", ended.stderr);
}

#[test]
fn an_absent_server_is_named_by_its_address_or_program() {
    let user = User::new();
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let file = format!(
        "[[servers]]\nid = \"far\"\nurl = \"http://{gone}/mcp?key=s3cret\"\n[[servers]]\nid = \"near\"\ncommand = \"no-such-program\"\n"
    );
    user.write("mgp.toml", &file);
    let (code, servers) = user.json(&["--trust", "servers"]);
    let reason = |at: usize| servers["servers"][at]["reason"].as_str().unwrap().to_owned();
    let expected =
        format!("could not connect to http://{gone}: failed to reach the server: Connection refused");
    assert!(code == 1 && reason(0).starts_with(&expected), "{servers}");
    let expected = "failed to start \"no-such-program\": it is not in PATH (";
    assert!(reason(1).starts_with(expected), "{servers}");
    assert!(!servers.to_string().contains("s3cret"), "{servers}");
}

#[test]
fn a_refusal_names_the_remedy() {
    let user = User::with_notes();
    check(
        &user,
        &["--agent", "stranger", "call", "list_notes"],
        4,
        expect![[r#"
        error: agent "stranger" may not call tool "list_notes" (decided by default_policy)
          help: allow it with `mgp access grant stranger notes list_notes`; see `mgp access list`
          trace: mgp audit --trace ...
    "#]],
    );
    user.run(&["access", "grant", "local", "notes", "list_notes", "--deny"]).succeeds();
    check(
        &user,
        &["call", "list_notes"],
        4,
        expect![[r#"
        error: agent "local" may not call tool "list_notes" (decided by tool_grant)
          help: allow it with `mgp access grant local notes list_notes`; see `mgp access list`
          trace: mgp audit --trace ...
    "#]],
    );
    check(
        &user,
        &["init", "--from", "list.json"],
        3,
        expect![[r#"
        error: ~/home/.config/mgp/servers.toml is there already
          help: look at the new one with --dry-run, and replace the old one with --force
    "#]],
    );
}

#[test]
fn a_mistake_in_the_configuration_is_shown_at_its_position() {
    let user = User::new();
    user.write("mgp.toml", "[kernel]\nagnt = \"x\"\n");
    check(
        &user,
        &["--trust", "servers"],
        3,
        expect![[r#"
            error: ~/project/mgp.toml has one problem, and the rest is checked after that
              × kernel.agnt: unknown key "agnt"
               ╭─[~/project/mgp.toml:2:1]
             1 │ [kernel]
             2 │ agnt = "x"
               · ──┬─
               ·   ╰── here
               ╰────
              help: did you mean "agent"? known keys here: agent, exposure, pinned, state_dir, default_policy,
                    call_timeout_ms, tool_timeout_ms, call_max_ms, queue_timeout_ms, validation_timeout_ms,
                    discovery_timeout_ms, initialize_timeout_ms, startup_timeout_ms, shutdown_timeout_ms,
                    lock_timeout_ms, max_retries, question_timeout_ms, start_wait_ms, lazy, idle_timeout_secs,
                    idle_exit_secs, environment, search_results, instructions, instructions_tokens,
                    extensions, refusals, transactions, check_arguments, tool_context_budget, tool_index,
                    limits
        "#]],
    );
    user.write("mgp.toml", "[[servers]]\nid = \"gone\"\ncommand = \"/nothing/here\"\n");
    check(
        &user,
        &["--trust", "call", "gone__x"],
        6,
        expect![[r#"
            error: the server of "gone__x" is not connected: gone (failed to start "/nothing/here": No such file or directory (os error 2))
              help: see `mgp servers`
              trace: mgp audit --trace ...
        "#]],
    );
}
