//! A program that finds no configuration, or is told where it is.

use crate::support::{Host, User};
use serde_json::{Value, json};
use std::process::Command;
use xtask_testing::block_until_some;

fn instructions(greeting: &Value) -> String {
    greeting["result"]["instructions"].as_str().unwrap_or_default().to_owned()
}

fn listed(host: &mut Host, id: i64) -> Vec<String> {
    host.send(id, "tools/list", &json!({}));
    let tools = host.reply(id)["result"]["tools"].as_array().unwrap().clone();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_host_without_a_configuration_gets_no_tools_and_the_remedy() {
    let user = User::new();
    let (mut host, greeting) = user.greeted(user.command(&["serve", "--exposure", "full"]));
    assert_eq!(listed(&mut host, 2), Vec::<String>::new());
    let told = user.without_folder(&instructions(&greeting));
    for expected in ["`mgp init`", "~/project/mgp.toml", "~/home/.config/mgp/servers.toml", "--config"] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    // A model that is not shown instructions reads it where it looks for tools.
    host.call(3, "mgp_tools_discover", &json!({ "query": "read a file" }));
    let found = host.reply(3)["result"]["structuredContent"].clone();
    assert_eq!(found["tools"], json!([]));
    assert_eq!(found["_mgp"]["hints"], json!([instructions(&greeting)]));
    host.close();
    assert_eq!(host.end(), 0);
}

#[test]
fn the_demo_s_servers_are_available_on_request() {
    // A configuration does not stand in their way.
    for user in [User::new(), User::with_notes()] {
        let (mut host, greeting) = user.greeted(user.command(&["serve", "--demo", "--exposure", "full"]));
        let mut id = 1;
        // The list waits for a server only so long.
        block_until_some(|| {
            id += 1;
            let names = listed(&mut host, id);
            ["read_file", "run_command"]
                .iter()
                .all(|name| names.iter().any(|known| known == name))
                .then_some(())
        });
        assert!(!instructions(&greeting).contains("mgp init"), "{greeting}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_demo_keeps_its_state_apart_from_the_users() {
    let user = User::new();
    let home = user.path("../home");
    let run = |args: &[&str]| {
        let mut command = user.command(args);
        command.env_remove("MGP_STATE_DIR").env("XDG_STATE_HOME", home.join("state"));
        crate::support::ended(command, "")
    };
    let shown = run(&["--demo", "tools"]).succeeds();
    assert!(
        shown.stderr.contains("the demo keeps its state apart, in ") && shown.stderr.contains("/mgp-demo"),
        "{shown:?}"
    );
    run(&["--demo", "approve", "notes", "memory.write"]).succeeds();
    let own = run(&["approve", "--all"]).succeeds();
    assert!(!own.stdout.contains("memory.write"), "an approval is only for the demo's server: {own:?}");
    assert!(
        own.stderr.contains("questions of the demo's servers are kept apart: see `mgp --demo approve`"),
        "{own:?}"
    );
    let demo = run(&["--demo", "approve", "--all"]).succeeds();
    assert!(demo.stdout.contains("memory.write"), "{demo:?}");
}

#[test]
fn commands_without_a_configuration_have_no_servers() {
    let user = User::new();
    let servers = user.run(&["servers"]).succeeds();
    assert!(servers.stdout.contains("there are no servers"), "{servers:?}");
    let refused = user.run(&["call", "read_file", r#"{"path": "a"}"#]).fails_with(5);
    for ended in [servers, refused] {
        let told = user.without_folder(&ended.stderr);
        for expected in ["there is no configuration", "~/project/mgp.toml", "`mgp init`", "--demo"] {
            assert!(told.contains(expected), "{expected}: {told}");
        }
    }
}

#[test]
fn the_host_s_entry_that_init_prints_works_from_every_folder() {
    for place in [&["--project"][..], &[]] {
        let user = User::new();
        user.write("list.json", &user.notes_list());
        let (code, done) = user.json(&[&["init", "--from", "list.json"], place].concat());
        assert_eq!(code, 0, "{done}");
        let entry = &done["host_configuration"]["mcpServers"]["mgp"];
        let args: Vec<&str> =
            entry["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
        let elsewhere = tempfile::tempdir().unwrap();
        let mut command = Command::new(entry["command"].as_str().unwrap());
        command
            .args(&args)
            .args(["--exposure", "full"])
            .current_dir(elsewhere.path())
            .env_clear()
            .env("HOME", elsewhere.path())
            .env("MGP_STATE_DIR", user.path("state"));
        let (mut host, _) = user.greeted(command);
        let mut id = 1;
        block_until_some(|| {
            id += 1;
            listed(&mut host, id).contains(&"list_notes".to_owned()).then_some(())
        });
    }
}
