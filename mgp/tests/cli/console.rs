//! The console for operators of other machines.

use crate::{
    metrics::ask,
    support::{User, text},
};
use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};
use xtask_testing::block_until_some;

/// Returns the status of an answer.
fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn a_key_opens_the_console_for_a_proxy_until_it_is_revoked() {
    let user = User::with_notes();
    let own = user.own_configuration();
    let console = "[console]\nlisten = \"127.0.0.1:0\"\norigin = \"https://console.test\"\n";
    std::fs::write(&own, format!("{}\n{console}", text(&own))).unwrap();
    let key = user.json(&["keys", "add", "ann", "--console", "approver"]).1;
    let mut command = user.command(&["serve", "--http", "127.0.0.1:0"]);
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let addresses =
        [("serving the console at ", " for https://console.test"), ("serving MCP at http://", "/mcp")];
    let [address, mcp] = &addresses.map(|(start, end)| {
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
        address.unwrap_or_else(|| panic!("{line}")).to_owned()
    });

    let host = "Host: console.test\r\n";
    let key = key["key"].as_str().unwrap();
    let sign_in = format!(
        "POST /sign-in HTTP/1.1\r\n{host}Origin: https://console.test\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    );
    assert_eq!(status(&ask(address, &sign_in, "key=mgp_wrong")), 403);
    let opened = ask(address, &sign_in, &format!("key={key}"));
    assert_eq!(status(&opened), 204, "{opened}");
    let cookie =
        opened.lines().find_map(|line| line.strip_prefix("set-cookie: ")?.split(';').next()).unwrap();
    let read = || ask(address, &format!("GET /now HTTP/1.1\r\n{host}Cookie: {cookie}\r\n"), "");
    let page = read();
    assert!(status(&page) == 200 && page.contains("approver") && page.contains("notes"), "{page}");
    // Hosts need no key because of it, and where they do, it is not one of theirs.
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let mcp_head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {mcp}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
    );
    assert_eq!(status(&ask(mcp, &mcp_head, call)), 200);
    user.run(&["keys", "add", "laptop"]).succeeds();
    block_until_some(|| (status(&ask(mcp, &mcp_head, call)) == 401).then_some(()));
    assert_eq!(status(&ask(mcp, &format!("{mcp_head}Authorization: Bearer {key}\r\n"), call)), 401);
    user.run(&["keys", "revoke", "ann"]).succeeds();
    block_until_some(|| (status(&read()) == 303).then_some(()));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_console_is_closed_to_others_than_the_proxy() {
    let user = User::with_notes();
    let own = user.own_configuration();
    let console =
        "[console]\nlisten = \"127.0.0.1:0\"\norigin = \"https://console.test\"\nproxies = [\"10.1.2.3\"]\n";
    std::fs::write(&own, format!("{}\n{console}", text(&own))).unwrap();
    let mut command = user.command(&["serve", "--http", "127.0.0.1:0"]);
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    stderr.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("serving the console at ").and_then(|said| said.split(' ').next());
    let mut stream = std::net::TcpStream::connect(address.unwrap()).unwrap();
    let mut answer = Vec::new();
    // The end of the connection, or its reset, is all that comes.
    let read = std::io::Read::read_to_end(&mut stream, &mut answer);
    assert!(read.is_err() || answer.is_empty(), "{answer:?}");
    line.clear();
    while !line.contains("another address than the proxy's") {
        assert!(stderr.read_line(&mut line).unwrap() > 0, "no warning: {line}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}
