//! The control socket, and the commands that ask running kernels.

use crate::support::{Host, User, within};
use expect_test::expect;
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    os::unix::{fs::PermissionsExt, net::UnixStream},
    path::PathBuf,
};

/// Returns the socket of a kernel.
fn socket(user: &User, host: &Host) -> PathBuf {
    user.control().join(format!("{}.sock", host.pid()))
}

/// Starts a kernel with all servers up.
fn serving(user: &User) -> Host {
    let mut host = user.serve(&[]);
    host.send(2, "tools/list", &json!({}));
    host.reply(2);
    within(|| socket(user, &host).exists().then_some(()));
    host
}

#[test]
fn without_a_running_kernel_a_command_says_how_to_start_one() {
    let user = User::of_demo();
    let ended = user.run(&["status"]).fails_with(5);
    expect![[r#"
        error: no kernel is running in ~/state
          help: a host starts one with `mgp serve`; start one yourself with `mgp serve --http 127.0.0.1:7433`, or name another folder with --state-dir
    "#]]
    .assert_eq(&user.without_folder(&ended.stderr));
    let (code, error) = user.json(&["status"]);
    assert_eq!((code, &error["error"]["kind"]), (5, &json!("not_found")));
}

#[test]
fn a_running_kernel_tells_its_servers_and_its_hosts() {
    let user = User::of_demo();
    let host = serving(&user);
    let (code, told) = user.json(&["status"]);
    let kernel = &told["kernels"][0];
    assert_eq!((code, kernel["pid"].as_u64()), (0, Some(host.pid().into())), "{told}");
    assert_eq!(kernel["configuration"], "the demo");
    let servers = kernel["servers"].as_array().unwrap();
    assert!(servers.len() > 1 && servers.iter().all(|server| server["state"] == "connected"), "{told}");
    let hosts = kernel["hosts"].as_array().unwrap();
    assert_eq!(hosts.len(), 1, "{told}");
    assert_eq!((&hosts[0]["name"], &hosts[0]["protocol_version"]), (&json!("test"), &json!("2025-06-18")));
    let text = user.run(&["status"]).succeeds().stdout;
    let first = format!("kernel of process {}: version ", host.pid());
    assert!(text.starts_with(&first) && text.contains("\nSERVER ") && text.contains("\nHOST "), "{text}");
    let other = user.run(&["status", "--pid", "1"]).fails_with(5);
    assert!(other.stderr.contains("process 1 is no running kernel of"), "{other:?}");
}

#[test]
fn a_socket_lasts_as_long_as_its_kernel_and_that_of_a_killed_one_is_removed_by_who_finds_it() {
    let user = User::of_demo();
    let mut ending = serving(&user);
    let path = socket(&user, &ending);
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&user.control()), mode(&path)), (0o700, 0o600));
    ending.close();
    assert_eq!(ending.end(), 0);
    assert!(!path.exists());
    let killed = serving(&user);
    let path = socket(&user, &killed);
    killed.signal("-KILL");
    killed.end();
    assert!(path.exists());
    user.run(&["status"]).fails_with(5);
    assert!(!path.exists());
}

/// A session over a control socket, spoken by hand.
struct Session(BufReader<UnixStream>);

impl Session {
    fn open(path: &PathBuf) -> Self {
        let mut session = Self(BufReader::new(UnixStream::connect(path).unwrap()));
        session.get(
            1,
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "hand", "version": "1" },
            }),
        );
        writeln!(session.0.get_mut(), r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#).unwrap();
        session
    }

    fn get(&mut self, id: i64, method: &str, params: &Value) -> Value {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(self.0.get_mut(), "{message}").unwrap();
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the connection is closed");
            let reply: Value = serde_json::from_str(&line).unwrap();
            if reply["id"] == id {
                return reply;
            }
        }
    }
}

