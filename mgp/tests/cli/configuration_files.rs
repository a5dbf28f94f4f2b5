//! `mgp config`: the files of the configuration are shown, checked and replaced.

use crate::{
    shell_server::table,
    support::{User, text},
};
use serde_json::{Value, json};
use std::fs;

/// A configuration that needs no server.
const FILE: &str = "[kernel]\nagent = \"ann\"\n";

fn shown(user: &User, more: &[&str]) -> Value {
    let (code, shown) = user.json(&[&["config", "show"], more].concat());
    assert_eq!(code, 0, "{shown}");
    shown["files"][0].clone()
}

/// Runs a command of `mgp config` with a text.
fn with_text(user: &User, args: &[&str], text: &str) -> (i32, Value) {
    let ended = user.run_with(&[&["--json", "config"], args, &["--from-stdin"]].concat(), text);
    let json = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    (ended.code, json)
}

#[test]
fn a_file_is_shown_with_its_problems_and_without_its_keys() {
    let user = User::new();
    let none = user.run(&["config", "show"]).fails_with(5);
    assert!(
        none.stderr.contains("there is no configuration") && none.stderr.contains("mgp init"),
        "{none:?}"
    );
    let named = user.run(&["config", "show", "--config", "other.toml"]).fails_with(5);
    assert!(named.stderr.contains("mgp init --config"), "{named:?}");
    user.run(&["config", "show", "--demo"]).fails_with(5);

    let server = "[[servers]]\nid = \"a\"\ncommand = \"sh\"\nenv = { API_KEY = \"hunter2\" }\n";
    let whole = format!("{FILE}{server}");
    user.write("mgp.toml", &whole);
    let file = shown(&user, &[]);
    assert_eq!(
        (&file["name"], &file["text"], &file["writable"]),
        (&json!("configuration"), &json!(whole), &json!(true))
    );
    let problem = file["problems"][0]["message"].as_str().unwrap();
    assert!(problem.contains("never trusted"), "{file}");
    user.run(&["trust"]).succeeds();
    let file = shown(&user, &["--masked"]);
    assert_eq!(file["problems"], json!([]));
    assert_eq!(file["text"], json!(whole.replace("hunter2", "***")));
    assert_eq!(file["sha256"], shown(&user, &[])["sha256"]);

    user.write("mgp.toml", "[kernel]\nagents = \"ann\"\n");
    let file = shown(&user, &["--trust"]);
    assert_eq!(
        (&file["problems"][0]["line"], &file["problems"][0]["column"]),
        (&json!(2), &json!(1)),
        "{file}"
    );
    let printed = user.run(&["config", "show", "--trust"]).succeeds();
    assert!(
        printed.stdout == "[kernel]\nagents = \"ann\"\n" && printed.stderr.contains("mgp.toml:2:1: "),
        "{printed:?}"
    );
}

#[test]
fn a_text_is_checked_and_not_written() {
    let user = User::new();
    user.write("mgp.toml", FILE);
    user.run(&["trust"]).succeeds();
    let (code, same) = with_text(&user, &["check"], FILE);
    assert_eq!((code, &same["difference"], &same["sha256"]), (0, &json!([]), &shown(&user, &[])["sha256"]));
    let (code, other) = with_text(
        &user,
        &["check"],
        &format!("{}{}", FILE.replace("ann", "bob"), table(&user, "a", "one", "")),
    );
    assert_eq!((code, &other["problems"]), (0, &json!([])), "{other}");
    assert_eq!(
        (&other["change"]["added"], &other["change"]["needs_restart"]),
        (&json!(["a"]), &json!(["kernel.agent"]))
    );
    let lines = other["difference"].as_array().unwrap();
    assert!(
        lines.contains(&json!("-agent = \"ann\"")) && lines.contains(&json!("+agent = \"bob\"")),
        "{other}"
    );

    let (code, wrong) = with_text(&user, &["check"], "[kernel]\nagent = 1\n");
    assert_eq!(
        (code, &wrong["change"], &wrong["problems"][0]["line"]),
        (3, &Value::Null, &json!(2)),
        "{wrong}"
    );
    assert_eq!(text(&user.path("mgp.toml")), FILE);
    let no_text = user.run(&["config", "check"]).fails_with(2);
    assert!(no_text.stderr.contains("--from-stdin"), "{no_text:?}");
    let long =
        user.run_with(&["config", "check", "--from-stdin"], &"#".repeat(1024 * 1024 + 1)).fails_with(2);
    assert!(long.stderr.contains("longer than 1048576 bytes"), "{}", long.stderr);
    user.run_with(&["config", "check", "--from-stdin", "--file", "policy"], "").fails_with(5);
}

