//! A server whose process several running kernels share.

use crate::{
    shell_server,
    support::{Host, User},
};
use serde_json::{Value, json};
use std::{fs, path::Path};
use xtask_testing::block_until_some;

/// Creates a user with one shared server.
fn user() -> User {
    let user = User::new();
    let table = shell_server::table(&user, "s", "here", "shared = true\nbackoff_base_ms = 50");
    let path = user.own_configuration();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("[kernel]\ndefault_policy = \"opt-out\"\n{table}")).unwrap();
    user
}

/// Starts a kernel whose servers are up.
fn serving(user: &User) -> Host {
    let mut host = user.serve(&["--exposure", "full"]);
    host.send(2, "tools/list", &json!({}));
    host.reply(2);
    host
}

/// Returns whether a process of the server runs, by what its tool says.
fn runs(process: &str) -> bool {
    let pid = process.strip_prefix("process ").unwrap();
    let stat = fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// Returns the parts of kernels in the process, by their own processes: true for the owner.
fn owners(user: &User) -> Vec<(u64, bool)> {
    let (_, told) = user.json(&["status"]);
    let kernels = told["kernels"].as_array().unwrap();
    let part =
        |kernel: &Value| Some((kernel["pid"].as_u64()?, kernel["servers"][0]["shared"]["owner"].as_bool()?));
    kernels.iter().filter_map(part).collect()
}

/// Calls the tool of the server until it answers, and returns the process that it says.
fn process(host: &mut Host) -> String {
    block_until_some(|| {
        host.call(3, "look_here", &json!({}));
        host.reply(3)["result"]["content"][0]["text"].as_str().map(str::to_owned)
    })
}

#[test]
fn running_kernels_share_one_process_and_name_its_owner() {
    let user = user();
    let (mut one, mut other) = (serving(&user), serving(&user));
    let found = [process(&mut one), process(&mut other)];
    assert_eq!(found[0], found[1]);
    for command in ["status", "servers"] {
        let shown = user.run(&[command]).succeeds().stdout;
        let owner = format!("connected, shared: owner {}", one.pid());
        assert!(shown.contains(&owner) && shown.contains("connected, shared with 1 gateway"), "{shown}");
    }
    // A restart is the owner's, and the other kernel follows.
    user.run(&["servers", "restart", "s"]).succeeds();
    let next = [process(&mut one), process(&mut other)];
    assert_eq!(next[0], next[1]);
    assert_ne!(next[0], found[0]);
    assert!(!runs(&found[0]) && runs(&next[0]));
    let refused = user.run(&["servers", "restart", "s", "--pid", &other_than_owner(&user).to_string()]);
    assert!(
        refused.code == 1 && refused.stderr.contains("its process belongs to the gateway of"),
        "{refused:?}"
    );
    for mut host in [one, other] {
        host.close();
        assert_eq!(host.end(), 0);
    }
    block_until_some(|| (!runs(&next[0])).then_some(()));
}

/// Returns the process of a kernel that is a guest.
fn other_than_owner(user: &User) -> u64 {
    block_until_some(|| owners(user).into_iter().find(|(_, owner)| !owner)).0
}

#[test]
fn a_guest_continues_with_its_own_process_after_a_killed_owner() {
    let user = user();
    let (owner, mut guest) = (serving(&user), serving(&user));
    let first = process(&mut guest);
    assert_eq!(owners(&user).iter().filter(|(_, owner)| *owner).count(), 1);
    owner.signal("-KILL");
    owner.end();
    let next = process(&mut guest);
    assert!(next != first && runs(&next), "{first}, {next}");
    block_until_some(|| (!runs(&first)).then_some(()));
    let mut third = serving(&user);
    assert_eq!(process(&mut third), next);
    assert_eq!(owners(&user), {
        let mut expected = vec![(u64::from(guest.pid()), true), (u64::from(third.pid()), false)];
        expected.sort_unstable();
        expected
    });
}
