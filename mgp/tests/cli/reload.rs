//! A running kernel takes over changes of its configuration.

use crate::{
    shell_server::{call, end_slow_calls, table},
    support::{Host, User},
};
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    time::UNIX_EPOCH,
};
use xtask_testing::block_until_some;

/// The settings of a gateway. Their time limits only end tests that would hang.
const HEAD: &str = "[kernel]\ndefault_policy = \"opt-out\"\nexposure = \"full\"\nstart_wait_ms = 60000\nshutdown_timeout_ms = 60000\n";

/// The size of a configuration that a gateway does not notice, in bytes.
const SIZE: usize = 4096;

/// Writes the user's own configuration, which then always has the same size and the same time of its last change. So a gateway notices no
/// change by itself, and only a command or a signal has it read again.
fn configure(user: &User, text: &str) {
    let path = user.own_configuration();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let new = path.with_extension("new");
    fs::write(&new, text.to_owned() + &"\n".repeat(SIZE - text.len())).unwrap();
    File::options().write(true).open(&new).unwrap().set_modified(UNIX_EPOCH).unwrap();
    fs::rename(new, path).unwrap();
}

/// Returns a configuration of servers, each with its place.
fn servers(user: &User, head: &str, places: &[(&str, &str)]) -> String {
    let tables: String = places.iter().map(|(id, place)| table(user, id, place, "")).collect();
    format!("{head}{tables}")
}

/// The tools of servers that a host is shown.
fn shown(host: &mut Host, id: i64) -> Vec<String> {
    host.send(id, "tools/list", &json!({}));
    let listed = host.reply(id);
    let names = listed["result"]["tools"].as_array().unwrap().iter();
    let names = names.map(|tool| tool["name"].as_str().unwrap().to_owned());
    names.filter(|name| name.starts_with("look_")).collect()
}

/// Waits until a host is shown these tools.
fn shows(host: &mut Host, from: i64, tools: &[&str]) {
    let mut id = from;
    block_until_some(|| {
        id += 1;
        (shown(host, id) == tools).then_some(())
    });
}

fn reloads(user: &User) -> Vec<Value> {
    let (_, trail) = user.json(&["audit", "--type", "CONFIGURATION_RELOADED", "--last", "50"]);
    trail["events"].as_array().unwrap_or_else(|| panic!("{trail}")).clone()
}

#[test]
fn unchanged_servers_keep_their_processes_over_a_reload() {
    let user = User::new();
    configure(&user, &servers(&user, HEAD, &[("a", "one"), ("b", "two")]));
    let mut host = user.serve(&[]);
    shows(&mut host, 10, &["look_one", "look_two"]);
    let process = call(&mut host, 3, "look_one");
    configure(&user, &servers(&user, HEAD, &[("c", "three"), ("a", "one")]));
    let (code, told) = user.json(&["reload"]);
    let kernel = &told["kernels"][0];
    assert_eq!((code, &kernel["added"], &kernel["removed"]), (0, &json!(["c"]), &json!(["b"])), "{told}");
    assert_eq!((&kernel["restarted"], &kernel["needs_restart"]), (&json!([]), &json!([])), "{told}");
    shows(&mut host, 100, &["look_three", "look_one"]);
    assert_eq!(call(&mut host, 4, "look_one"), process);
    call(&mut host, 5, "look_three");
    let events = reloads(&user);
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["actor"], json!({ "type": "operator", "id": "ann" }));
    let again = user.run(&["reload"]).succeeds().stdout;
    assert!(again.contains("nothing has changed"), "{again}");
    assert_eq!(reloads(&user).len(), 1);
}

#[test]
fn a_server_with_other_settings_ends_its_calls_and_restarts() {
    let user = User::new();
    configure(&user, &servers(&user, HEAD, &[("a", "one"), ("b", "two")]));
    let mut host = user.serve(&[]);
    let before = call(&mut host, 2, "look_one");
    let beside = call(&mut host, 3, "look_two");
    host.call(4, "look_one", &json!({ "slow": true }));
    block_until_some(|| {
        (user.json(&["status"]).1["kernels"][0]["servers"][0]["in_flight"] == 1).then_some(())
    });
    let text = servers(&user, HEAD, &[("a", "one"), ("b", "two")]);
    configure(&user, &text.replacen("era = ", "max_concurrent = 3\nera = ", 1));
    let told = user.run(&["reload"]).succeeds().stdout;
    assert!(told.contains("servers restarted: a"), "{told}");
    end_slow_calls(&user);
    let slow = host.reply(4);
    assert_eq!(slow["result"]["content"][0]["text"], before, "{slow}");
    assert_ne!(call(&mut host, 5, "look_one"), before);
    assert_eq!(call(&mut host, 6, "look_two"), beside);
}