#[test]
fn a_file_is_replaced_only_as_it_was_read_and_checked() {
    let user = User::new();
    user.write("mgp.toml", FILE);
    user.run(&["trust"]).succeeds();
    let read = shown(&user, &[])["sha256"].as_str().unwrap().to_owned();
    let new = FILE.replace("ann", "bob");
    let checked = with_text(&user, &["check"], &new).1["sha256"].as_str().unwrap().to_owned();
    let (expect, checked) = (format!("--expect={read}"), format!("--checked={checked}"));

    let (code, error) = with_text(&user, &["write", &expect, &format!("--checked={read}")], &new);
    assert_eq!((code, error["error"]["kind"].as_str()), (2, Some("usage")), "{error}");
    let (code, error) = with_text(&user, &["write", &expect], "[kernel]\nagent = 1\n");
    assert_eq!((code, &error["error"]["problems"][0]["line"]), (3, &json!(2)), "{error}");
    let (code, error) = with_text(&user, &["write", "--expect=00"], &new);
    assert_eq!(code, 2, "{error}");
    assert_eq!(text(&user.path("mgp.toml")), FILE);

    let (code, written) = with_text(&user, &["write", &expect, &checked], &new);
    assert_eq!((code, &written["kernels"]), (0, &json!([])), "{written}");
    assert_eq!(text(&user.path("mgp.toml")), new);
    // The new content is trusted like the old one.
    assert_eq!(shown(&user, &[])["problems"], json!([]));
    assert_eq!(shown(&user, &[])["sha256"], written["sha256"]);

    let (code, error) = with_text(&user, &["write", &expect], FILE);
    let message = error["error"]["message"].as_str().unwrap();
    assert!(code == 3 && message.contains("has changed since it was read"), "{error}");
    assert_eq!(text(&user.path("mgp.toml")), new);
}

#[test]
fn a_replaced_file_is_taken_over_by_the_running_gateway() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let user = User::new();
    let own = user.own_configuration();
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    let real = own.with_file_name("real.toml");
    fs::write(&real, format!("{FILE}start_wait_ms = 60000\n{}", table(&user, "a", "one", ""))).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.toml", &own).unwrap();
    let host = user.serve(&[]);
    let read = shown(&user, &[]);
    let new = format!("{}{}", read["text"].as_str().unwrap(), table(&user, "b", "two", ""));
    let expect = format!("--expect={}", read["sha256"].as_str().unwrap());
    let (code, written) = with_text(&user, &["write", &expect], &new);
    assert_eq!(code, 0, "{written}");
    assert_eq!((&written["kernels"][0]["pid"], &written["refused"]), (&json!(host.pid()), &Value::Null));
    let status = user.json(&["status"]).1;
    let servers = status["kernels"][0]["servers"].as_array().unwrap();
    assert!(servers.iter().any(|server| server["id"] == "b"), "{status}");
    assert!(own.symlink_metadata().unwrap().is_symlink());
    assert_eq!((text(&real), real.metadata().unwrap().permissions().mode() & 0o777), (new, 0o640));
}

#[cfg(feature = "cedar")]
#[test]
fn a_policy_file_is_a_file_of_the_configuration() {
    let user = User::new();
    user.write("mgp.toml", "[access]\npolicy_file = \"access.cedar\"\n");
    user.write("access.cedar", "permit(principal, action, resource);\n");
    let untrusted = user.json(&["config", "show"]).1;
    assert_eq!(untrusted["files"].as_array().unwrap().len(), 1, "{untrusted}");
    user.run(&["trust"]).succeeds();
    let files = user.json(&["config", "show"]).1["files"].clone();
    assert_eq!((&files[1]["name"], &files[1]["problems"]), (&json!("policy"), &json!([])), "{files}");
    let wrong = "permit(principal, action, resource);\nforbid(principal, action);\n";
    let (code, checked) = with_text(&user, &["check", "--file=policy"], wrong);
    assert_eq!((code, &checked["problems"][0]["line"]), (3, &json!(2)), "{checked}");
    let right = "forbid(principal, action, resource);\n";
    let (_, checked) = with_text(&user, &["check", "--file=policy"], right);
    assert_eq!(checked["change"]["applied"], json!(["access.policy_file"]), "{checked}");
    let expect = format!("--expect={}", files[1]["sha256"].as_str().unwrap());
    let (code, written) = with_text(&user, &["write", "--file=policy", &expect], right);
    assert_eq!((code, text(&user.path("access.cedar"))), (0, right.to_owned()), "{written}");
    assert_eq!(user.json(&["config", "show"]).1["files"][1]["problems"], json!([]));
    // The configuration is not one if the policies name other servers than it has.
    let (_, checked) = with_text(&user, &["check"], "[access]\npolicy_file = \"none.cedar\"\n");
    assert_eq!(checked["problems"][0]["line"], json!(2), "{checked}");
}
