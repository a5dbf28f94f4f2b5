//! The advice on mistakes that are habits from other files.

use super::mistakes::{check, server_with};
use crate::config::Config;
use expect_test::expect;
use std::path::Path;

/// Returns the advice on the only problem of a text.
fn advice(text: &str) -> String {
    let error = Config::parse(Path::new("x.toml"), text.as_bytes(), &|_| None).expect_err("a mistake");
    let [problem] = error.problems() else { panic!("{:?}", error.problems()) };
    let help = problem.advice().unwrap_or("none");
    help.split("; known").next().unwrap_or(help).to_owned()
}

#[test]
fn keys_of_other_hosts_are_recognized() {
    check(
        "[mcpServers.time]\ncommand = \"uvx\"\n",
        expect![[r#"
            1:2 "mcpServers"
              mcpServers: unknown key "mcpServers"
              help: each server is a table [[servers]] with an id; `mgp init --from FILE` makes them of another host's file; known keys here: kernel, permissions, approvals, access, roles, agents, limits, audit, discovery, http, console, references, results, idempotency, store, replicas, telemetry, tool_creation, servers"#]],
    );
    for (line, expected) in [
        ("enabled = false", "write disabled = true for a server that is left out"),
        ("name = \"x\"", "a server is named by its id"),
        ("type = \"stdio\"", "write transport = \"stdio\" or \"http\", or leave it out"),
        ("bearer_token = \"x\"", "a token is written auth = { bearer = \"${TOKEN}\" }"),
        (
            "disabledTools = [\"x\"]",
            "write disabled = [\"TOOL\"] under [servers.mgp] for tools that are left out",
        ),
        ("tool_timeout_sec = 60", "write call_timeout_ms under [servers.mgp]"),
        (
            "transport = \"sse\"",
            "write \"http\": the server itself is asked which transport over HTTP it speaks",
        ),
    ] {
        assert_eq!(advice(&server_with(line)), expected, "{line}");
    }
}

#[test]
fn a_key_in_the_wrong_table_names_the_right_one() {
    for (text, expected) in [
        (server_with("trust_level = \"trusted\""), "trust_level belongs in [servers.mgp]"),
        (server_with("memory_mb = 64"), "memory_mb belongs in [servers.confinement]"),
        (server_with("bearer = \"x\""), "bearer belongs in [servers.auth]"),
        (server_with("[servers.mgp]\nargs = []"), "args belongs in [[servers]]"),
        ("exposure = \"full\"".to_owned(), "exposure belongs in [kernel]"),
        ("[kernel]\nlisten = \"127.0.0.1:1\"".to_owned(), "listen belongs in [http]"),
    ] {
        assert_eq!(advice(&text), expected, "{text}");
    }
    // An unknown key gets only the list, and so does a value that is a key elsewhere.
    assert!(advice(&server_with("carrier_pigeon = 1")).starts_with("known keys here: "));
    assert!(advice("[kernel]\nexposure = \"listen\"\n").starts_with("known values here: "));
}

#[test]
fn values_in_another_language_s_form_get_advice() {
    for (text, expected) in [
        (
            "[servers.time]\ncommand = \"x\"",
            "each server is a separate table: [[servers]] in double brackets, with its name as the id",
        ),
        (&server_with("args = \"-y x\""), "each argument is a separate string: args = [\"-y\", \"PACKAGE\"]"),
        (
            "[[servers]]\nid = \"a\"\ncommand = [\"x\", \"y\"]",
            "command is only the program; its arguments go in args",
        ),
        (&server_with("disabled = \"true\""), "write true or false, without quotes"),
        (&server_with("env = { PORT = 8080 }"), "write it in quotes"),
        (&server_with("disabled = True"), "true and false are written in lower case"),
        (&server_with("cwd = home"), "write a string in quotes: \"...\""),
        (&server_with("cwd = \u{201c}x\u{201d}"), "write straight quotes: \"...\""),
        (
            &server_with("cwd: \"x\""),
            "TOML writes a key and its value as key = \"value\", and a table as [table]",
        ),
        ("- name: a\n", "TOML writes a key and its value as key = \"value\", and a table as [table]"),
    ] {
        assert_eq!(advice(text), expected, "{text}");
    }
}

#[test]
fn windows_paths_with_backslashes_get_advice() {
    let expected = "in \"...\" a backslash begins an escape: write 'C:\\x' in single quotes, or \"C:\\\\x\" with each backslash twice";
    for value in [r#""C:\my\x""#, r#""C:\x""#, r#""C:\Users\me""#, r#""C:\new\test""#] {
        assert_eq!(advice(&format!("[[servers]]\nid = \"a\"\ncommand = {value}\n")), expected, "{value}");
        assert_eq!(advice(&server_with(&format!("args = [{value}]"))), expected, "{value}");
    }
    let text = "[[servers]]\nid = \"a\"\ncommand = 'C:\\new\\test'\nargs = [\"a:b\\nc\", \"Q:\\n a\", \"C:\\\\new\"]\n";
    Config::parse(Path::new("x.toml"), text.as_bytes(), &|_| None).unwrap();
}

#[cfg(not(windows))]
#[test]
fn a_shell_home_folder_is_named_if_nothing_expands_it() {
    check(
        "[kernel]\nstate_dir = \"~\"\n[[servers]]\nid = \"a\"\ncommand = \"~/bin/x\"\ncwd = \"~x\"\nconfinement = { read = [\"~/notes\"] }\n",
        expect![[r#"
            2:13 "\"~\""
              kernel.state_dir: begins with ~, which only a shell replaces
              help: write "${HOME}"
            5:11 "\"~/bin/x\""
              servers[0].command: begins with ~, which only a shell replaces
              help: write "${HOME}/bin/x"
            7:25 "\"~/notes\""
              servers[0].confinement.read[0]: begins with ~, which only a shell replaces
              help: write "${HOME}/notes""#]],
    );
}

#[test]
fn a_json_file_is_recognized() {
    for text in ["{\"mcpServers\": {}}", "\u{feff}\n  {", "// mine\n{}"] {
        check(
            text,
            expect![[r#"
                1:1 ""
                  this is JSON: expected TOML
                  help: `mgp init --from mgp.toml` makes a configuration of its servers"#]],
        );
    }
}
