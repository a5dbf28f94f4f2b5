//! `mgp logs`: what servers and gateways wrote, while a gateway runs and after it.

use crate::support::User;
use serde_json::json;
use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};
use xtask_testing::block_until_some;

/// A server that says on stderr that it has started, and each call of its tool.
const CHATTY: &str = r#"
printf 'listening on \033[2J port 7\n' >&2
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*) echo 'looked once more' >&2; result='{"content":[{"type":"text","text":"here"}]}' ;;
    *'"id":'*) result='{}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

fn user() -> User {
    let user = User::new();
    let list = json!({ "mcpServers": { "chatty": { "command": "sh", "args": ["-c", CHATTY] } } });
    user.write("list.json", &list.to_string());
    user.run(&["init", "--from", "list.json"]).succeeds();
    user
}

#[test]
fn the_stderr_of_a_server_is_kept_and_followed() {
    let user = user();
    let none = user.run(&["logs", "chatty"]).succeeds();
    assert!(none.stdout.is_empty() && none.stderr.contains("nothing is logged"), "{none:?}");
    let mut host = user.serve(&[]);
    host.send(2, "tools/list", &json!({}));
    host.reply(2);
    let shown = block_until_some(|| {
        Some(user.run(&["logs", "chatty"]).succeeds().stdout).filter(|shown| shown.contains("port 7"))
    });
    assert!(shown.contains(r"STDERR  listening on \u{1b}[2J port 7"), "{shown}");
    let mut command = user.command(&["--json", "logs", "chatt", "--follow", "--last", "0"]);
    let mut follower = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    let reader = std::thread::spawn(move || {
        lines.find_map(|line| line.ok().filter(|line| line.contains("looked once more")))
    });
    let mut id = 2;
    // The follower may not have begun yet: call until it has seen one.
    block_until_some(|| {
        id += 1;
        host.call(id, "look", &json!({}));
        host.reply(id);
        reader.is_finished().then_some(())
    });
    let line: serde_json::Value = serde_json::from_str(&reader.join().unwrap().unwrap()).unwrap();
    assert_eq!((&line["level"], &line["text"]), (&json!("STDERR"), &json!("looked once more")), "{line}");
    follower.kill().unwrap();
    follower.wait().unwrap();
    // It outlives the gateway.
    host.close();
    assert_eq!(host.end(), 0);
    let (_, kept) = user.json(&["logs", "chatty", "--last", "1000"]);
    let texts = kept["lines"].as_array().unwrap().iter().map(|line| line["text"].as_str().unwrap());
    assert!(texts.clone().any(|text| text == "looked once more"), "{kept}");
    assert!(texts.clone().any(|text| text.contains("server=chatty")), "{kept}");
    let gateway = user.run(&["logs"]).succeeds().stdout;
    assert!(gateway.contains("server=chatty") && !gateway.contains("looked once more"), "{gateway}");
}

#[test]
fn an_unknown_log_is_refused_with_the_existing_ones() {
    let user = user();
    let unknown = user.run(&["logs", "nope"]).fails_with(5).stderr;
    assert!(unknown.contains("there is no server \"nope\"") && unknown.contains("mgp servers"), "{unknown}");
}
