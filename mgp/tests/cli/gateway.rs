//! The gateway that all hosts of a user share.

use crate::{
    shell_server,
    support::{CommandOutput, Host, User, ended},
};
use mgp_transport::local_socket::LocalStream;
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    os::{fd::AsFd, unix::fs::PermissionsExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use xtask_testing::block_until_some;

/// A user whose hosts share gateways. Those that still run are stopped at the end.
pub(crate) struct SharingUser(pub(crate) User);

impl Drop for SharingUser {
    fn drop(&mut self) {
        for pid in self.gateways() {
            // It may have ended meanwhile.
            let _ = Command::new("kill").args(["-KILL", &pid.to_string()]).stderr(Stdio::null()).status();
        }
    }
}

impl SharingUser {
    /// Creates a user with one server, `s`. `kernel` goes into the table `[kernel]`.
    fn new(kernel: &str) -> Self {
        Self::with_servers(kernel, |user| shell_server::table(user, "s", "here", ""))
    }

    /// Creates a user with servers. `kernel` goes into the table `[kernel]`.
    pub(crate) fn with_servers(kernel: &str, servers: impl Fn(&User) -> String) -> Self {
        let user = User::new();
        let table = servers(&user);
        let path = user.own_configuration();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let kernel = format!("[kernel]\ndefault_policy = \"opt-out\"\nexposure = \"full\"\n{kernel}\n");
        fs::write(path, kernel + &table).unwrap();
        Self(user)
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.0.command(args);
        command.env_remove("MGP_ALONE").env("XDG_RUNTIME_DIR", self.0.path("run"));
        command
    }

    /// Starts a host's process, which is greeted.
    pub(crate) fn host(&self, args: &[&str]) -> Host {
        self.0.greeted(self.command(&[&["serve"], args].concat())).0
    }

    /// Returns the sockets of gateways.
    pub(crate) fn sockets(&self) -> Vec<PathBuf> {
        let entries =
            fs::read_dir(self.0.path("run/mgp")).into_iter().flatten().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "sock")).collect()
    }

    /// Returns the processes of gateways: those that listen for the operator.
    pub(crate) fn gateways(&self) -> Vec<u32> {
        let entries = fs::read_dir(self.0.control()).into_iter().flatten().map(|entry| entry.unwrap().path());
        let pid = |path: PathBuf| path.file_name()?.to_str()?.strip_suffix(".sock")?.parse().ok();
        entries.filter_map(pid).filter(|pid| runs(*pid)).collect()
    }

    /// Returns the process of the only gateway.
    #[track_caller]
    pub(crate) fn gateway(&self) -> u32 {
        let gateways = self.gateways();
        assert_eq!(gateways.len(), 1, "{gateways:?}");
        gateways[0]
    }
}

/// Returns whether a process runs and is not a zombie.
pub(crate) fn runs(pid: u32) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// Calls the tool of the server, and returns the server's process.
fn server(host: &mut Host) -> u32 {
    let said = block_until_some(|| {
        host.call(3, "look_here", &json!({}));
        host.reply(3)["result"]["content"][0]["text"].as_str().map(str::to_owned)
    });
    said.strip_prefix("process ").unwrap().parse().unwrap()
}

/// Ends a host by closing its input.
#[track_caller]
pub(crate) fn leave(mut host: Host) {
    host.close();
    assert_eq!(host.end(), 0);
}

#[test]
fn hosts_share_one_gateway_and_one_process_of_a_server() {
    let user = SharingUser::new("");
    let mut hosts: Vec<Host> = std::thread::scope(|scope| {
        let starting: Vec<_> = (0..10).map(|_| scope.spawn(|| user.host(&[]))).collect();
        starting.into_iter().map(|host| host.join().unwrap()).collect()
    });
    let servers: Vec<u32> = hosts.iter_mut().map(server).collect();
    assert!(servers.iter().all(|pid| *pid == servers[0]), "{servers:?}");
    let gateway = user.gateway();
    assert!(hosts.iter().all(|host| host.pid() != gateway));
    assert_eq!(user.sockets().len(), 1);
    hosts.into_iter().for_each(leave);
    assert!(runs(gateway) && runs(servers[0]));
    let stopped = ended(user.command(&["stop"]), "").succeeds();
    assert_eq!(stopped.stdout.trim(), format!("gateway of process {gateway}: stopped"));
    block_until_some(|| (!runs(gateway) && !runs(servers[0])).then_some(()));
    assert!(user.sockets().is_empty());
}

#[test]
fn calls_are_made_for_the_agent_of_each_host() {
    let user = SharingUser::new("");
    let (mut one, mut other) = (user.host(&["--agent", "ann"]), user.host(&["--agent", "bob"]));
    server(&mut one);
    server(&mut other);
    user.gateway();
    let (_, audit) = user.0.json(&["audit"]);
    for agent in ["ann", "bob"] {
        assert!(audit.to_string().contains(&format!("\"{agent}\"")), "{agent}: {audit}");
    }
}

