//! `mgp call` with an idempotency key, and through a running gateway that keeps results.

use crate::{control::serving, shell_server, support::User};
use serde_json::json;
use xtask_testing::block_until_some;

#[test]
fn a_call_with_a_key_runs_once_over_several_runs() {
    let user = User::with_notes();
    user.run(&["approve", "notes", "memory.write"]).succeeds();
    let add = |text: &str| {
        let note = json!({"title": "Tides", "text": text}).to_string();
        user.run(&["call", "add_note", &note, "--idempotency-key", "tides-1"])
    };
    let first = add("High at six").succeeds();
    assert!(!first.stderr.contains("tides-1"), "{first:?}");
    let again = add("High at six").succeeds();
    assert_eq!(again.stdout, first.stdout);
    let note = "note: the answer of the call that was made with the key tides-1 at ";
    assert!(again.stderr.contains(note) && again.stderr.contains("did not run again"), "{again:?}");
    let dry = |key: &str| {
        let note = r#"{"title": "Tides", "text": "High at seven"}"#;
        user.run(&["call", "add_note", note, "--dry-run", "--idempotency-key", key])
    };
    let conflict = dry("tides-1").fails_with(2).stdout;
    assert!(conflict.contains("IDEMPOTENCY_CONFLICT"), "{conflict}");
    assert_eq!(dry("tides-2").succeeds().stdout, "allowed\n");
    let other = add("High at seven");
    assert!(other.code != 0 && other.stderr.contains("IDEMPOTENCY_CONFLICT"), "{other:?}");
    let notes = user.json(&["call", "list_notes"]).1["structuredContent"]["notes"].clone();
    assert_eq!(notes.as_array().unwrap().len(), 1, "{notes}");

    // A failure is replayed too.
    let delete = || user.run(&["call", "delete_note", r#"{"id": 7}"#, "--yes", "--idempotency-key", "gone"]);
    assert!(!delete().fails_with(1).stderr.contains("did not run again"));
    let again = delete().fails_with(1).stderr;
    assert!(again.contains("no note has the id 7") && again.contains("did not run again"), "{again}");
}

/// A server whose tool answers with a text, an image and a sound, or, with arguments, with broken data.
const PAINTER: &str = r#"
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"paint","description":"Shows a picture","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}' ;;
    *'"method":"tools/call"'*'"broken"'*) result='{"content":[{"type":"image","data":"AP8","mimeType":"image/png"}]}' ;;
    *'"method":"tools/call"'*) result='{"content":[{"type":"text","text":"done"},{"type":"image","data":"AP8=","mimeType":"image/png"},{"type":"audio","data":"AQ==","mimeType":"audio/../x"}]}' ;;
    *'"id":'*) result='{}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

