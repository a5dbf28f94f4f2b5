//! `mgp serve`.

use crate::support::User;
use serde_json::json;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Stdio},
};

#[test]
fn a_host_gets_its_tools_and_answers_until_its_input_ends() {
    let user = User::of_demo();
    let mut host = user.serve(&["--exposure", "full"]);
    let mut id = 100;
    // The list waits for a server only so long.
    xtask_testing::block_until_some(|| {
        id += 1;
        host.send(id, "tools/list", &json!({}));
        let tools = host.reply(id)["result"]["tools"].take();
        let has = |name: &str| tools.as_array().unwrap().iter().any(|tool| tool["name"] == name);
        (has("read_file") && has("list_notes")).then_some(())
    });
    host.call(3, "write_file", &json!({ "path": "a", "text": "b" }));
    assert!(host.reply(3)["result"]["isError"].is_null());
    host.close();
    assert_eq!(host.end(), 0);
}

#[test]
fn a_call_that_runs_at_the_end_of_the_input_is_answered() {
    let user = User::of_demo();
    let mut host = user.serve(&[]);
    host.call(2, "write_report", &json!({ "topic": "x", "paragraphs": 3, "pause_ms": 100 }));
    host.close();
    assert!(host.reply(2).to_string().contains("Paragraph 3 on x."));
    assert_eq!(host.end(), 0);
}

#[cfg(unix)]
#[test]
fn a_call_that_runs_at_a_signal_is_answered() {
    for signal in ["-TERM", "-INT"] {
        let user = User::of_demo();
        let mut host = user.serve(&[]);
        host.call(2, "write_report", &json!({ "topic": "x", "paragraphs": 4, "pause_ms": 100 }));
        while host.message()["method"] != "notifications/progress" {}
        // The input stays open: only the signal can end the program.
        host.signal(signal);
        assert!(host.reply(2).to_string().contains("Paragraph 4 on x."));
        assert_eq!(host.end(), 0, "{signal}");
    }
}

/// Checks that a call that waits for an approval is answered, and the program ends, once the host is done.
#[track_caller]
fn waiting_call_is_answered(done: impl FnOnce(&mut crate::support::Host)) {
    let user = User::of_demo();
    let mut host = user.serve(&[]);
    host.call(2, "run_command", &json!({ "command": "ls" }));
    let id = xtask_testing::block_until_some(|| {
        let open = user.json(&["approve"]).1;
        open["confirmations"][0]["request_id"].as_str().map(str::to_owned)
    });
    done(&mut host);
    let refused = host.reply(2);
    assert!(refused["error"]["message"].as_str().is_some_and(|text| text.contains(&id)), "{refused}");
    assert_eq!(host.end(), 0);
}

#[test]
fn a_pending_approval_is_answered_at_the_end_of_the_input() {
    waiting_call_is_answered(crate::support::Host::close);
}

#[cfg(unix)]
#[test]
fn a_pending_approval_is_answered_at_a_signal() {
    waiting_call_is_answered(|host| host.signal("-TERM"));
}

#[cfg(unix)]
#[test]
fn an_endless_call_is_answered_at_its_server_s_time_limit() {
    use crate::shell_server::table;
    let user = User::new();
    let head = "[kernel]\ndefault_policy = \"opt-out\"\nexposure = \"full\"\nstart_wait_ms = 60000\n";
    let server = table(&user, "a", "one", "shutdown_timeout_ms = 200");
    user.write("mgp.toml", &format!("{head}{server}"));
    let mut host = user.serve(&["--trust"]);
    assert!(crate::shell_server::call(&mut host, 2, "look_one").starts_with("process "));
    host.call(3, "look_one", &json!({ "slow": true }));
    host.close();
    assert!(host.reply(3)["error"]["code"].is_number());
    assert_eq!(host.end(), 0);
}

#[cfg(unix)]
#[test]
fn an_idle_kernel_ends_at_a_signal_while_its_input_is_open() {
    let user = User::of_demo();
    let host = user.serve(&[]);
    host.signal("-TERM");
    assert_eq!(host.end(), 0);
}

#[test]
fn stdout_carries_nothing_but_messages() {
    let user = User::of_demo();
    let ended = user.run_with(&["-vv", "serve"], "no json\n").succeeds();
    assert!(!ended.stderr.is_empty());
    for line in ended.stdout.lines() {
        let message: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
    }
}

