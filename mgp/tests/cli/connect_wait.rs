//! `mgp connect` after the files are written: the gateway, its servers, and the first requests of the hosts.

use crate::{
    gateway::SharingUser,
    support::{User, text},
};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Lines},
    process::{Child, ChildStdout, Command, Stdio},
};
use xtask_testing::block_until_some;

/// A user of Cursor with a server that works and one whose program does not exist.
fn user_of_cursor() -> SharingUser {
    let user = SharingUser(User::new());
    let mut list: Value = serde_json::from_str(&user.0.notes_list()).unwrap();
    list["mcpServers"]["absent"] = json!({ "command": "no-such-program" });
    let path = user.0.home(".cursor/mcp.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, list.to_string()).unwrap();
    user
}

/// A command that prints an event a line.
struct Events {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Events {
    fn of(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// Reads events up to the first with a name, and returns them.
    fn until(&mut self, name: &str) -> Vec<Value> {
        let mut events: Vec<Value> = Vec::new();
        while events.last().is_none_or(|event| event["event"] != name) {
            let line = self.lines.next().unwrap_or_else(|| panic!("no {name}: {events:?}")).unwrap();
            events.push(serde_json::from_str(&line).unwrap());
        }
        events
    }

    fn end(mut self) -> Option<i32> {
        assert_eq!(self.lines.next().map(Result::unwrap), None);
        self.child.wait().unwrap().code()
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn connect_waits_for_the_first_request_of_each_host() {
    let user = user_of_cursor();
    let mut events = Events::of(user.command(&["connect", "--yes", "--json", "--wait", "600"]));
    let before = events.until("waiting");
    assert_eq!(before[0]["hosts"][0]["state"], "connected", "{before:?}");
    let server = |id: &str| before.iter().find(|event| event["id"] == id).unwrap();
    assert_eq!((&server("notes")["state"], server("notes").get("reason")), (&json!("connected"), None));
    assert!(server("notes")["tools"].as_array().unwrap().len() > 1, "{before:?}");
    let reason = server("absent")["reason"].as_str().unwrap();
    assert!(reason.contains("no-such-program") && reason.contains("`mgp "), "{reason}");
    assert_eq!(before.last().unwrap()["hosts"], json!(["cursor"]));
    let gateway = user.gateway();

    let entry: Value = serde_json::from_str(&text(&user.0.home(".cursor/mcp.json"))).unwrap();
    let args: Vec<_> = entry["mcpServers"]["mgp"]["args"].as_array().unwrap().iter().collect();
    let args: Vec<_> = args.into_iter().map(|arg| arg.as_str().unwrap()).collect();
    let (_other, _) = user.0.greeted_by("some-host", user.command(&args));
    let other = events.until("arrived").pop().unwrap();
    assert_eq!((&other["host"], &other["name"]), (&Value::Null, &json!("some-host")));
    let (_cursor, _) = user.0.greeted_by("cursor-vscode", user.command(&args));
    let arrived = events.until("arrived").pop().unwrap();
    assert_eq!((&arrived["host"], &arrived["version"]), (&json!("cursor"), &json!("1")));
    assert_eq!(arrived["tools"], server("notes")["tools"].as_array().unwrap().len());
    assert_eq!(events.end(), Some(0));
    assert_eq!(user.gateway(), gateway, "the hosts use the gateway that was started");
}

#[test]
fn a_signal_ends_the_wait_without_an_error() {
    let user = user_of_cursor();
    for again in [false, true] {
        let mut events = Events::of(user.command(&["connect", "--yes", "--json", "--wait", "600"]));
        let before = events.until("waiting");
        let state = if again { "already_connected" } else { "connected" };
        assert_eq!(before[0]["hosts"][0]["state"], state);
        assert!(before.iter().any(|event| event["id"] == "notes"), "{before:?}");
        let pid = events.child.id().to_string();
        block_until_some(|| {
            Command::new("kill").args(["-INT", &pid]).status().unwrap().success().then_some(())
        });
        assert_eq!(events.end(), Some(0));
        user.gateway();
    }
}

#[test]
fn without_a_terminal_or_wait_no_gateway_is_started() {
    let user = user_of_cursor();
    for args in [&["connect", "--yes"][..], &["connect", "--yes", "--no-wait"]] {
        let ended = crate::support::ended(user.command(args), "").succeeds();
        assert!(!ended.stdout.contains("waiting"), "{ended:?}");
    }
    assert!(user.gateways().is_empty());
    user.0.run(&["disconnect", "--yes"]).succeeds();
    let ended = user.0.run(&["connect", "--yes"]).succeeds();
    assert!(ended.stdout.contains("Next: restart Cursor. "), "{ended:?}");
    let both = user.0.run(&["connect", "--yes", "--wait", "5", "--no-wait"]);
    assert!(both.code == 2 && both.stderr.contains("--no-wait"), "{both:?}");
}