#[test]
fn images_and_sounds_of_an_answer_are_saved_in_new_files() {
    let user = User::new();
    let list = json!({ "mcpServers": { "s": { "command": "sh", "args": ["-c", PAINTER] } } });
    user.write("list.json", &list.to_string());
    user.run(&["init", "--from", "list.json"]).succeeds();
    let folder = user.path("made/pictures");
    let paint =
        |more: &[&str]| user.run(&[&["call", "paint", "--save", folder.to_str().unwrap()], more].concat());
    let painted = paint(&[]).succeeds();
    assert!(painted.stdout.starts_with("done\n"), "{painted:?}");
    let image = folder.join("paint-1.png");
    assert!(
        painted.stderr.contains(&format!("note: saved: {} (image/png, 2 bytes)", image.display())),
        "{painted:?}"
    );
    assert_eq!(std::fs::read(&image).unwrap(), [0, 255]);
    assert_eq!(std::fs::read(folder.join("paint-1.bin")).unwrap(), [1]);
    paint(&["--json"]).succeeds();
    assert_eq!(std::fs::read(folder.join("paint-2.png")).unwrap(), [0, 255]);

    let broken = paint(&[r#"{"broken": true}"#]).fails_with(1).stderr;
    assert!(broken.contains("\"image/png\" is not saved: expected base64"), "{broken}");
    user.write("file", "");
    let file = user.path("file");
    let refused = user.run(&["call", "paint", "--save", file.to_str().unwrap()]).fails_with(1).stderr;
    assert!(refused.contains("expected a folder that can be written"), "{refused}");
}

#[test]
fn a_call_with_provenance_shows_the_gateway_s_attestation() {
    let user = User::with_notes();
    let plain = user.run(&["call", "list_notes"]).succeeds();
    assert!(!plain.stderr.contains("attested"), "{plain:?}");
    let ended = user.run(&["call", "list_notes", "--provenance"]).succeeds();
    assert_eq!(ended.stdout, plain.stdout);
    let note = ended.stderr.lines().find(|line| line.contains("attested by the gateway: ")).unwrap();
    assert!(note.contains("SHA-256 ") && note.ends_with("(this is the result)"), "{note}");
    let trace = note.split_once("trace ").unwrap().1.split(',').next().unwrap();
    let audit = user.run(&["audit", "--trace", trace]).succeeds();
    assert!(audit.stdout.contains("list_notes"), "{audit:?}");
}

#[test]
fn the_trace_in_an_error_finds_the_call_in_the_audit_trail() {
    let user = User::with_notes();
    let note = r#"{"title": "Tides", "text": "High at six"}"#;
    for (tool, arguments) in [("add_note", note), ("no_such_tool", "{}")] {
        let told = user.run(&["call", tool, arguments]);
        let command = told.stderr.lines().last().unwrap().strip_prefix("  trace: mgp ").unwrap();
        let shown = user.run(&command.split(' ').collect::<Vec<_>>()).succeeds();
        assert!(shown.stdout.contains("TOOL_BLOCKED"), "{tool}: {shown:?}");
        let refused = user.run(&["call", tool, arguments, "--outcome"]);
        let outcome: serde_json::Value = serde_json::from_str(&refused.stdout).unwrap();
        let trace = outcome["error"]["error_details"]["trace_id"].as_str().unwrap();
        let audit = user.run(&["audit", "--trace", trace]).succeeds();
        assert!(audit.stdout.contains("TOOL_BLOCKED"), "{tool}: {audit:?}");
    }
}

#[test]
fn a_gateway_keeps_a_result_and_another_call_passes_it_on() {
    let user = User::of_demo();
    for server in ["files", "jobs"] {
        user.run(&["access", "grant", "ann", server]).succeeds();
    }
    let host = serving(&user);
    let report = r#"{"topic": "tides", "paragraphs": 3}"#;
    let kept = user.run(&["call", "write_report", report, "--keep-result"]).succeeds();
    let reference = kept.stdout.trim();
    assert!(reference.starts_with("ref-") && !kept.stdout.contains("Paragraph"), "{kept:?}");
    assert!(kept.stderr.contains("note: kept: 66 bytes of text/plain from jobs, sha256 "), "{kept:?}");
    let write = |path: &str, at: &str| {
        let path = json!({ "path": path }).to_string();
        let placed = format!("{at}={reference}");
        user.run(&["call", "write_file", &path, "--ref", &placed, "--pid", &host.pid().to_string()])
    };
    assert_eq!(write("report.txt", "/text").succeeds().stdout, "wrote 66 bytes to \"report.txt\"\n");
    let read = user.run(&["call", "read_file", r#"{"path": "report.txt"}"#]).succeeds();
    assert_eq!(read.stdout, "Paragraph 1 on tides.\nParagraph 2 on tides.\nParagraph 3 on tides.\n");
    let dry = |at: &str| {
        let placed = format!("{at}={reference}");
        user.run(&["call", "write_file", r#"{"path": "other.txt"}"#, "--dry-run", "--ref", &placed])
    };
    assert_eq!(dry("/text").succeeds().stdout, "allowed\n");
    let judged = dry("/no/text").fails_with(2).stdout;
    assert!(judged.contains(r#"there is no member "no""#), "{judged}");
    user.run(&["call", "read_file", r#"{"path": "other.txt"}"#]).fails_with(1);
    let nowhere = write("other.txt", "/no/text");
    assert!(nowhere.code != 0 && nowhere.stderr.contains(r#"there is no member "no""#), "{nowhere:?}");

    // Both at once, with the whole result for programs.
    let (code, whole) = user.json(&["call", "read_file", r#"{"path": "report.txt"}"#, "--keep-result"]);
    assert_eq!((code, &whole["_meta"]["dev.cloto/reference"]["size_bytes"]), (0, &json!(66)), "{whole}");
    // It ends with the gateway.
    drop(host);
    let second = serving(&user);
    let path = r#"{"path": "copy.txt"}"#;
    let over = user.run(&["call", "write_file", path, "--ref", &format!("/text={reference}")]);
    // An error, like the trail, has only the beginning of a reference.
    let (shown, hidden) = reference.split_at("ref-".len() + 8);
    assert!(over.code != 0 && over.stderr.contains(shown) && !over.stderr.contains(hidden), "{over:?}");
    // Of two gateways, one has to be named.
    let third = serving(&user);
    let unclear = user.run(&["call", "write_report", report, "--keep-result"]).fails_with(2);
    for text in ["2 gateways run", "expected --pid", &second.pid().to_string(), &third.pid().to_string()] {
        assert!(unclear.stderr.contains(text), "{text}: {unclear:?}");
    }
}

#[test]
fn impossible_options_are_refused_with_the_expectation() {
    let user = User::of_demo();
    let keep = ["call", "write_report", r#"{"topic": "x", "paragraphs": 1}"#, "--keep-result"];
    let none = user.run(&keep).fails_with(5).stderr;
    assert!(none.contains("no gateway is running") && none.contains("mgp serve"), "{none}");
    for (options, texts) in [
        (&["--ref", "/text"][..], ["'/text' for '--ref <POINTER=REF>'", "such as /data=ref-5f0c"]),
        (&["--ref", "text=ref-1"], ["'text=ref-1'", "expected a JSON pointer"]),
        (&["--idempotency-key", "two words"], ["'two words'", "expected 1 to 128 letters, digits and _-:."]),
        (&["--keep-result", "--yes"], ["--keep-result", "--yes"]),
        (&["--pid", "1"], ["--keep-result", "--ref"]),
        (&["--keep-result", "--agent", "ben"], ["expected no --agent, found \"ben\"", "\"ann\""]),
    ] {
        let refused = user.run(&[&keep[..3], options].concat()).fails_with(2).stderr;
        assert!(texts.iter().all(|text| refused.contains(text)), "{options:?}: {refused}");
    }
}

#[test]
fn a_gateway_calls_as_the_account_with_its_own_grant() {
    let user = User::with_notes();
    let host = serving(&user);
    let keep = || user.run(&["call", "list_notes", "--keep-result"]);
    let refused = keep().fails_with(4).stderr;
    assert!(refused.contains("`mgp access grant ann SERVER`"), "{refused}");
    user.run(&["access", "grant", "ann", "notes"]).succeeds();
    // The running gateway takes the grant over from the store.
    let kept = block_until_some(|| Some(keep()).filter(|kept| kept.code == 0));
    assert!(kept.stdout.starts_with("ref-"), "{kept:?}");
    drop(host);
}

#[test]
fn a_command_prints_a_result_whole_instead_of_keeping_it() {
    let user = User::new();
    let table = shell_server::table(&user, "s", "here", "");
    let script = std::fs::read_to_string(user.path("server.sh")).unwrap();
    user.write("server.sh", &script.replace("process '$$'", "'\"$(seq 1000 | tr '\\n' ' ')\"'"));
    user.write(
        "mgp.toml",
        &format!(
            "[results]\nmax_tokens = 100\n{table}[[access.grants]]\nagent = \"local\"\nserver = \"s\"\n"
        ),
    );
    let long = user.run(&["call", "look_here", "--yes", "--trust"]).succeeds();
    assert!(long.stdout.starts_with("1 2 3 ") && long.stdout.contains(" 999 1000"), "{long:?}");
}
