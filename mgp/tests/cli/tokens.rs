//! `mgp serve --http` with tokens.

use crate::support::{User, text};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
};
use xtask_testing::block_until_some;

/// The public key of a published test vector (RFC 8037, appendix A).
const KEYS: &str =
    r#"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;

/// A token of `local` by that key, for `http://tools.example/mcp`, with the scope `mcp`; it runs out in 2286.
pub(crate) const TOKEN: &str = "eyJhbGciOiJFZERTQSIsImtpZCI6ImsiLCJ0eXAiOiJhdCtqd3QifQ.eyJpc3MiOiJodHRwczovL2F1dGguZXhhbXBsZSIsImF1ZCI6Imh0dHA6Ly90b29scy5leGFtcGxlL21jcCIsInN1YiI6ImxvY2FsIiwic2NvcGUiOiJtY3AiLCJleHAiOjk5OTk5OTk5OTl9.mqBIx0VKExJEj4dQqpOsmAzQSKGqn5N8PaBCeIoqQJ0zwoZzkHQxMDSehdu_fFjn00q7vqc_TZQBpALcLloRAw";

/// A gateway that is ended with its test.
struct GatewayGuard {
    child: Child,
    address: String,
}

impl GatewayGuard {
    fn start(user: &User) -> Self {
        let mut command = user.command(&["serve", "--http", "127.0.0.1:0"]);
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("serving MCP at http://").unwrap_or_else(|| panic!("{line}"));
        Self { address: address.strip_suffix("/mcp").unwrap().to_owned(), child }
    }

    fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (address, length) = (&self.address, body.len());
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl GatewayGuard {
    /// Ends it by a signal, and waits for it.
    fn end(&mut self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for GatewayGuard {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a user whose gateway accepts tokens with the scope `mcp`, with more lines in `[http.oauth]`.
pub(crate) fn with_tokens(more: &str) -> User {
    let user = User::with_notes();
    user.write("keys.json", KEYS);
    let own = user.own_configuration();
    let oauth = format!(
        "[http.oauth]\nresource = \"http://tools.example/mcp\"\nrequired_scopes = [\"mcp\"]\n{more}\n\
         [[http.oauth.issuers]]\nissuer = \"https://auth.example\"\njwks_file = \"keys.json\"\n"
    );
    std::fs::write(&own, format!("{}\n{oauth}", text(&own))).unwrap();
    user
}

#[test]
fn the_configuration_names_the_accepted_issuers_of_tokens() {
    let user = with_tokens("");
    let serving = GatewayGuard::start(&user);
    let refused = serving.send("POST", "/mcp", "", "{}");
    assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
    let challenge = r#"www-authenticate: Bearer scope="mcp", resource_metadata="http://tools.example/.well-known/oauth-protected-resource/mcp""#;
    assert!(refused.contains(challenge), "{refused}");
    let refused = serving.send("POST", "/mcp", "Authorization: Bearer opaque\r\n", "{}");
    assert!(refused.contains(r#"error="invalid_token""#), "{refused}");

    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let greeting = serving.send("POST", "/mcp", &format!("Authorization: Bearer {TOKEN}\r\n"), hello);
    assert!(greeting.starts_with("HTTP/1.1 200") && greeting.contains(r#""name":"mgp""#), "{greeting}");

    let document = serving.send("GET", "/.well-known/oauth-protected-resource/mcp", "", "");
    let mut document: Value = serde_json::from_str(document.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    let algorithms = document.as_object_mut().unwrap().remove("dpop_signing_alg_values_supported").unwrap();
    assert!(algorithms.as_array().unwrap().contains(&json!("ES256")), "{algorithms}");
    assert_eq!(
        document,
        json!({
            "resource": "http://tools.example/mcp", "authorization_servers": ["https://auth.example"],
            "scopes_supported": ["mcp"], "bearer_methods_supported": ["header"],
        })
    );
}

#[test]
fn unreadable_keys_are_an_error_that_names_the_file() {
    let user = with_tokens("");
    user.write("keys.json", "{}");
    let refused = user.run(&["serve", "--http", "127.0.0.1:0"]).fails_with(3);
    assert!(refused.stderr.contains("keys.json: invalid key set"), "{refused:?}");
}

/// The failed logins of a reason in the trail, together.
fn denied(user: &User, reason: &str) -> u64 {
    let (_, shown) = user.json(&["audit", "--last", "1000", "--type", "dev.cloto.mgp.AUTHENTICATION_FAILED"]);
    let events = shown["events"].as_array().unwrap();
    let of_it = events.iter().filter(|event| event["details"]["reason"] == reason);
    of_it
        .inspect(|event| assert_eq!(event["result"], "BLOCKED"))
        .map(|event| event["details"]["count"].as_u64().unwrap())
        .sum()
}

#[test]
fn every_failed_login_is_counted_and_many_share_an_event() {
    let user = with_tokens("");
    let (_, key) = user.json(&["keys", "new"]);
    let own = user.own_configuration();
    let table = format!(
        "[[http.api_keys]]\nid = \"k\"\nhash = {}\nagent = \"ci.bot\"\n[[http.oauth.issuers]]",
        key["hash"]
    );
    std::fs::write(&own, text(&own).replacen("[[http.oauth.issuers]]", &table, 1)).unwrap();
    let serving = GatewayGuard::start(&user);
    for _ in 0..60 {
        let refused = serving.send("POST", "/mcp", "Authorization: Bearer opaque\r\n", "{}");
        assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
    }
    serving.send("POST", "/mcp", "", "{}");
    serving.send("POST", "/mcp", "Origin: https://evil.example\r\n", "{}");
    let known = format!("X-API-Key: {}\r\n", key["key"].as_str().unwrap());
    assert!(!serving.send("POST", "/mcp", &known, "{}").starts_with("HTTP/1.1 401"));
    block_until_some(|| (denied(&user, "invalid_token") == 60).then_some(()));
    block_until_some(|| (denied(&user, "missing_credentials") == 1).then_some(()));
    block_until_some(|| (denied(&user, "forbidden_origin") == 1).then_some(()));
    let (_, shown) = user.json(&["audit", "--last", "1000", "--result", "BLOCKED"]);
    assert!(shown["events"].as_array().unwrap().len() < 60, "{shown}");
}

#[test]
fn a_wrong_key_and_none_are_counted_apart_until_the_end() {
    let user = User::with_notes();
    let own = user.own_configuration();
    let (_, key) = user.json(&["keys", "new"]);
    let table = format!("[[http.api_keys]]\nid = \"k\"\nhash = {}\nagent = \"ci.bot\"\n", key["hash"]);
    std::fs::write(&own, format!("{}\n{table}", text(&own))).unwrap();
    let mut serving = GatewayGuard::start(&user);
    for headers in ["X-API-Key: wrong\r\n", "Authorization: Basic x\r\n", ""] {
        assert!(serving.send("POST", "/mcp", headers, "{}").starts_with("HTTP/1.1 401"));
    }
    serving.end();
    assert_eq!((denied(&user, "wrong_key"), denied(&user, "missing_credentials")), (2, 1));
}