#[test]
fn a_wrong_file_changes_nothing_and_a_needed_restart_is_named() {
    let user = User::new();
    let text = servers(&user, HEAD, &[("a", "one")]);
    configure(&user, &text);
    let mut host = user.serve(&[]);
    let process = call(&mut host, 2, "look_one");
    configure(&user, &text.replace("exposure = \"full\"", "exposure = \"all\""));
    let refused = user.run(&["reload"]).fails_with(3);
    assert!(refused.stderr.contains("kernel.exposure"), "{refused:?}");
    // The command looks at the file before it asks the kernel; a hangup asks the kernel itself.
    host.signal("-HUP");
    host.says("the configuration stays as it was");
    assert_eq!(shown(&mut host, 3), ["look_one"]);
    configure(&user, &text);
    assert_eq!(reloads(&user).len(), 0);
    configure(&user, &format!("{text}\n[http]\nlisten = \"127.0.0.1:7499\"\n"));
    let told = user.run(&["reload"]).succeeds().stdout;
    assert!(told.contains("needs a restart of mgp: http.listen"), "{told}");
    assert_eq!(reloads(&user).len(), 1);
    assert_eq!(call(&mut host, 4, "look_one"), process);
}

#[test]
fn a_changed_file_and_a_hangup_are_noticed() {
    let user = User::new();
    configure(&user, &servers(&user, HEAD, &[("a", "one")]));
    let mut host = user.serve(&[]);
    shows(&mut host, 100, &["look_one"]);
    fs::write(user.own_configuration(), servers(&user, HEAD, &[("a", "one"), ("b", "two")])).unwrap();
    shows(&mut host, 200, &["look_one", "look_two"]);
    // Without a change there is nothing that the poll could notice.
    host.says("servers added: b");
    host.signal("-HUP");
    host.says("nothing has changed");
    let events = reloads(&user);
    assert!(events.iter().all(|event| event["actor"]["type"] == "kernel"), "{events:?}");
}

#[test]
fn an_option_of_the_command_line_overrides_every_file() {
    let user = User::new();
    let head = HEAD.replace("\"full\"", "\"discovery\"");
    configure(&user, &servers(&user, &head, &[("a", "one")]));
    let mut host = user.serve(&["--exposure", "full"]);
    shows(&mut host, 10, &["look_one"]);
    configure(&user, &servers(&user, &head, &[("a", "one"), ("b", "two")]));
    let (code, told) = user.json(&["reload"]);
    let kernel = &told["kernels"][0];
    assert_eq!((code, &kernel["added"], &kernel["needs_restart"]), (0, &json!(["b"]), &json!([])), "{told}");
    shows(&mut host, 100, &["look_one", "look_two"]);
}

#[test]
fn grants_and_permissions_of_the_file_are_in_force_at_once() {
    let user = User::new();
    let head = "[kernel]\nexposure = \"full\"\n[access]\ngrants = [{ agent = \"local\", server = \"a\" }]\n";
    configure(&user, &servers(&user, head, &[("a", "one")]));
    let mut host = user.serve(&[]);
    call(&mut host, 2, "look_one");
    configure(&user, &servers(&user, "[kernel]\nexposure = \"full\"\n", &[("a", "one")]));
    let told = user.run(&["reload"]).succeeds().stdout;
    assert!(told.contains("in force at once: access.grants"), "{told}");
    host.call(3, "look_one", &json!({}));
    assert!(host.reply(3)["error"]["code"].is_number());
    let needs = "permissions_required = [\"camera\"]";
    let tables = table(&user, "a", "one", needs);
    let head = format!("{head}[permissions]\npolicy = \"deny_all\"\n");
    configure(&user, &format!("{head}{tables}"));
    user.run(&["reload"]).succeeds();
    host.call(4, "look_one", &json!({}));
    let refused = host.reply(4);
    assert!(refused["error"]["message"].as_str().unwrap().contains("camera"), "{refused}");
    configure(&user, &format!("{head}[permissions.approved]\na = [\"camera\"]\n{tables}"));
    user.run(&["reload"]).succeeds();
    call(&mut host, 5, "look_one");
}

#[test]
fn a_project_s_changed_file_is_loaded_only_once_trusted() {
    for trusted_once in [false, true] {
        let user = User::new();
        user.write("mgp.toml", &servers(&user, HEAD, &[("a", "one")]));
        if !trusted_once {
            user.run(&["trust"]).succeeds();
        }
        let mut host = user.serve(if trusted_once { &["--trust"] } else { &[] });
        call(&mut host, 2, "look_one");
        user.write("mgp.toml", &servers(&user, HEAD, &[("a", "one"), ("b", "two")]));
        let refused = user.run(&["reload"]).fails_with(3);
        assert!(refused.stderr.contains("`mgp trust`"), "{refused:?}");
        // The gateway notices the file by itself.
        host.says("the configuration stays as it was");
        host.signal("-HUP");
        host.says("the configuration stays as it was");
        assert_eq!((shown(&mut host, 3), reloads(&user).len()), (vec!["look_one".to_owned()], 0));
        user.run(&["trust"]).succeeds();
        user.run(&["reload"]).succeeds();
        shows(&mut host, 100, &["look_one", "look_two"]);
    }
}