#[test]
fn other_variables_of_the_configuration_make_another_gateway() {
    let user = SharingUser::new("instructions = \"${GREETING:-none}\"");
    let table = "[servers.env]\nG = \"${GREETING:-none}\"\n";
    let path = user.0.own_configuration();
    fs::write(&path, fs::read_to_string(&path).unwrap() + table).unwrap();
    let greeted = |value: &str| {
        let mut command = user.command(&["serve"]);
        command.env("GREETING", value);
        user.0.greeted(command).0
    };
    let (_one, _same, _other) = (greeted("a"), greeted("a"), greeted("b"));
    assert_eq!(user.gateways().len(), 2);
}

#[test]
fn an_idle_gateway_ends_with_its_servers() {
    let user = SharingUser::new("idle_exit_secs = 1");
    let (mut one, other) = (user.host(&[]), user.host(&[]));
    let (gateway, server) = (user.gateway(), server(&mut one));
    leave(other);
    leave(one);
    block_until_some(|| (!runs(gateway) && !runs(server) && user.sockets().is_empty()).then_some(()));
    // The next host starts it again.
    let mut next = user.host(&[]);
    self::server(&mut next);
    assert_ne!(user.gateway(), gateway);
}

#[test]
fn a_killed_gateway_ends_its_hosts_and_starts_again() {
    let user = SharingUser::new("");
    let mut host = user.host(&[]);
    let (gateway, server) = (user.gateway(), server(&mut host));
    assert!(Command::new("kill").args(["-KILL", &gateway.to_string()]).status().unwrap().success());
    host.says("the gateway has ended without notice");
    assert_eq!(host.end(), 6);
    block_until_some(|| (!runs(server)).then_some(()));
    let mut next = user.host(&[]);
    self::server(&mut next);
    assert_ne!(user.gateway(), gateway);
}

#[test]
fn the_session_of_a_killed_process_ends() {
    let user = SharingUser::new("idle_exit_secs = 1");
    let mut host = user.host(&[]);
    let (gateway, server) = (user.gateway(), server(&mut host));
    host.kill();
    block_until_some(|| (!runs(gateway) && !runs(server)).then_some(()));
}

#[test]
fn a_signal_ends_a_session_after_its_running_calls() {
    let user = SharingUser::new("");
    let mut host = user.host(&[]);
    server(&mut host);
    host.call(7, "look_here", &json!({ "slow": true }));
    let calls = || {
        let (_, status) = user.0.json(&["status"]);
        status["kernels"][0]["servers"][0]["in_flight"].as_u64().filter(|calls| *calls > 0)
    };
    block_until_some(calls);
    host.signal("-TERM");
    shell_server::end_slow_calls(&user.0);
    assert!(host.reply(7)["result"].is_object());
    assert_eq!(host.end(), 0);
    assert!(runs(user.gateway()));
}

#[test]
fn streams_that_cannot_be_handed_over_are_copied() {
    let user = SharingUser::new("idle_exit_secs = 1");
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    } });
    user.0.write("in", &format!("{initialize}\n"));
    let mut command = user.command(&["serve"]);
    command.stdin(File::open(user.0.path("in")).unwrap());
    command.stdout(File::create(user.0.path("out")).unwrap());
    assert!(command.status().unwrap().success());
    let answer: Value = serde_json::from_slice(&fs::read(user.0.path("out")).unwrap()).unwrap();
    assert_eq!(answer["result"]["serverInfo"]["name"], "mgp");
    assert_eq!(user.gateways().len(), 1);
}

#[test]
fn a_later_program_gets_a_gateway_of_its_own() {
    let user = SharingUser::new("");
    let mut host = user.host(&[]);
    let gateway = user.gateway();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answer = runtime.block_on(async {
        let process = LocalStream::connect(&user.sockets()[0]).await.unwrap();
        let (input, output) = std::io::pipe().unwrap();
        let handover = b"{\"version\":\"99.0.0\",\"agent\":\"ann\"}\n";
        process.send_with_files(handover, &[input.as_fd(), output.as_fd()]).await.unwrap();
        let mut buffer = [0; 64];
        let (count, _) = process.receive_with_files(&mut buffer).await.unwrap();
        String::from_utf8(buffer[..count].to_vec()).unwrap()
    });
    assert_eq!(answer, "\"leaving\"\n");
    assert!(user.sockets().is_empty());
    server(&mut host);
    let next = user.host(&[]);
    assert_eq!(user.gateways().len(), 2);
    leave(host);
    block_until_some(|| (!runs(gateway)).then_some(()));
    assert_eq!(user.sockets().len(), 1);
    leave(next);
}

