//! `mgp check`.

use crate::support::User;
use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

/// The gateway itself, with the demo's servers behind it, as the command to check.
fn own(user: &User) -> Vec<String> {
    let program = env!("CARGO_BIN_EXE_mgp").to_owned();
    let state = user.path("checked-state").display().to_string();
    [&program, "serve", "--demo", "--state-dir", &state].map(str::to_owned).into()
}

fn checked(user: &User, options: &[&str]) -> crate::support::CommandOutput {
    let own = own(user);
    let mut args = vec!["check"];
    args.extend(options);
    args.push("--");
    args.extend(own.iter().map(String::as_str));
    user.run(&args)
}

#[test]
fn our_own_gateway_passes_every_check() {
    let output = checked(&User::new(), &[]);
    assert_eq!(output.code, 0, "{}", output.stdout);
    let last = output.stdout.lines().last().unwrap();
    assert!(last.contains(" passed, 0 failed, "), "{}", output.stdout);
    for id in ["basics.ping", "mgp.health-ping", "mgp.search", "degradation.tools"] {
        assert!(output.stdout.contains(&format!("passed   {id}")), "{id}: {}", output.stdout);
    }
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
        let output = checked(&User::new(), &["--vectors", &path]);
        assert_eq!(output.code, 0, "{}", output.stdout);
        assert!(output.stdout.matches("passed").count() > 5, "{}", output.stdout);
    }
}

#[test]
fn what_is_no_server_is_a_report_with_an_exit_code_of_its_own() {
    let user = User::new();
    let output = user.run(&["check", "--timeout", "1", "--", "does-not-exist-anywhere"]);
    assert_eq!(output.code, 6, "{}", output.stdout);
    assert!(output.stdout.contains("FAILED   basics.handshake"), "{}", output.stdout);
    let output = user.run(&["check", "http://example.com/mcp"]);
    assert!(output.code == 2 && output.stderr.contains("not safe"), "{}", output.stderr);
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
    let output = User::new().run(&["check", &url]);
    let _ = child.kill();
    let _ = child.wait();
    assert_eq!(output.code, 0, "{}", output.stdout);
    assert!(output.stdout.contains("passed   degradation.tools"), "{}", output.stdout);
}
