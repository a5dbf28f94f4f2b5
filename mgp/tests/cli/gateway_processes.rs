//! The processes behind the gateway: those that hosts share, and those of single sessions.

use crate::{
    gateway::{SharingUser, leave, runs},
    shell_server::{self, call},
    support::Host,
};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
};
use xtask_testing::block_until_some;

/// The servers of which all hosts share a process.
const SHARED: [&str; 4] = ["a", "b", "c", "d"];
/// The servers with a process for each session.
const OF_SESSIONS: [&str; 2] = ["e", "f"];
const HOSTS: usize = 10;

/// Creates a user with six servers, whose gateway ends one second after its last host.
fn user() -> SharingUser {
    SharingUser::with_servers("idle_exit_secs = 1", |user| {
        let shared = SHARED.map(|id| shell_server::table(user, id, id, ""));
        let of_sessions = OF_SESSIONS.map(|id| shell_server::table(user, id, id, "instances = \"session\""));
        // The last one reads a secret at each start.
        let secret = "[servers.env]\nKEY = \"${command:echo secret}\"\n";
        [shared.concat(), of_sessions.concat(), secret.to_owned()].concat()
    })
}

/// A host, and the processes of its servers.
struct ServedHost {
    host: Host,
    shared: [u32; 4],
    own: [u32; 2],
}

impl ServedHost {
    /// Starts a host, which calls the tool of every server.
    fn start(user: &SharingUser) -> Self {
        let mut host = user.host(&[]);
        let mut id = 10;
        let mut process = |server: &str| {
            id += 1;
            let said = call(&mut host, id, &format!("look_{server}"));
            said.strip_prefix("process ").unwrap().parse().unwrap()
        };
        let (shared, own) = (SHARED.map(&mut process), OF_SESSIONS.map(&mut process));
        Self { host, shared, own }
    }
}

/// Starts ten hosts at once.
fn start_all(user: &SharingUser) -> Vec<ServedHost> {
    thread::scope(|scope| {
        let starting: Vec<_> = (0..HOSTS).map(|_| scope.spawn(|| ServedHost::start(user))).collect();
        starting.into_iter().map(|served| served.join().unwrap()).collect()
    })
}

/// Returns every process of the user's: those whose environment names the user's folder.
fn processes(user: &SharingUser) -> BTreeSet<u32> {
    let folder = user.0.path("").display().to_string();
    let is_the_user_s = |entry: &PathBuf| {
        let said = |name| fs::read(entry.join(name)).unwrap_or_default();
        let text = [said("environ"), said("cmdline")].concat();
        String::from_utf8_lossy(&text).contains(folder.trim_end_matches('/'))
    };
    let entries = fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
    let pids = entries.filter(is_the_user_s).filter_map(|path| path.file_name()?.to_str()?.parse().ok());
    pids.filter(|pid| runs(*pid)).collect()
}

#[test]
fn ten_hosts_of_six_servers_share_all_but_their_own_processes() {
    let user = user();
    let all = start_all(&user);
    let shared: BTreeSet<_> = all.iter().flat_map(|served| served.shared).collect();
    let own: BTreeSet<_> = all.iter().flat_map(|served| served.own).collect();
    assert_eq!((shared.len(), own.len()), (SHARED.len(), OF_SESSIONS.len() * HOSTS));
    // Each host has a waiting process. Without the gateway there would be ten gateways with six servers each.
    let expected = 1 + HOSTS + shared.len() + own.len();
    block_until_some(|| (processes(&user).len() == expected).then_some(()));
    let mut all = all.into_iter();
    let first = all.next().unwrap();
    leave(first.host);
    block_until_some(|| first.own.iter().all(|pid| !runs(*pid)).then_some(()));
    assert!(shared.iter().all(|pid| runs(*pid)));
    all.for_each(|served| leave(served.host));
    block_until_some(|| processes(&user).is_empty().then_some(()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_waiting_process_has_begun_again_under_its_name() {
    let user = user();
    let served = ServedHost::start(&user);
    let read = |name| fs::read_to_string(format!("/proc/{}/{name}", served.host.pid())).unwrap();
    block_until_some(|| read("environ").contains("\0MGP_WAIT=").then_some(()));
    block_until_some(|| (read("comm") == "mgp\n").then_some(()));
    assert!(read("cmdline").contains("\0serve\0"));
    leave(served.host);
}

#[test]
fn no_process_is_left_after_any_of_them_was_killed() {
    type Choice = fn(&SharingUser, &ServedHost) -> u32;
    let killed: [(&str, Choice); 4] = [
        ("the waiting process", |_, served| served.host.pid()),
        ("the gateway", |user, _| user.gateway()),
        ("a shared server", |_, served| served.shared[0]),
        ("the server of a session", |_, served| served.own[0]),
    ];
    for (name, choose) in killed {
        let user = user();
        let (one, other) = (ServedHost::start(&user), ServedHost::start(&user));
        let pid = choose(&user, &one);
        let done = Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap();
        assert!(done.success(), "{name}");
        for mut served in [one, other] {
            served.host.close();
            served.host.end();
        }
        block_until_some(|| processes(&user).is_empty().then_some(()));
        assert!(user.gateways().is_empty(), "{name}");
    }
}

#[test]
fn the_process_of_a_session_runs_in_its_host_s_folder() {
    let user = user();
    for name in ["one", "two"] {
        let folder = user.0.path(name);
        fs::create_dir(&folder).unwrap();
        let mut command = user.command(&["serve"]);
        command.current_dir(&folder);
        let mut host = user.0.greeted(command).0;
        for (id, server) in OF_SESSIONS.into_iter().enumerate() {
            let said = call(&mut host, 11 + i64::try_from(id).unwrap(), &format!("look_{server}"));
            let process = Path::new("/proc").join(said.strip_prefix("process ").unwrap()).join("cwd");
            assert_eq!(fs::read_link(process).unwrap(), folder.canonicalize().unwrap(), "{server}");
        }
        leave(host);
    }
}
