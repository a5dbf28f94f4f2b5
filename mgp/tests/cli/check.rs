//! `mgp check`.

use crate::support::User;
use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

/// The longest wait for one answer, in seconds: far longer than any answer takes on a busy machine.
const TIMEOUT: &str = "60";

/// The gateway itself, with the demo's servers behind it, as the command to check.
fn own(user: &User) -> Vec<String> {
    let program = env!("CARGO_BIN_EXE_mgp").to_owned();
    let state = user.path("checked-state").display().to_string();
    [&program, "serve", "--demo", "--state-dir", &state].map(str::to_owned).into()
}

fn checked(user: &User, options: &[&str]) -> crate::support::CommandOutput {
    let own = own(user);
    let mut args = vec!["check", "--timeout", TIMEOUT];
    args.extend(options);
    args.push("--");
    args.extend(own.iter().map(String::as_str));
    user.run(&args)
}

/// The checks that are skipped on the gateway, each with its reason. docs/check.md says why nothing can be done about them.
const SKIPPED: [(&str, &str); 2] =
    [("lists.cursor", "the list of tools is one page"), ("scopes.declared", "no tool declares scopes")];

/// The checks that are skipped where the stateless revision is spoken, besides.
const OF_INITIALIZE: [&str; 5] =
    ["basics.ping", "mgp.cancel", "mgp.subscribe", "mgp.unsubscribe", "degradation.old-version"];

/// Asserts that a run in the stateless revision passes every check that the revision has.
#[track_caller]
fn passes_stateless(output: &crate::support::CommandOutput) {
    assert_eq!(output.code, 0, "{}", output.stdout);
    assert!(output.stdout.contains("without a handshake, 2026-07-28"), "{}", output.stdout);
    let mut skipped: Vec<_> = skipped(&output.stdout).into_iter().map(|(id, _)| id).collect();
    skipped.retain(|id| !OF_INITIALIZE.contains(id));
    assert_eq!(skipped, SKIPPED.map(|(id, _)| id), "{}", output.stdout);
}

/// The checks that are skipped on a server of the server SDK whose tools do not stream: those of sections that belong to a gateway, of
/// lists that it does not declare, and of a second page.
const SKIPPED_ON_THE_NOTES: [&str; 21] = [
    "lists.cursor",
    "lists.resources",
    "lists.templates",
    "lists.prompts",
    "mgp.subscribe",
    "mgp.unsubscribe",
    "mgp.servers",
    "mgp.manifest",
    "mgp.search",
    "mgp.session",
    "mgp.access",
    "mgp.replay",
    "idempotency.repeated",
    "idempotency.conflict",
    "scopes.declared",
    "scopes.question",
    "streaming.token",
    "streaming.growth",
    "streaming.chunks",
    "errors.unknown-resource",
    "errors.unknown-prompt",
];

/// Returns the checks that a report calls skipped, with their reasons.
fn skipped(report: &str) -> Vec<(&str, &str)> {
    let skipped = report.lines().filter_map(|line| line.strip_prefix("skipped"));
    let parts = skipped.filter_map(|line| line.trim_start().split_once(' '));
    parts.map(|(id, reason)| (id, reason.trim_start())).collect()
}

#[test]
fn a_server_of_the_sdk_passes_every_check() {
    let user = User::new();
    let (program, db) = (env!("CARGO_BIN_EXE_mgp"), user.path("checked.sqlite3").display().to_string());
    let output =
        user.run(&["check", "--timeout", TIMEOUT, "--", program, "embedded-server", "notes", "--db", &db]);
    assert_eq!(output.code, 0, "{}", output.stdout);
    let skipped: Vec<_> = skipped(&output.stdout).into_iter().map(|(id, _)| id).collect();
    assert_eq!(skipped, SKIPPED_ON_THE_NOTES, "{}", output.stdout);
}

#[test]
fn our_own_gateway_passes_every_check() {
    let output = checked(&User::new(), &[]);
    assert_eq!(output.code, 0, "{}", output.stdout);
    let last = output.stdout.lines().last().unwrap();
    assert!(last.contains(" passed, 0 failed, "), "{}", output.stdout);
    assert_eq!(skipped(&output.stdout), SKIPPED, "{}", output.stdout);
}