#[test]
fn a_connection_is_a_session_of_the_operator_in_which_every_method_works() {
    let user = User::of_demo();
    let mut host = serving(&user);
    host.send(3, "mgp/audit/replay", &json!({ "since_seq": 0, "limit": 1 }));
    assert!(host.reply(3)["error"]["code"].is_number());
    let mut session = Session::open(&socket(&user, &host));
    let replayed = session.get(2, "mgp/audit/replay", &json!({ "since_seq": 0, "limit": 1 }));
    assert!(replayed["result"]["events"].is_array(), "{replayed}");
    let health = session.get(3, "mgp/health/status", &json!({}));
    assert_eq!(health["result"]["status"], "healthy", "{health}");
    let stopped = session.get(4, "mgp/lifecycle/shutdown", &json!({ "reason": "operator_request" }));
    assert_eq!(stopped["result"]["accepted"], true, "{stopped}");
    assert_eq!(host.end(), 0);
    let (_, trail) = user.json(&["audit", "--type", "KERNEL_STOPPED"]);
    assert_eq!(trail["events"][0]["actor"], json!({ "type": "operator", "id": "ann" }), "{trail}");
}

#[test]
fn connections_past_the_limit_are_closed_and_those_before_it_go_on() {
    let user = User::of_demo();
    let host = serving(&user);
    let path = socket(&user, &host);
    let mut sessions: Vec<_> = (0..32).map(|_| Session::open(&path)).collect();
    let mut one_more = BufReader::new(UnixStream::connect(&path).unwrap());
    assert_eq!(one_more.read_line(&mut String::new()).unwrap(), 0);
    let ended = user.run(&["status"]).fails_with(6);
    assert!(
        ended.stderr.contains(&format!("the kernel of process {} does not answer", host.pid())),
        "{ended:?}"
    );
    let health = sessions[31].get(9, "mgp/health/status", &json!({}));
    assert_eq!(health["result"]["status"], "healthy");
    drop(sessions);
    within(|| (user.run(&["status"]).code == 0).then_some(()));
}

#[test]
fn a_kernel_without_a_socket_serves_its_host_all_the_same() {
    let user = User::of_demo();
    let long = user.path(&"a".repeat(90));
    let ended = user.run_with(&["--state-dir", long.to_str().unwrap(), "serve"], "").succeeds();
    assert!(ended.stderr.contains("there is no control socket"), "{ended:?}");
    assert!(ended.stderr.contains("a socket's path at most 103"), "{ended:?}");
    // A file in the place of the folder.
    let blocked = User::of_demo();
    fs::create_dir_all(blocked.control().parent().unwrap()).unwrap();
    fs::write(blocked.control(), "").unwrap();
    let mut host = blocked.serve(&[]);
    host.send(2, "ping", &json!({}));
    assert!(host.reply(2)["result"].is_object());
    let ended = blocked.run(&["status"]).fails_with(3);
    assert!(ended.stderr.contains("failed to look for running kernels"), "{ended:?}");
}

/// A confined server that is this program, and asks the running kernels with all that it may read.
#[cfg(target_os = "linux")]
#[test]
fn a_confined_server_cannot_ask_a_kernel() {
    for (trust, asks) in [("sandboxed", false), ("standard", true)] {
        let user = User::with_notes();
        let own = user.own_configuration();
        let program = env!("CARGO_BIN_EXE_mgp");
        let script =
            "read -r _; \"$0\" --demo --state-dir \"$1\" status >&2; echo \"exit code $?\" >&2; exit 3";
        let args = json!(["-c", script, program, user.control().parent()]);
        let server = format!(
            "\n[[servers]]\nid = \"spy\"\ncommand = \"bash\"\nargs = {args}\n[servers.mgp]\ntrust_level = \"{trust}\"\n\
             restart_policy = \"on_failure\"\nbackoff_base_ms = 1\n[servers.confinement]\nnetwork = true\n\
             [permissions.approved]\nspy = [\"filesystem.read\", \"shell.execute\"]\n"
        );
        fs::write(&own, format!("{}{server}", crate::support::text(&own))).unwrap();
        // The first kernel is there to be asked while the second one starts its servers.
        let (_first, second) = (serving(&user), serving(&user));
        let reason = within(|| {
            let (_, told) = user.json(&["status", "--pid", &second.pid().to_string()]);
            let spy = told["kernels"][0]["servers"].as_array().unwrap().iter().find(|one| one["id"] == "spy");
            let reason = spy.unwrap()["reason"].as_str().unwrap().to_owned();
            reason.contains("exit code").then_some(reason)
        });
        assert_eq!(reason.contains("exit code 0"), asks, "{trust}: {reason}");
        let denied = ["is not a folder of this account", "does not answer", "Permission denied"];
        assert_eq!(denied.iter().any(|denied| reason.contains(denied)), !asks, "{trust}: {reason}");
    }
}