#[cfg(unix)]
#[test]
fn over_http_the_key_identifies_the_caller() {
    let user = User::with_notes();
    let own = user.own_configuration();
    // The hash of "test".
    let key = "[[http.api_keys]]\nid = \"k\"\nagent = \"local\"\nhash = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"\n";
    std::fs::write(&own, format!("{}\n{key}", crate::support::text(&own))).unwrap();
    let (mut child, address) = serving(&user);

    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    assert!(post(&address, initialize, "").starts_with("HTTP/1.1 401"));
    let greeting = post(&address, initialize, "Authorization: Bearer test\r\n");
    assert!(greeting.starts_with("HTTP/1.1 200") && greeting.contains(r#""name":"mgp""#), "{greeting}");

    end(&mut child);
}

#[cfg(unix)]
#[test]
fn a_gateway_outlives_its_observers_until_an_admin_stops_it() {
    let (user, other) = (User::with_notes(), User::with_notes());
    let own = user.own_configuration();
    // The hash of "test".
    let key = "[[http.api_keys]]\nid = \"k\"\nagent = \"local\"\nadmin = true\nhash = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"\n";
    std::fs::write(&own, format!("{}\n{key}", crate::support::text(&own))).unwrap();
    let (mut child, address) = serving(&user);
    let server = format!(
        "[[servers]]\nid = \"far\"\nurl = \"http://{address}/mcp\"\nauth = {{ bearer = \"test\" }}\n"
    );
    std::fs::write(other.own_configuration(), server).unwrap();
    // Each has the admin role there, and leaves.
    for _ in 0..2 {
        let (_, seen) = other.json(&["servers"]);
        assert!(seen.to_string().contains("far") && seen.to_string().contains("connected"), "{seen}");
    }
    assert!(child.try_wait().unwrap().is_none(), "it goes on");

    let bearer = "Authorization: Bearer test\r\n";
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let greeting = post(&address, initialize, bearer);
    let session = greeting.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
    let headers = format!("{bearer}Mcp-Session-Id: {session}\r\n");
    post(&address, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, &headers);
    let stop = r#"{"jsonrpc":"2.0","id":2,"method":"mgp/lifecycle/shutdown","params":{"reason":"operator_request"}}"#;
    let answer = post(&address, stop, &headers);
    assert!(answer.contains(r#""accepted":true"#), "{answer}");
    assert!(xtask_testing::block_until_some(|| child.try_wait().unwrap()).success());
}

#[cfg(unix)]
#[test]
fn hosts_of_2024_find_their_stream_if_configured() {
    let user = User::with_notes();
    let own = user.own_configuration();
    let before = crate::support::text(&own);
    for (sse, status) in [(false, "404"), (true, "200")] {
        std::fs::write(&own, format!("{before}\n[http]\nsse = {sse}\n")).unwrap();
        let (mut child, address) = serving(&user);
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(stream, "GET /sse HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n\r\n").unwrap();
        let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
        let first = lines.next().unwrap();
        assert!(first.starts_with(&format!("HTTP/1.1 {status}")), "{sse}: {first}");
        if sse {
            assert!(lines.any(|line| line == "event: endpoint"));
        }
        end(&mut child);
    }
}

#[cfg(unix)]
#[test]
fn a_gateway_over_http_without_keys_reports_it() {
    for has_key in [false, true] {
        let user = User::with_notes();
        if has_key {
            user.run(&["keys", "add", "k", "--agent", "local"]).succeeds();
        }
        let mut command = user.command(&["serve", "--http", "127.0.0.1:0"]);
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        stderr.read_line(&mut String::new()).unwrap();
        end(&mut child);
        let mut more = String::new();
        stderr.read_to_string(&mut more).unwrap();
        assert_eq!(more.contains("mgp keys add NAME --agent local"), !has_key, "{more}");
    }
}

/// The program behind HTTP, and its address.
#[cfg(unix)]
pub(crate) fn serving(user: &User) -> (Child, String) {
    let mut command = user.command(&["serve", "--http", "127.0.0.1:0"]);
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("serving MCP at http://").unwrap().strip_suffix("/mcp").unwrap();
    (child, address.to_owned())
}

#[cfg(unix)]
pub(crate) fn end(child: &mut Child) {
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert!(xtask_testing::block_until_some(|| child.try_wait().unwrap()).success());
}

pub(crate) fn post(address: &str, body: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_public_address_needs_a_key() {
    let user = User::new();
    let refused = user.run(&["serve", "--http", "0.0.0.0:0"]).fails_with(3);
    assert!(refused.stderr.contains("there is no API key"), "{refused:?}");
    user.run(&["serve", "--http"]).fails_with(2);
}