#[test]
fn a_host_that_is_served_alone_starts_no_gateway() {
    let user = SharingUser::new("");
    for (arguments, variable) in [(&["serve", "--alone"][..], "0"), (&["serve"], "1")] {
        let mut command = user.command(arguments);
        command.env("MGP_ALONE", variable);
        let host = user.0.greeted(command).0;
        assert_eq!(user.gateways(), [host.pid()]);
        leave(host);
    }
    assert!(user.sockets().is_empty());
}

#[test]
fn a_gateway_that_cannot_start_is_named_with_its_error() {
    let user = SharingUser::new("");
    // A folder instead of the audit trail: only the gateway opens it.
    fs::create_dir_all(user.0.control().parent().unwrap().join("audit.sqlite3")).unwrap();
    let CommandOutput { code, stderr, .. } = ended(user.command(&["serve"]), "");
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("the gateway did not start: it ended: error: "), "{stderr}");
    assert!(stderr.contains("--alone"), "{stderr}");
    let silent = ended(user.command(&["stop"]), "");
    assert!(silent.code == 5 && silent.stderr.contains("no gateway is running"), "{silent:?}");
}

#[test]
fn a_host_finds_the_changed_configuration() {
    let user = SharingUser::new("");
    let file = user.0.own_configuration();
    let text = fs::read_to_string(&file).unwrap();
    let greeting = |agent: &str| {
        let (mut host, greeting) = user.0.greeted(user.command(&["serve", "--agent", agent]));
        server(&mut host);
        (host, greeting["result"]["instructions"].as_str().unwrap_or_default().to_owned())
    };
    let (first, _) = greeting("ann");
    let gateway = user.gateway();
    fs::write(&file, text.replace("[kernel]\n", "[kernel]\ninstructions = \"Be brief.\"\nmax_retries = 1\n"))
        .unwrap();
    // The gateway stays while it serves another host.
    let (second, _) = greeting("ann");
    assert_eq!(user.gateway(), gateway);
    leave(first);
    leave(second);
    let (_third, instructions) = greeting("ann");
    assert!(instructions.starts_with("Be brief."), "{instructions}");
    block_until_some(|| (user.gateways().len() == 1 && user.gateway() != gateway).then_some(()));
}

#[test]
fn servers_are_found_in_the_path_of_the_login_shell() {
    let user = SharingUser::new("");
    let file = user.0.own_configuration();
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("command = \"sh\"", "command = \"own-shell\"")).unwrap();
    let bin = user.0.path("bin");
    fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink("/bin/sh", bin.join("own-shell")).unwrap();
    let script = format!("#!/bin/sh\nexport PATH=\"$PATH:{}\"\neval \"$4\"\n", bin.display());
    user.0.write("login", &script);
    fs::set_permissions(user.0.path("login"), fs::Permissions::from_mode(0o700)).unwrap();
    let mut command = user.command(&["serve"]);
    command.env("SHELL", user.0.path("login"));
    server(&mut user.0.greeted(command).0);
}

#[test]
fn named_variables_of_the_login_shell_replace_those_of_hosts() {
    let seen = |user: &User| user.path("seen");
    let user = SharingUser::with_servers("environment = [\"TAKEN\", \"UNSET\"]", |user| {
        let table = shell_server::table(user, "s", "here", "");
        let script = fs::read_to_string(user.path("server.sh")).unwrap();
        user.write("server.sh", &format!("env > '{}'\n{script}", seen(user).display()));
        let inherit =
            "inherit = [\"TAKEN\", \"UNSET\", \"OTHER\"]\nenv = { ALSO = \"${TAKEN}\" }\n[servers.mgp]";
        table.replace("[servers.mgp]", inherit)
    });
    user.0.write("login", "#!/bin/sh\nexport TAKEN=shell OTHER=shell; unset UNSET\neval \"$4\"\n");
    fs::set_permissions(user.0.path("login"), fs::Permissions::from_mode(0o700)).unwrap();
    let greeted = |taken: Option<&str>| {
        let mut command = user.command(&["serve"]);
        command
            .env("SHELL", user.0.path("login"))
            .env("UNSET", "host")
            .envs(taken.map(|value| ("TAKEN", value)));
        user.0.greeted(command).0
    };
    let (mut host, _other) = (greeted(Some("host")), greeted(None));
    server(&mut host);
    user.gateway();
    let seen = fs::read_to_string(seen(&user.0)).unwrap();
    let has = |line: &str| seen.lines().any(|seen| seen == line);
    assert!(has("TAKEN=shell") && has("ALSO=shell") && has("UNSET=host"), "{seen}");
    assert!(!seen.contains("OTHER="), "it is not named: {seen}");
    let kept = fs::read_to_string(user.0.home("../state/shell-path.json")).unwrap();
    assert!(!kept.contains("TAKEN"), "{kept}");
}
