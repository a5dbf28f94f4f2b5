//! `mgp keys`: keys for hosts over HTTP.

use crate::support::{User, text};

#[test]
fn a_new_key_is_shown_once_with_the_lines_that_admit_it() {
    let user = User::with_notes();
    let made = user.run(&["keys", "new", "--id", "laptop", "--agent", "ci.bot"]).succeeds();
    let lines: Vec<_> = made.stdout.lines().collect();
    let key = lines.iter().find_map(|line| line.trim().strip_prefix("mgp_")).unwrap();
    assert_eq!(key.len(), 64, "{made:?}");
    let table = made.stdout.split_once("[[http.api_keys]]").unwrap().1;
    for line in ["id = \"laptop\"", "agent = \"ci.bot\""] {
        assert!(table.contains(line), "{made:?}");
    }
    assert!(!table.contains("admin"), "{made:?}");
    // Nothing of it is kept: two keys are two keys, and the state has neither.
    let (_, first) = user.json(&["keys", "new"]);
    let (_, second) = user.json(&["keys", "new"]);
    assert_ne!(first["key"], second["key"]);
    assert_eq!((&first["agent"], &first["admin"]), (&"local".into(), &false.into()));
    // The lines that it prints are a configuration that the program reads.
    let own = user.own_configuration();
    std::fs::write(&own, format!("{}\n[[http.api_keys]]{table}", text(&own))).unwrap();
    user.run(&["tools"]).succeeds();
}

#[test]
fn a_key_of_the_operator_is_marked_and_a_wrong_name_is_refused() {
    let user = User::new();
    let made = user.run(&["keys", "new", "--admin"]).succeeds();
    assert!(made.stdout.contains("admin = true"), "{made:?}");
    for wrong in [["--id", ""], ["--agent", "a\nb"]] {
        user.run(&[&["keys", "new"], &wrong[..]].concat()).fails_with(2);
    }
}

/// Returns the key that a command printed.
fn key_of(printed: &str) -> String {
    printed.lines().next().unwrap().trim().to_owned()
}

#[cfg(unix)]
#[test]
fn a_running_kernel_obeys_added_rotated_and_revoked_keys() {
    use crate::serve::{end, post, serving};
    let user = User::with_notes();
    let first = key_of(&user.run(&["keys", "add", "ci", "--expires", "1d"]).succeeds().stdout);
    let (mut child, address) = serving(&user);
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let status = |key: &str| {
        let answer = post(&address, initialize, &format!("Authorization: Bearer {key}\r\n"));
        answer.split(' ').nth(1).unwrap().parse::<u16>().unwrap()
    };
    let becomes =
        |key: &str, expected| xtask_testing::block_until_some(|| (status(key) == expected).then_some(()));
    assert_eq!((status(&first), status("mgp_wrong")), (200, 401));
    let second = key_of(&user.run(&["keys", "rotate", "ci", "--grace", "1h"]).succeeds().stdout);
    becomes(&second, 200);
    assert_eq!(status(&first), 200, "the time of grace");
    let third = key_of(&user.run(&["keys", "add", "late"]).succeeds().stdout);
    becomes(&third, 200);
    user.run(&["keys", "revoke", "ci"]).succeeds();
    becomes(&first, 401);
    becomes(&second, 401);
    user.run(&["keys", "revoke", "late"]).succeeds();
    becomes(&third, 401);
    assert!(
        post(&address, initialize, "").starts_with("HTTP/1.1 401"),
        "nobody gets in because all keys are gone"
    );
    end(&mut child);
}

#[cfg(unix)]
#[test]
fn the_calls_with_curl_in_the_docs_are_answered_as_shown() {
    use crate::serve::{end, post, serving};
    let docs = text(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/authorization.md").as_ref());
    let (_, example) = docs.split_once("### A call with curl").unwrap();
    let bodies: Vec<_> =
        example.lines().filter_map(|line| line.trim().strip_prefix("-d '")?.strip_suffix('\'')).collect();
    let user = User::with_notes();
    user.run(&["tools"]).succeeds();
    let key = key_of(&user.run(&["keys", "add", "laptop", "--scope", "read:notes"]).succeeds().stdout);
    let (mut child, address) = serving(&user);
    let authorization = format!("Authorization: Bearer {key}\r\n");
    let opened = post(&address, bodies[0], &authorization);
    let session = opened.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
    let answer = post(&address, bodies[1], &format!("{authorization}Mcp-Session-Id: {session}\r\n"));
    let result = r#"{"jsonrpc":"2.0","id":2,"result":{"#;
    let shown = example.lines().find(|line| line.starts_with(result)).unwrap();
    assert!(answer.ends_with(shown), "{answer}");
    end(&mut child);
}

#[test]
fn no_key_is_in_a_list_or_a_file_of_the_state_folder() {
    let user = User::with_notes();
    let made =
        user.json(&["keys", "add", "ci", "--scope", "read:notes", "--scope", "files__*", "--agent", "bot"]).1;
    let key = made["key"].as_str().unwrap();
    let listed = user.run(&["keys", "list"]).succeeds().stdout;
    assert!(
        listed.contains("ci") && listed.contains("bot") && listed.contains("read notes, use files__*"),
        "{listed}"
    );
    let (_, all) = user.json(&["keys", "list"]);
    assert_eq!(all["keys"][0]["scopes"], serde_json::json!(["read:notes", "files__*"]));
    assert_eq!(all["keys"][0]["last_used"], serde_json::Value::Null);
    for text in [&listed, &all.to_string()] {
        assert!(!text.contains(&key[4..]) && !text.contains("hash"), "{text}");
    }
    let next = key_of(&user.run(&["keys", "rotate", "ci"]).succeeds().stdout);
    let files = user.state_files();
    assert!(files.iter().any(|(name, _)| name.starts_with("keys.sqlite3")), "{files:?}");
    for (name, bytes) in &files {
        for secret in [key, &next] {
            let digits = &secret.as_bytes()[4..24];
            assert!(!bytes.windows(digits.len()).any(|part| part == digits), "{name} holds a key");
        }
    }
    user.run(&["keys", "revoke", "ci"]).succeeds();
    let trail = user.run(&["audit"]).succeeds().stdout;
    assert!(["KEY_ADDED", "KEY_ROTATED", "KEY_REVOKED"].iter().all(|event| trail.contains(event)), "{trail}");
    assert!(!trail.contains(&key[4..]), "{trail}");
}

#[test]
fn an_unknown_key_a_used_name_and_a_wrong_scope_are_errors() {
    let user = User::with_notes();
    let made = user.run(&["keys", "add", "ci"]).succeeds().stderr;
    assert!(made.contains("running gateways accept the key within a second"), "{made}");
    for command in ["revoke", "rotate"] {
        user.run(&["keys", command, "absent"]).fails_with(5);
    }
    for wrong in [
        &["keys", "add", "ci"][..],
        &["keys", "add", "x", "--scope", "temp:30min"],
        &["keys", "add", "x", "--scope", "notes", "--admin"],
        &["keys", "add", ""],
    ] {
        user.run(wrong).fails_with(2);
    }
}
