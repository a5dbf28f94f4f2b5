//! Servers that run on demand, with real processes.

use crate::{
    shell_server,
    support::{Host, User},
};
use serde_json::{Value, json};
use std::{fs, path::Path};
use xtask_testing::block_until_some;

/// The number of servers of the large configuration.
const MANY: usize = 100;
/// The beginning of the configurations.
const HEAD: &str = "[kernel]\ndefault_policy = \"opt-out\"\nlazy = true\nstart_wait_ms = 60000\n";

/// Creates a user with lazy servers, `more` of which goes into the settings of each.
fn user_of(count: usize, more: &str) -> User {
    let user = User::new();
    let servers: String = (0..count)
        .map(|i| shell_server::table(&user, &format!("s{i}"), &format!("place{i}"), more))
        .collect();
    let path = user.own_configuration();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("{HEAD}{servers}")).unwrap();
    user
}

/// Returns the number of processes that a kernel has started and that run.
fn processes(host: &Host) -> usize {
    let parent = host.pid().to_string();
    let is_child = |folder: &Path| {
        let stat = fs::read_to_string(folder.join("stat")).ok()?;
        let (_, rest) = stat.rsplit_once(") ")?;
        let mut fields = rest.split(' ');
        let state = fields.next()?;
        (state != "Z" && fields.next()? == parent).then_some(())
    };
    fs::read_dir("/proc").unwrap().flatten().filter(|entry| is_child(&entry.path()).is_some()).count()
}

/// Returns the servers of the running kernel, as `mgp servers` shows them.
fn servers(user: &User) -> Vec<Value> {
    user.json(&["servers"]).1["servers"].as_array().unwrap().clone()
}

/// Starts a kernel once, so that it learns the tools of all its servers.
fn learnt(user: &User) {
    let mut host = user.serve(&[]);
    block_until_some(|| servers(user).iter().all(|server| server["on_demand"] == true).then_some(()));
    // A server is on demand again as soon as it begins to end.
    block_until_some(|| (processes(&host) == 0).then_some(()));
    host.close();
    assert_eq!(host.end(), 0);
}

#[test]
fn a_hundred_lazy_servers_use_no_process_and_are_searchable() {
    let user = user_of(MANY, "");
    learnt(&user);
    let mut host = user.serve(&["--exposure", "full"]);
    host.send(2, "tools/list", &json!({}));
    let listed = host.reply(2);
    let tools = listed["result"]["tools"].as_array().unwrap();
    let ours = tools.iter().filter(|tool| tool["name"].as_str().unwrap().starts_with("look_place"));
    assert_eq!(ours.count(), MANY, "{listed}");
    host.call(3, "mgp_tools_discover", &json!({ "query": "look at place77" }));
    let found = host.reply(3).to_string();
    assert!(found.contains("look_place77"), "{found}");
    assert_eq!(processes(&host), 0);
    assert!(shell_server::call(&mut host, 4, "look_place77").starts_with("process "));
    assert_eq!(processes(&host), 1);
}

#[test]
fn an_idle_server_is_shown_so_and_restarted_by_its_next_call() {
    let user = user_of(1, "idle_timeout_secs = 1");
    learnt(&user);
    let mut host = user.serve(&[]);
    block_until_some(|| (servers(&user)[0]["state"] == "registered").then_some(()));
    let shown = user.run(&["servers"]).succeeds().stdout;
    assert!(shown.contains("not started yet") && shown.contains("(lazy)"), "{shown}");
    let first = shell_server::call(&mut host, 2, "look_place0");
    block_until_some(|| (servers(&user)[0]["state"] == "disconnected").then_some(()));
    block_until_some(|| (processes(&host) == 0).then_some(()));
    let shown = user.run(&["status"]).succeeds().stdout;
    assert!(shown.contains(" idle ") && shown.contains("nothing used it for 1s"), "{shown}");
    // While the call runs, the server is not idle.
    host.call(3, "mgp_tools_call", &json!({ "name": "look_place0", "arguments": { "slow": true } }));
    block_until_some(|| Some(processes(&host)).filter(|count| *count > 0));
    assert_eq!(processes(&host), 1);
    shell_server::end_slow_calls(&user);
    let second = host.reply(3);
    assert_ne!(second["result"]["content"][0]["text"], first, "{second}");
    assert!(second["result"]["content"][0]["text"].as_str().unwrap().starts_with("process "), "{second}");
}

#[test]
fn a_list_of_another_command_is_not_used() {
    let user = user_of(1, "");
    learnt(&user);
    let path = user.own_configuration();
    let other = fs::read_to_string(&path).unwrap().replace("place0", "other0");
    fs::write(&path, other).unwrap();
    let mut host = user.serve(&["--exposure", "full"]);
    host.send(2, "tools/list", &json!({}));
    let listed = host.reply(2).to_string();
    assert!(listed.contains("look_other0") && !listed.contains("look_place0"), "{listed}");
}
