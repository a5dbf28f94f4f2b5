//! The metrics of a gateway, as Prometheus reads them.

use crate::support::{User, text};
use serde_json::json;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, ChildStderr, Stdio},
};
use xtask_testing::block_until_some;

/// Adds lines to a user's configuration.
fn configure(user: &User, lines: &str) {
    let own = user.own_configuration();
    std::fs::write(&own, format!("{}\n{lines}", text(&own))).unwrap();
}

/// Sends a request, and returns the whole answer.
pub(crate) fn ask(address: &str, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "{head}Connection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn post(address: &str, headers: &str, body: &serde_json::Value) -> String {
    let accept = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    ask(address, &format!("POST /mcp HTTP/1.1\r\nHost: {address}\r\n{accept}{headers}"), &body.to_string())
}

fn metrics(address: &str) -> String {
    let answer = ask(address, &format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\n"), "");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(
        head.contains("content-type: application/openmetrics-text; version=1.0.0; charset=utf-8"),
        "{head}"
    );
    check(body);
    body.to_owned()
}

/// Checks the rules of the format that a reader relies on: each family is described once before its samples, no series comes twice,
/// and the text ends with its mark.
fn check(text: &str) {
    let (mut family, mut families, mut series) =
        (String::new(), Vec::new(), std::collections::HashSet::new());
    let (lines, end) = text.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(end, "# EOF");
    for line in lines.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            family = rest.split(' ').next().unwrap().to_owned();
            assert!(!families.contains(&family), "{family} comes twice");
            families.push(family.clone());
        } else if !line.starts_with('#') {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(name.starts_with(&family) && value.parse::<f64>().is_ok(), "{line} is not of {family}");
            assert!(series.insert(name.to_owned()), "{line} comes twice");
        }
    }
}

/// Starts a gateway over HTTP. Returns it with the addresses of its metrics and of MCP.
fn serving(user: &User) -> (Child, BufReader<ChildStderr>, [String; 2]) {
    let mut command = user.command(&["serve", "--http", "127.0.0.1:0"]);
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let addresses = [("serving metrics at http://", "/metrics"), ("serving MCP at http://", "/mcp")];
    let addresses = addresses.map(|(start, end)| {
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
        address.unwrap_or_else(|| panic!("{line}")).to_owned()
    });
    (child, stderr, addresses)
}

#[test]
fn a_gateway_serves_its_metrics_at_a_separate_address() {
    let user = User::with_notes();
    configure(&user, "[telemetry]\nmetrics = \"127.0.0.1:0\"\n");
    let (mut child, _stderr, [page, mcp]) = serving(&user);
    let client = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let greeting =
        post(&mcp, "", &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client }));
    let session = greeting.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
    let headers = format!("Mcp-Session-Id: {session}\r\n");
    post(&mcp, &headers, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    for (id, tool) in [(2, "list_notes"), (3, "list_notes"), (4, "no_such_tool")] {
        let params = json!({ "name": tool, "arguments": {} });
        post(
            &mcp,
            &headers,
            &json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }),
        );
    }
    let _idle = TcpStream::connect(&mcp).unwrap();
    let text = block_until_some(|| {
        let text = metrics(&page);
        text.contains("mgp_http_connections{authenticated=\"false\"} 1").then_some(text)
    });
    for line in [
        r#"mgp_tool_calls_total{server="notes",tool="list_notes",outcome="success"} 2"#,
        r#"mgp_tool_call_duration_seconds_count{server="notes",tool="list_notes"} 2"#,
        r#"mgp_refusals_total{gate="not_found"} 1"#,
        r#"mgp_server_up{server="notes"} 1"#,
        r#"mgp_server_restarts_total{server="notes"} 0"#,
        "mgp_hosts 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
    // No web page reads it under a name of its own, and MCP is not served there.
    let evil = ask(&page, "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n", "");
    assert!(evil.starts_with("HTTP/1.1 403"), "{evil}");
    assert!(ask(&page, &format!("POST /mcp HTTP/1.1\r\nHost: {page}\r\n"), "{}").starts_with("HTTP/1.1 404"));
    assert!(ask(&mcp, &format!("GET /metrics HTTP/1.1\r\nHost: {mcp}\r\n"), "").starts_with("HTTP/1.1 404"));

    // A second gateway with the same configuration works without metrics.
    let other = User::with_notes();
    configure(&other, &format!("[telemetry]\nmetrics = \"{page}\"\n"));
    let ended = other.run_with(&["serve"], "").succeeds();
    assert!(ended.stderr.contains("metrics are not served") && ended.stderr.contains(&page), "{ended:?}");
    let _ = child.kill();
    let _ = child.wait();
}

#[test]
fn metrics_at_a_public_address_need_a_setting() {
    let user = User::with_notes();
    configure(&user, "[telemetry]\nmetrics = \"0.0.0.0:0\"\n");
    let refused = user.run(&["serve"]).fails_with(3).stderr;
    assert!(refused.contains("telemetry.metrics") && refused.contains("metrics_open = true"), "{refused}");
    configure(&user, "metrics_open = true\n");
    let served = user.run_with(&["serve"], "").succeeds().stderr;
    assert!(served.contains("serving metrics at http://0.0.0.0:"), "{served}");
}

#[test]
fn one_command_serves_no_metrics() {
    let user = User::with_notes();
    configure(&user, "[telemetry]\nmetrics = \"127.0.0.1:0\"\n");
    let ended = user.run(&["call", "list_notes"]).succeeds();
    assert!(!ended.stderr.contains("metrics"), "{ended:?}");
}
