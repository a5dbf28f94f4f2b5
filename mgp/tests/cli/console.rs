//! The console for operators of other machines.

use crate::{
    metrics::ask,
    support::{User, text},
    tokens::{TOKEN, with_tokens},
};
use std::{
    io::{BufRead, BufReader},
    process::{Child, ChildStderr, Stdio},
};
use xtask_testing::block_until_some;

const HOST: &str = "Host: console.test\r\n";

/// Returns the status of an answer.
fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{answer}"))
}

/// A gateway with a console for operators of other machines. It is ended with its test.
struct ServedConsole {
    child: Child,
    address: String,
    stderr: BufReader<ChildStderr>,
}

impl ServedConsole {
    /// Starts the gateway with more lines in `[console]`.
    fn start(user: &User, more: &str) -> Self {
        let own = user.own_configuration();
        let console =
            format!("[console]\nlisten = \"127.0.0.1:0\"\norigin = \"https://console.test\"\n{more}");
        std::fs::write(&own, format!("{}\n{console}", text(&own))).unwrap();
        let mut command = user.command(&["serve", "--http", "127.0.0.1:0"]);
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let mut served = Self { child, address: String::new(), stderr };
        served.address = served.address_between("serving the console at ", " for https://console.test");
        served
    }

    /// Reads the next line, which has an address between two texts.
    fn address_between(&mut self, start: &str, end: &str) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
        address.unwrap_or_else(|| panic!("{line}")).to_owned()
    }

    /// Signs in with a key or a token, and returns the answer.
    fn sign_in(&self, key: &str) -> String {
        let head = format!(
            "POST /sign-in HTTP/1.1\r\n{HOST}Origin: https://console.test\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        );
        ask(&self.address, &head, &format!("key={key}"))
    }

    /// Reads the page of the present in the session that a sign-in opened.
    fn now(&self, signed_in: &str) -> String {
        let cookie = signed_in.lines().find_map(|line| line.strip_prefix("set-cookie: ")?.split(';').next());
        let cookie = cookie.unwrap_or_else(|| panic!("{signed_in}"));
        ask(&self.address, &format!("GET /now HTTP/1.1\r\n{HOST}Cookie: {cookie}\r\n"), "")
    }
}

impl Drop for ServedConsole {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_key_opens_the_console_for_a_proxy_until_it_is_revoked() {
    let user = User::with_notes();
    let key = user.json(&["keys", "add", "ann", "--console", "approver"]).1;
    let mut console = ServedConsole::start(&user, "");
    let mcp = console.address_between("serving MCP at http://", "/mcp");
    let key = key["key"].as_str().unwrap();
    assert_eq!(status(&console.sign_in("mgp_wrong")), 403);
    // Access tokens open nothing without `http.oauth`.
    assert_eq!(status(&console.sign_in(TOKEN)), 403);
    let opened = console.sign_in(key);
    assert_eq!(status(&opened), 204, "{opened}");
    let page = console.now(&opened);
    assert!(status(&page) == 200 && page.contains("approver") && page.contains("notes"), "{page}");
    // Hosts need no key because of it, and where they do, it is not one of theirs.
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let mcp_head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {mcp}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
    );
    assert_eq!(status(&ask(&mcp, &mcp_head, call)), 200);
    user.run(&["keys", "add", "laptop"]).succeeds();
    block_until_some(|| (status(&ask(&mcp, &mcp_head, call)) == 401).then_some(()));
    assert_eq!(status(&ask(&mcp, &format!("{mcp_head}Authorization: Bearer {key}\r\n"), call)), 401);
    user.run(&["keys", "revoke", "ann"]).succeeds();
    block_until_some(|| (status(&console.now(&opened)) == 303).then_some(()));
}

#[test]
fn a_token_opens_the_console_with_the_role_of_its_scope() {
    let cases = [
        ("", "viewer_scope = \"mcp\"\n", Some("viewer")),
        ("", "viewer_scope = \"mcp\"\napprover_scope = \"mcp\"\n", Some("approver")),
        ("admin_scope = \"mcp\"", "viewer_scope = \"mcp\"\n", Some("admin")),
        ("", "viewer_scope = \"view\"\napprover_scope = \"approve\"\n", None),
    ];
    for (of_tokens, of_console, role) in cases {
        let user = with_tokens(of_tokens);
        let console = ServedConsole::start(&user, of_console);
        assert_eq!(status(&console.sign_in(&TOKEN[..TOKEN.len() - 4])), 403);
        let opened = console.sign_in(TOKEN);
        match role {
            Some(role) => {
                let page = console.now(&opened);
                assert!(status(&page) == 200 && page.contains(role) && page.contains("local"), "{page}");
            }
            None => assert_eq!(status(&opened), 403, "{opened}"),
        }
    }
}

#[test]
fn the_console_is_closed_to_others_than_the_proxy() {
    let user = User::with_notes();
    let mut console = ServedConsole::start(&user, "proxies = [\"10.1.2.3\"]\n");
    let mut stream = std::net::TcpStream::connect(&console.address).unwrap();
    let mut answer = Vec::new();
    // The end of the connection, or its reset, is all that comes.
    let read = std::io::Read::read_to_end(&mut stream, &mut answer);
    assert!(read.is_err() || answer.is_empty(), "{answer:?}");
    let mut line = String::new();
    while !line.contains("another address than the proxy's") {
        assert!(console.stderr.read_line(&mut line).unwrap() > 0, "no warning: {line}");
    }
}