#[test]
fn our_own_gateway_passes_every_check_of_the_stateless_revision() {
    passes_stateless(&checked(&User::new(), &["--without-initialize"]));
}

#[test]
fn the_report_has_the_form_of_the_proposals_and_of_test_runners() {
    let user = User::new();
    let report: serde_json::Value =
        serde_json::from_str(&checked(&user, &["--format", "json"]).stdout).unwrap();
    for key in ["server_name", "server_version", "suite_version", "tested_at"] {
        assert!(report[key].is_string(), "{key}: {report}");
    }
    let results = report["results"].as_array().unwrap();
    let count = |status: &str| results.iter().filter(|result| result["status"] == status).count();
    assert_eq!(report["summary"]["passed"], count("passed"));
    assert!(count("passed") > 40 && results.iter().all(|result| result["test_id"].is_string()), "{report}");
    let xml = checked(&user, &["--format", "junit"]).stdout;
    assert!(xml.starts_with("<?xml") && xml.contains("<testcase classname=\"basics\""), "{xml}");
}

#[test]
fn our_own_gateway_gives_the_answers_that_the_vectors_allow() {
    for file in ["mcp.jsonl", "mgp.jsonl"] {
        let path = format!("{}/../docs/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
        let output = checked(&User::new(), &["--vectors", &path, "--call-all"]);
        assert_eq!(output.code, 0, "{}", output.stdout);
        // Notifications that nothing leads to, and no request.
        let skipped = skipped(&output.stdout);
        assert!(skipped.iter().all(|(id, _)| id.starts_with("mgp.heard-")), "{}", output.stdout);
    }
}

#[test]
fn a_program_that_is_not_a_server_has_its_own_exit_code() {
    let user = User::new();
    let output = user.run(&["check", "--timeout", "1", "--", "does-not-exist-anywhere"]);
    assert_eq!(output.code, 6, "{}", output.stdout);
    assert!(output.stdout.contains("FAILED   basics.handshake"), "{}", output.stdout);
    let output = user.run(&["check", "http://example.com/mcp"]);
    assert!(output.code == 2 && output.stderr.contains("not safe"), "{}", output.stderr);
    let output = user.run(&["check", "http://127.0.0.1:1/mcp", "--timeout", "1"]);
    assert_eq!(output.code, 6, "options may follow the URL: {output:?}");
    let output = user.run(&["check", "npx", "some-server"]);
    assert!(output.code == 2 && output.stderr.contains("check [OPTIONS] -- COMMAND"), "{output:?}");
    let output = user.run(&["check", "npx"]);
    assert!(output.code == 2 && output.stderr.contains("or a command after --"), "{}", output.stderr);
    let output = user.run(&["check", "--env", "=x", "--", "true"]);
    assert!(output.code == 2 && output.stderr.contains("expected NAME=VALUE"), "{}", output.stderr);
}

#[cfg(unix)]
#[test]
fn a_program_that_writes_garbage_or_hangs_is_reported_and_ended() {
    let user = User::new();
    for program in ["yes garbage", "sleep 600", "cat >/dev/null", "cat /dev/zero"] {
        let output = user.run(&["check", "--timeout", "1", "--", "sh", "-c", program]);
        assert_eq!(output.code, 6, "{program}: {}", output.stdout);
        assert!(output.stdout.contains("FAILED   basics.handshake"), "{program}: {}", output.stdout);
    }
}

#[test]
fn our_own_gateway_passes_every_check_over_http() {
    let user = User::of_demo();
    let mut command = user.command(&["serve", "--http", "127.0.0.1:0"]);
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("serving MCP at ").unwrap().to_owned();
    let output = User::new().run(&["check", "--timeout", TIMEOUT, &url]);
    let stateless = User::new().run(&["check", "--timeout", TIMEOUT, "--without-initialize", &url]);
    let _ = child.kill();
    let _ = child.wait();
    assert_eq!(output.code, 0, "{}", output.stdout);
    assert_eq!(skipped(&output.stdout), SKIPPED, "{}", output.stdout);
    passes_stateless(&stateless);
}
