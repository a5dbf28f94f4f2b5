//! Commands that need tools, beside a gateway that runs with the same configuration and without one.

use crate::{
    control::serving,
    shell_server,
    support::{User, text},
};
use serde_json::json;
use std::fs;
use xtask_testing::block_until_some;

/// Creates a user of two servers that count their starts.
fn user() -> User {
    let user = User::new();
    let servers: String =
        ["a", "b"].map(|id| shell_server::table(&user, id, &format!("place_{id}"), "")).concat();
    let script = text(&user.path("server.sh"));
    user.write("server.sh", &format!("echo start >> \"$0.$1.starts\"\n{script}"));
    let path = user.own_configuration();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("[kernel]\ndefault_policy = \"opt-out\"\n{servers}")).unwrap();
    user
}

/// Returns how often each server was started.
fn starts(user: &User) -> [usize; 2] {
    ["a", "b"].map(|id| {
        let file = user.path(&format!("server.sh.place_{id}.starts"));
        fs::read_to_string(file).unwrap_or_default().lines().count()
    })
}

#[test]
fn commands_ask_the_running_gateway_and_start_no_second_server() {
    let user = user();
    let mut host = serving(&user);
    let of_gateway = shell_server::call(&mut host, 3, "look_place_a");
    let called = user.run(&["call", "look_place_a"]).succeeds();
    assert_eq!(called.stdout.trim(), of_gateway, "the same process");
    let (_, audit) = user.json(&["audit", "--type", "TOOL_EXECUTED"]);
    let by = audit["events"].as_array().unwrap().last().unwrap()["actor"].clone();
    assert_eq!(by, json!({ "type": "agent", "id": "local" }), "{audit}");
    let note = format!("asked the gateway of process {}; --fresh starts the servers anew", host.pid());
    for (args, expected) in [
        (&["tools"][..], "look_place_b"),
        (&["tools", "search", "look at place_b"], "look_place_b"),
        (&["tools", "show", "look_place_a"], "a (connected)"),
        (&["tools", "spec", "look_place_a"], "look_place_a"),
        (&["access", "explain", "local", "look_place_a"], "gates behind access control"),
    ] {
        let ended = user.run(args).succeeds();
        assert!(ended.stdout.contains(expected) && ended.stderr.contains(&note), "{args:?}: {ended:?}");
    }
    user.run(&["servers", "explain", "a"]).succeeds();
    assert_eq!(user.run(&["call", "look_place_a", "--dry-run"]).succeeds().stdout, "allowed\n");
    let unknown = user.run(&["call", "look_place_c"]).fails_with(5).stderr;
    assert!(unknown.contains("did you mean \"look_place_"), "{unknown}");
    assert_eq!(starts(&user), [1, 1]);

    let own = user.run(&["call", "look_place_a", "--fresh"]).succeeds();
    assert_ne!(own.stdout.trim(), of_gateway);
    assert_eq!(starts(&user), [2, 1], "and only the server of the tool");
}

#[test]
fn without_a_gateway_a_command_starts_only_the_needed_server() {
    let user = user();
    user.run(&["tools"]).succeeds();
    assert_eq!(starts(&user), [1, 1]);
    for (args, expected) in [
        (&["call", "look_place_a"][..], [2, 1]),
        (&["call", "b__look_place_b", "--dry-run"], [2, 2]),
        (&["tools", "show", "look_place_a"], [3, 2]),
        (&["access", "explain", "local", "look_place_a"], [4, 2]),
        (&["servers", "explain", "a"], [4, 2]),
        (&["tools", "list"], [5, 3]),
    ] {
        user.run(args).succeeds();
        assert_eq!(starts(&user), expected, "{args:?}");
    }
    // A tool that no server is known to have may be new.
    let script = text(&user.path("server.sh")).replace("look_'$1'", "gaze_'$1'");
    user.write("server.sh", &script);
    let called = user.run(&["call", "gaze_place_b"]).succeeds();
    assert!(called.stdout.starts_with("process "), "{called:?}");
    user.run(&["call", "look_place_a"]).fails_with(5);
}

#[test]
fn a_command_at_a_gateway_confirms_only_by_its_own_options() {
    let user = User::with_notes();
    let own = user.own_configuration();
    let file = text(&own).replace(r#"policy = "interactive""#, "policy = \"interactive\"\nwait_ms = 600000");
    fs::write(&own, format!("{file}\n[servers.mgp]\nconfirmation = \"always\"\n")).unwrap();
    let _host = serving(&user);
    let note = r#"{"title": "t", "text": "x"}"#;
    let refused = user.run(&["call", "add_note", note]).fails_with(4).stderr;
    assert!(refused.contains("waits for `mgp approve perm-"), "{refused}");
    user.run(&["approve", "notes", "memory.write"]).succeeds();
    // The gateway takes the decision over from the store.
    block_until_some(|| {
        let refused = user.run(&["call", "add_note", note]).fails_with(4).stderr;
        refused.contains("--yes").then_some(())
    });
    let confirmed = user.run(&["call", "add_note", note, "--yes"]).succeeds();
    assert!(!confirmed.stdout.is_empty(), "{confirmed:?}");
}
