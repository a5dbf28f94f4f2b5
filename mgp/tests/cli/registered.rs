//! Servers that are registered beside the configuration, by the operator and while kernels run.

use crate::support::User;
use serde_json::json;
use std::{
    io::{BufRead, BufReader},
    process::{Child, Stdio},
};
use xtask_testing::block_until_some;

const PROGRAM: &str = env!("CARGO_BIN_EXE_mgp");

impl User {
    /// Registers one more server of notes.
    pub(crate) fn add_notes(&self, id: &str) {
        self.run(&[
            "servers",
            "add",
            id,
            "--reason",
            "a trial",
            "--",
            PROGRAM,
            "embedded-server",
            "notes",
            "--db",
            // In its private folder, the only one that it may write.
            "notes.sqlite3",
        ])
        .succeeds();
    }
}

#[test]
fn a_running_kernel_starts_added_and_stops_removed_servers() {
    let user = User::with_notes();
    let mut host = user.serve(&["--exposure", "full"]);
    let mut id = 1;
    let mut names = || {
        id += 1;
        host.send(id, "tools/list", &json!({}));
        host.reply(id)["result"]["tools"].to_string()
    };
    assert!(!names().contains("extra__list_notes"));
    user.add_notes("extra");
    let warned = user.run(&["access", "grant", "local", "extra"]).succeeds();
    assert!(!warned.stderr.contains("no server"), "{warned:?}");
    block_until_some(|| names().contains("extra__list_notes").then_some(()));
    // A command of its own sees it as well.
    let extra = block_until_some(|| {
        let (_, servers) = user.json(&["servers"]);
        let mut all = servers["servers"].as_array().unwrap().iter();
        // Its tools are there a moment before it counts as connected.
        all.find(|server| server["id"] == "extra" && server["state"] == "connected").cloned()
    });
    assert_eq!((&extra["trust_level"], &extra["registered"]), (&json!("sandboxed"), &json!(true)));
    user.run(&["access", "query", "local", "extra"]).succeeds();
    user.run(&["servers", "remove", "extra"]).succeeds();
    block_until_some(|| (!names().contains("extra__list_notes")).then_some(()));
    // What was granted to it went with it.
    let (code, gone) = user.json(&["access", "explain", "local", "extra", "--rules"]);
    assert!(code == 4 && !gone["rules"].to_string().contains("extra"), "{gone}");
    host.close();
    assert_eq!(host.end(), 0);
    let (_, trail) = user.json(&["audit", "--server", "extra", "--last", "100"]);
    let events: Vec<_> = trail["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| (event["event_type"].as_str().unwrap(), event["actor"]["id"].as_str().unwrap()))
        .collect();
    assert!(events.contains(&("dev.cloto.mgp.SERVER_REGISTERED", "ann")), "{events:?}");
    assert!(events.contains(&("dev.cloto.mgp.SERVER_DEREGISTERED", "ann")), "{events:?}");
    assert!(events.contains(&("ACCESS_REVOKED", "kernel")), "{events:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn the_rights_of_a_server_are_explained_with_reasons() {
    let user = User::with_notes();
    user.add_notes("extra");
    let text = user.run(&["servers", "explain", "extra"]).succeeds().stdout;
    for part in [
        "extra is confined (require): the server is sandboxed",
        "network: none (permission network.outbound is not",
        "\nby: Landlock ABI ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (_, extra) = user.json(&["servers", "explain", "extra"]);
    let private =
        extra["files"].as_array().unwrap().iter().find(|file| file["path"] == extra["private_folder"]);
    assert_eq!(private.unwrap()["access"], "read, write");
    let state = extra["files"].as_array().unwrap().iter().find(|file| file["access"] == "none").unwrap();
    assert_eq!(state["reason"], "the gateway's own state or configuration");
    let is_config =
        |file: &&serde_json::Value| file["path"].as_str().unwrap().ends_with("/.config/mgp/servers.toml");
    assert_eq!(extra["files"].as_array().unwrap().iter().find(is_config).unwrap()["access"], "none");
    let text = user.run(&["servers", "explain", "notes"]).succeeds().stdout;
    assert!(text.starts_with("notes is not confined: the server is not sandboxed"), "{text}");
    assert!(text.contains("\nconfinement: none: the server and all that it starts may do"), "{text}");
    assert!(text.contains("`confinement.mode = \"require\"` in its table"), "{text}");
    assert!(text.contains("A validator is advice, and confinement is the wall"), "{text}");
    assert!(text.ends_with("\nlimits: none\n"), "{text}");
    user.run(&["servers", "explain", "nobody"]).fails_with(5);
}

#[test]
fn permissions_that_a_server_declares_are_requested_when_added() {
    let user = User::with_notes();
    let added =
        user.run(&["servers", "add", "cam", "--permission", "camera", "--", "no-such-program"]).succeeds();
    assert!(
        added.stdout.contains("it waits for camera: `mgp approve cam` approves all of them"),
        "{added:?}"
    );
    let (_, open) = user.json(&["approve"]);
    assert!(open.to_string().contains("\"camera\""), "{open}");
    let approved = user.run(&["approve", "cam"]).succeeds().stdout;
    assert!(approved.contains("camera is approved"), "{approved}");
}

#[test]
fn a_dry_run_checks_a_server_and_registers_nothing() {
    let user = User::with_notes();
    let add = ["servers", "add", "cam", "--dry-run", "--permission", "camera", "--env", "KEY=secret"];
    let command = ["--", "uvx", "a-camera"];
    let planned = user.run(&[&add[..], &command].concat()).succeeds().stdout;
    for expected in [
        "cam would be registered, and sandboxed",
        "runs: uvx a-camera",
        "sets the variables KEY",
        "loads a package",
        "would wait for camera",
        "nothing was written",
    ] {
        assert!(planned.contains(expected), "{expected}: {planned}");
    }
    assert!(!planned.contains("secret"), "{planned}");
    let (_, planned) = user.json(&[&add[..], &command].concat());
    assert_eq!((&planned["written"], &planned["created_at"]), (&json!(false), &json!(null)), "{planned}");
    assert_eq!((&planned["runs"], &planned["waits_for"]), (&json!("uvx a-camera"), &json!(["camera"])));
    for (args, expected) in
        [(&["add", "notes"][..], "is there already"), (&["add", "a b"], "is not a server id")]
    {
        let refused = user.run(&[&["servers"], args, &["--dry-run", "--", "x"]].concat());
        assert!(refused.code != 0 && refused.stderr.contains(expected), "{refused:?}");
    }
    assert_eq!(user.json(&["approve"]).1["permissions"], json!([]), "nobody is asked");
    assert_eq!(user.json(&["audit"]).1["events"], json!([]), "nothing is recorded");
    user.run(&["servers", "remove", "cam"]).fails_with(5);
    let (_, added) = user.json(&[&["servers", "add", "cam"], &command[..]].concat());
    assert_eq!((&added["written"], added["created_at"].is_string()), (&json!(true), true), "{added}");
}

#[test]
#[cfg(unix)]
fn a_shim_and_a_missing_program_are_remarked() {
    let user = User::with_notes();
    let shim = user.home(".pyenv/shims/python9");
    std::fs::create_dir_all(shim.parent().unwrap()).unwrap();
    std::fs::copy("/bin/sh", &shim).unwrap();
    let (shim, add) = (shim.display().to_string(), ["servers", "add", "py", "--dry-run", "--"]);
    let planned = user.run(&[&add[..], &[&shim, "server.py"]].concat()).succeeds().stdout;
    assert!(planned.contains("`pyenv which python9` prints"), "{planned}");
    let (_, missing) = user.json(&[&add[..], &["mgp-none"]].concat());
    assert_eq!(missing["remarks"], json!(["its program mgp-none is not found in the PATH of this command"]));
    let (_, usual) = user.json(&[&add[..], &["sh"]].concat());
    assert_eq!(usual["remarks"], json!([]), "{usual}");
}

#[test]
#[cfg(target_os = "linux")]
fn an_added_package_runner_may_only_load_its_package() {
    let user = User::with_notes();
    let added = user.run(&["servers", "add", "try", "--", "uvx", "some-server"]).succeeds().stdout;
    assert!(added.contains("it may reach the registries of npm and PyPI"), "{added}");
    let (_, explained) = user.json(&["servers", "explain", "try"]);
    let may = explained["network"]["may"].as_str().unwrap();
    assert!(may.contains("pypi.org:443") && !may.contains('*'), "{explained}");
    assert_eq!(explained["network"]["reason"], "its command loads a package from a registry and starts it");
    // Any other program reaches nothing.
    let other = user.run(&["servers", "add", "other", "--", "sh", "uvx"]).succeeds().stdout;
    assert!(!other.contains("registries"), "{other}");
    assert_eq!(user.json(&["servers", "explain", "other"]).1["network"]["may"], "none");
}

#[test]
fn impossible_additions_and_removals_are_reported() {
    let user = User::with_notes();
    for (args, code, expected) in [
        (&["add", "notes", "--", "x"][..], 1, "is there already"),
        (&["add", "a b", "--", "x"], 2, "id: \"a b\" is not a server id"),
        (&["add", "a", "--url", "ftp://x"], 2, "url: a URL of scheme"),
        (&["add", "a", "--env", "K=${HOME}", "--", "x"], 2, "env.K: holds"),
        (&["add", "a", "--env", "K", "--", "x"], 2, "expected NAME=VALUE"),
        (&["add", "a", "--env", "K=1", "--env", "K=2", "--", "x"], 2, "twice"),
        (&["add", "a", "--permission", "shel", "--", "x"], 2, "mgp.permissions_required[0]"),
        (&["add", "a"], 2, "--url"),
        (&["add", "a", "--url", "http://127.0.0.1:1", "--", "x"], 2, "cannot be used with"),
        (&["remove", "notes"], 4, "stands in the configuration"),
        (&["remove", "nobody"], 5, "no server \"nobody\" is registered"),
    ] {
        let ended = user.run(&[&["servers"], args].concat()).fails_with(code);
        assert!(ended.stderr.contains(expected), "{args:?}: {ended:?}");
    }
    let configured = user.run(&["servers", "add", "notes", "--", "x"]).fails_with(1).stderr;
    assert!(
        configured.contains("help: change it in ") && configured.contains("servers.toml"),
        "{configured}"
    );
    user.add_notes("extra");
    let registered = user.run(&["servers", "add", "extra", "--", "x"]).fails_with(1).stderr;
    assert!(registered.contains("`mgp servers remove extra`"), "{registered}");
}

/// A program that ends with its test, however that ends.
struct ProgramGuard(Child);

impl Drop for ProgramGuard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_watch_shows_each_change_of_state_until_it_is_interrupted() {
    let user = User::with_notes();
    let mut watch = user.command(&["--json", "servers", "--watch"]);
    let watch = watch.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut watch = ProgramGuard(watch);
    let mut lines = BufReader::new(watch.0.stdout.take().unwrap()).lines();
    let mut seen = Vec::new();
    let mut until = |id: &str, state: &str| {
        loop {
            let line = lines.next().expect("it goes on").unwrap();
            let line: serde_json::Value = serde_json::from_str(&line).unwrap();
            assert!(line["timestamp"].is_string(), "{line}");
            seen.push(line.clone());
            if line["server_id"] == id && line["new_state"] == state {
                return;
            }
        }
    };
    until("notes", "connected");
    user.add_notes("extra");
    until("extra", "connected");
    user.run(&["servers", "remove", "extra"]).succeeds();
    until("extra", "disconnected");
    assert!(
        seen.iter().any(|line| line["server_id"] == "extra" && line["new_state"] == "draining"),
        "{seen:?}"
    );
    #[cfg(unix)]
    {
        let pid = watch.0.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        assert_eq!(block_until_some(|| watch.0.try_wait().unwrap()).code(), Some(0));
    }
}

#[test]
fn an_agent_s_request_is_queued_and_registered_once_approved() {
    let user = User::with_notes();
    let mut host = user.serve(&["--exposure", "full"]);
    let asked = json!({
        "id": "wanted", "transport": "stdio", "command": PROGRAM,
        "args": ["embedded-server", "notes", "--db", "notes.sqlite3"], "env": {"KEY": "value"},
    });
    host.send(2, "mgp/discovery/register", &asked);
    let refused = host.reply(2)["error"]["message"].as_str().unwrap().to_owned();
    let (_, open) = user.json(&["approve"]);
    let row = &open["servers"][0];
    let id = row["request_id"].as_str().unwrap();
    assert!(refused.contains(&format!("`mgp approve {id}`")), "{refused}");
    assert_eq!((&row["server_id"], &row["asked_for"]["env"]), (&json!("wanted"), &json!({"KEY": "value"})));
    let listed = user.run(&["approve"]).succeeds().stdout;
    for part in ["wanted (new; it would be sandboxed)", "embedded-server", r#""KEY":"value""#] {
        assert!(listed.contains(part), "{part} in {listed}");
    }
    user.run(&["approve", id, "--always"]).fails_with(2);
    user.run(&["approve", id, "--deny"]).succeeds();
    host.send(3, "mgp/discovery/register", &asked);
    assert!(host.reply(3)["error"]["message"].as_str().unwrap().contains("--revoke"));
    user.run(&["approve", id, "--revoke"]).succeeds();
    host.send(4, "mgp/discovery/register", &asked);
    host.reply(4);
    let approved = user.run(&["approve", id]).succeeds().stdout;
    assert!(approved.contains("wanted is registered"), "{approved}");
    user.run(&["approve", id]).fails_with(5);
    let known = || user.json(&["servers"]).1["servers"].to_string().contains("\"wanted\"");
    block_until_some(|| known().then_some(()));
    host.close();
    assert_eq!(host.end(), 0);
}

#[test]
fn the_first_decision_on_a_requested_server_stands() {
    let user = User::with_notes();
    let mut host = user.serve(&["--exposure", "full"]);
    let mut message = 1;
    let mut ask = || {
        message += 1;
        let args = ["embedded-server", "notes", "--db", "notes.sqlite3"];
        let asked = json!({"id": "wanted", "transport": "stdio", "command": PROGRAM, "args": args});
        host.send(message, "mgp/discovery/register", &asked);
        host.reply(message);
        user.json(&["approve"]).1["servers"][0]["request_id"].as_str().unwrap().to_owned()
    };
    let id = ask();
    user.run(&["approve", &id, "--open", "--deny"]).succeeds();
    for second in [&["approve", &id, "--open"][..], &["approve", &id, "--open", "--deny"]] {
        let late = user.run(second).fails_with(1).stderr;
        assert!(late.contains("is no longer open: it was denied by ann"), "{late}");
        assert!(late.contains(&format!("`mgp approve {id} --revoke`")), "{late}");
    }
    user.run(&["approve", &id, "--revoke"]).succeeds();
    let id = ask();
    user.run(&["approve", &id, "--open"]).succeeds();
    let late = user.run(&["approve", &id, "--open", "--deny"]).fails_with(1).stderr;
    assert!(late.contains("is no longer open: it was approved by ann at "), "{late}");
    user.run(&["approve", &id]).fails_with(5);
}

#[test]
fn a_request_for_a_server_is_found_by_the_beginning_of_its_id() {
    let user = User::with_notes();
    let mut host = user.serve(&[]);
    let asked = json!({"id": "wanted", "transport": "stdio", "command": "no-such-program", "args": []});
    host.send(2, "mgp/discovery/register", &asked);
    host.reply(2);
    let open = user.json(&["approve"]).1;
    let id = open["servers"][0]["request_id"].as_str().unwrap();
    let refused = user.run(&["approve", &id[.."reg-".len() + 4]]).fails_with(2).stderr;
    assert!(refused.contains("is too short to mean"), "{refused}");
    let denied = user.run(&["approve", &id[.."reg-".len() + 13], "--deny"]).succeeds().stdout;
    assert!(denied.contains("wanted is denied to"), "{denied}");
}

#[test]
fn a_server_with_a_code_injecting_variable_is_not_added() {
    let user = User::new();
    for (variable, expected) in [
        ("LD_PRELOAD=/tmp/x.so", "env.LD_PRELOAD: makes programs run other code"),
        ("NODE_OPTIONS=--require=/tmp/x.js", "env.NODE_OPTIONS: makes programs run other code"),
        ("KEY=a\nNODE_OPTIONS=b", "env.KEY: holds a line break"),
        ("A\nB=1", "is not a variable name"),
    ] {
        let refused = user.run(&["servers", "add", "x", "--env", variable, "--", "sh"]).fails_with(2);
        assert!(refused.stderr.contains(expected), "{variable}: {refused:?}");
    }
    user.run(&["servers", "add", "x", "--env", "KEY=a=b", "--", "sh"]).succeeds();
}

#[test]
fn a_server_is_found_by_the_unique_beginning_of_its_id() {
    let user = User::with_notes();
    let explained = user.json(&["servers", "explain", "not"]).1;
    assert_eq!(explained["id"], "notes", "{explained}");
    user.run(&["servers", "add", "notebook", "--url", "http://127.0.0.1:1"]).succeeds();
    let unclear = user.run(&["servers", "explain", "not"]).fails_with(5).stderr;
    assert!(unclear.contains("no server \"not\""), "{unclear}");
}
