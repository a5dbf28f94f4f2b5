//! Edits of each format. The program's tests have many more files.

use super::{EditError, ListEdit, connect, disconnect, list_at};
use crate::mcp_servers::{Format, Host};
use expect_test::{Expect, expect};
use std::collections::BTreeSet;

fn edit(path: &str, removed: &[&str]) -> ListEdit {
    ListEdit {
        path: path.split('/').map(str::to_owned).collect(),
        removed: removed.iter().map(|name| (*name).to_owned()).collect(),
        added: Some("mgp".to_owned()),
    }
}

fn connected(host: Host, text: &str, edit: &ListEdit) -> String {
    let entry = host.entry("mgp", "/bin/mgp", &["serve".to_owned()]);
    let after = connect(host.format(), text.as_bytes(), std::slice::from_ref(edit), &entry).unwrap();
    String::from_utf8(after).unwrap()
}

#[expect(clippy::needless_pass_by_value, reason = "expect! makes a value")]
fn check(host: Host, text: &str, edit: &ListEdit, expected: Expect) {
    let after = connected(host, text, edit);
    expected.assert_eq(&after);
    // What somebody else adds at the end stays.
    let added = if host.format() == Format::Toml { "\n[later]\n" } else { "" };
    let edits = std::slice::from_ref(edit);
    let back =
        disconnect(host.format(), text.as_bytes(), format!("{after}{added}").as_bytes(), edits).unwrap();
    assert_eq!(String::from_utf8(back).unwrap(), format!("{text}{added}"));
}

#[test]
fn the_entry_takes_the_place_of_the_first_server_in_json() {
    check(
        Host::Cursor,
        "// mine\n{\n\t\"mcpServers\": {\n\t\t// first\n\t\t\"a\": {\"command\": \"a\"}, // same line\n\t\t\"b\": {},\n\t\t\"c\": {}\n\t}\n}",
        &edit("mcpServers", &["a", "b"]),
        expect![[r#"
            // mine
            {
            	"mcpServers": {
            		// first
            		"mgp": {
            			"command": "/bin/mgp",
            			"args": ["serve"]
            		},
            		"c": {}
            	}
            }"#]],
    );
}

#[test]
fn a_list_that_is_made_goes_again() {
    check(
        Host::ClaudeCode,
        "{\n  \"a\": 1\n}\n",
        &edit("projects//srv/mcpServers", &[]),
        expect![[r#"
            {
              "a": 1,
              "projects": {
                "": {
                  "srv": {
                    "mcpServers": {
                      "mgp": {
                        "type": "stdio",
                        "command": "/bin/mgp",
                        "args": ["serve"]
                      }
                    }
                  }
                }
              }
            }
        "#]],
    );
}

#[test]
fn tables_keep_their_order_and_comments_in_toml() {
    check(
        Host::Codex,
        "x = 1 # one\n\n# first\n[mcp_servers.a]\ncommand = \"a\" # a\n[mcp_servers.a.env]\nK = \"v\"\n\n# other\n[other]\ny = 2\n",
        &edit("mcp_servers", &["a"]),
        expect![[r#"
            x = 1 # one

            # first
            [mcp_servers.mgp]
            command = "/bin/mgp"
            args = ["serve"]
            startup_timeout_sec = 30

            # other
            [other]
            y = 2
        "#]],
    );
}

#[test]
fn only_the_lines_of_servers_change_in_yaml() {
    check(
        Host::Goose,
        "# mine\nextensions:\n  a: # first\n    cmd: a\n    type: stdio\n  # second\n  b: {cmd: b}\n\n  # stays\n  c:\n    type: builtin\n\n# end\nx: 1\n",
        &edit("extensions", &["a", "b"]),
        expect![[r#"
            # mine
            extensions:
              mgp:
                enabled: true
                type: stdio
                name: mgp
                cmd: "/bin/mgp"
                args: ["serve"]
                timeout: 300

              # stays
              c:
                type: builtin

            # end
            x: 1
        "#]],
    );
    check(
        Host::Continue,
        "mcpServers:\n- command: a\n  name: a\n-\n  name: b\n- name: c\n",
        &edit("mcpServers", &["b"]),
        expect![[r#"
            mcpServers:
            - command: a
              name: a
            - name: mgp
              command: "/bin/mgp"
              args: ["serve"]
            - name: c
        "#]],
    );
}

#[test]
fn servers_come_back_where_the_entry_or_the_list_is_gone() {
    let original = "{\"mcpServers\": {\"a\": {\"command\": \"a\"}, \"b\": {}}}";
    let back = |current: &str| {
        let edits = [edit("mcpServers", &["a", "b"])];
        String::from_utf8(disconnect(Format::Json, original.as_bytes(), current.as_bytes(), &edits).unwrap())
            .unwrap()
    };
    let names = |text: &str| {
        let list = list_at(Format::Json, text.as_bytes(), &["mcpServers".to_owned()]).unwrap();
        list.into_iter().map(|(name, _)| name).collect::<BTreeSet<_>>()
    };
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(names(&back("{}")), set(&["a", "b"]));
    assert_eq!(names(&back("{\"mcpServers\": {\"c\": {}}}")), set(&["a", "b", "c"]));
    // A server that somebody made again is theirs.
    let again = back("{\"mcpServers\": {\"mgp\": {}, \"b\": {\"command\": \"new\"}}}");
    assert!(names(&again) == set(&["a", "b"]) && again.contains("new"), "{again}");
    assert_eq!(names(&back("")), set(&["a", "b"]));
}

#[test]
fn broken_and_odd_files_are_errors_with_a_line() {
    let error =
        |format, text: &str| list_at(format, text.as_bytes(), &["mcpServers".to_owned()]).unwrap_err();
    for (format, text, line) in [
        (Format::StrictJson, "{\n}\n// no", 3),
        (Format::Json, "{\n'a': 1}", 2),
        (Format::Json, "{\"a\": {\n\"b\": 1,\n\"b\": 2}}", 3),
        (Format::Toml, "a = 1\na = 2", 2),
        (Format::Yaml, "a: 1\n]", 2),
        (Format::Yaml, "a: 1\na: 2\n", 2),
    ] {
        let found = error(format, text);
        assert!(matches!(found, EditError::Syntax { line: at, .. } if at == line), "{text}: {found}");
    }
    let deep = "[".repeat(100_000);
    for format in [Format::Json, Format::Toml, Format::Yaml] {
        assert!(matches!(error(format, &format!("a: {deep}")), EditError::Syntax { .. }));
    }
    assert!(matches!(error(Format::Json, "{\"mcpServers\": 1}"), EditError::Form(_)));
}

#[test]
fn every_host_has_its_own_row() {
    for host in Host::all() {
        assert_eq!(Host::with_id(host.id()), Some(host));
        let entry = host.entry("mgp", "/bin/mgp", &["serve".to_owned()]);
        assert!(entry.iter().any(|(_, value)| value.to_string().contains("/bin/mgp")), "{host:?}");
    }
}
