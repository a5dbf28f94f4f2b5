//! Commands as tools, under the names that the operator gives them.

use crate::support::User;
use serde_json::{Value, json};

const CONFIG: &str = r#"
[kernel]
default_policy = "opt-out"

[[servers]]
id = "tools"
commands = [
  { name = "print", description = "Prints a text", argv = ["echo", "-n", "--", "{text}", "{mark}"], read_only = true, arguments = { text = { type = "string" }, mark = { type = "string" } } },
  { name = "fail", description = "Fails", argv = ["sh", "-c", "echo no >&2; exit 4"], read_only = true },
]

[[servers.tools]]
name = "print"
rename = "say"
arguments = { mark = "${MARK}" }
"#;

#[test]
fn a_command_is_called_by_its_new_name_with_fixed_arguments() {
    let user = User::new();
    user.write("mgp.toml", CONFIG);
    let run = |args: &[&str]| {
        let mut command = user.command(&[&["--trust"], args].concat());
        command.env("MARK", "hush");
        crate::support::ended(command, "")
    };
    let said = run(&["call", "say", r#"{"text": "-a; b"}"#]).succeeds().stdout;
    assert!(said.contains("-a; b hush"), "{said}");
    for (args, expected) in [
        (&["call", "say", r#"{"text": "a", "mark": "b"}"#][..], "\"mark\" is set by the operator"),
        (&["call", "print", r#"{"text": "a"}"#], "unknown tool"),
        (&["call", "fail"], "exit status: 4: no"),
    ] {
        let failed = run(args).stderr;
        assert!(failed.contains(expected) && !failed.contains("hush"), "{args:?}: {failed}");
    }
    let shown = run(&["tools", "show", "say"]).succeeds().stdout;
    for part in ["renamed from \"print\"", "the argument \"mark\", which is fixed", "servers[].tools"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("hush"), "{shown}");
    let raw: Value =
        serde_json::from_str(&run(&["tools", "show", "say", "--raw"]).succeeds().stdout).unwrap();
    assert_eq!(
        (&raw["name"], &raw["inputSchema"]["properties"]["mark"]),
        (&json!("print"), &json!({"type": "string"}))
    );
}
