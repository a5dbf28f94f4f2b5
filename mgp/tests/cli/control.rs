//! The control socket, and the commands that ask running kernels.

use crate::{
    shell_server,
    support::{Host, User},
};
use expect_test::expect;
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    os::unix::{fs::PermissionsExt, net::UnixStream},
    path::PathBuf,
    process::{Command, Stdio},
};
use xtask_testing::block_until_some;

/// Returns the socket of a kernel.
fn socket(user: &User, host: &Host) -> PathBuf {
    user.control().join(format!("{}.sock", host.pid()))
}

/// Starts a kernel with all servers up.
pub(crate) fn serving(user: &User) -> Host {
    let mut host = user.serve(&[]);
    host.send(2, "tools/list", &json!({}));
    host.reply(2);
    block_until_some(|| socket(user, &host).exists().then_some(()));
    // The list waits for a server only so long.
    block_until_some(|| {
        let kernels = user.json(&["status"]).1["kernels"].take();
        let mut servers = kernels.as_array()?.iter().flat_map(|kernel| kernel["servers"].as_array().unwrap());
        let is_up = |server: &Value| server["state"] != "registered" && server["state"] != "connecting";
        servers.all(is_up).then_some(())
    });
    host
}

#[test]
fn without_a_running_kernel_a_command_explains_its_start() {
    let user = User::of_demo();
    let ended = user.run(&["status"]).fails_with(5);
    expect![[r#"
        error: no gateway is running in ~/state
          help: a host starts one with `mgp serve`; start one yourself with `mgp serve --http 127.0.0.1:7433`, or name another folder with --state-dir; --demo asks that of `mgp serve --demo`
    "#]]
    .assert_eq(&user.without_folder(&ended.stderr));
    let (code, error) = user.json(&["status"]);
    assert_eq!((code, &error["error"]["kind"]), (5, &json!("not_found")));
}

#[test]
fn a_running_kernel_lists_its_servers_and_hosts() {
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
    let first = format!("gateway of process {}: version ", host.pid());
    assert!(text.starts_with(&first) && text.contains("\nSERVER ") && text.contains("\nHOST "), "{text}");
    let other = user.run(&["status", "--pid", "1"]).fails_with(5);
    assert!(other.stderr.contains("process 1 is not a running gateway of"), "{other:?}");
}

#[test]
fn a_socket_of_a_killed_kernel_is_removed_once_found() {
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
fn a_connection_is_an_operator_s_session_with_every_method() {
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
fn connections_past_the_limit_are_closed_and_others_continue() {
    let user = User::of_demo();
    let host = serving(&user);
    let path = socket(&user, &host);
    let mut sessions: Vec<_> = (0..32).map(|_| Session::open(&path)).collect();
    let mut one_more = BufReader::new(UnixStream::connect(&path).unwrap());
    assert_eq!(one_more.read_line(&mut String::new()).unwrap(), 0);
    let ended = user.run(&["status"]).fails_with(6);
    assert!(
        ended.stderr.contains(&format!("the gateway of process {} does not answer", host.pid())),
        "{ended:?}"
    );
    let health = sessions[31].get(9, "mgp/health/status", &json!({}));
    assert_eq!(health["result"]["status"], "healthy");
    drop(sessions);
    block_until_some(|| (user.run(&["status"]).code == 0).then_some(()));
}

#[test]
fn a_kernel_without_a_socket_serves_its_host() {
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
    assert!(ended.stderr.contains("failed to look for running gateways"), "{ended:?}");
}

#[test]
fn a_server_of_a_running_kernel_is_stopped_and_started() {
    let user = User::of_demo();
    let mut host = serving(&user);
    let (code, stopped) = user.json(&["servers", "stop", "notes", "--reason", "spring cleaning"]);
    assert_eq!(code, 0, "{stopped}");
    let server = &stopped["servers"][0];
    assert_eq!(
        (&server["server_id"], &server["previous_state"], &server["state"], &server["pid"]),
        (&json!("notes"), &json!("connected"), &json!("disconnected"), &json!(host.pid()))
    );
    host.call(3, "list_notes", &json!({}));
    assert!(host.reply(3).to_string().contains("is stopped and is not started again"));
    let status = user.run(&["status"]).succeeds();
    assert!(status.stderr.contains("start it with `mgp servers start notes`"), "{status:?}");
    let refused = user.run(&["servers", "drain", "notes"]).fails_with(1);
    assert!(
        refused.stderr.contains("is disconnected, which allows: start, restart; not drain"),
        "{refused:?}"
    );
    let started = user.run(&["servers", "start", "notes"]).succeeds();
    assert!(started.stdout.contains("disconnected  connected"), "{started:?}");
    host.call(4, "list_notes", &json!({}));
    assert!(host.reply(4)["result"]["isError"].is_null());
    for command in ["restart", "drain"] {
        user.run(&["servers", command, "notes", "--timeout", "1"]).succeeds();
    }
    let (_, trail) = user.json(&["audit", "--type", "SERVER_CONTROLLED"]);
    let events = trail["events"].as_array().unwrap();
    let told = |event: &Value| (event["details"]["action"].clone(), event["result"].clone());
    let expected = [
        ("stop", "SUCCESS"),
        ("drain", "BLOCKED"),
        ("start", "SUCCESS"),
        ("restart", "SUCCESS"),
        ("drain", "SUCCESS"),
    ];
    let expected = expected.map(|(action, result)| (json!(action), json!(result)));
    assert_eq!(events.iter().map(told).collect::<Vec<_>>(), expected, "{trail}");
    assert_eq!(events[0]["actor"], json!({ "type": "operator", "id": "ann" }));
    assert_eq!(events[0]["details"]["reason"], "spring cleaning");
}

#[test]
fn a_server_is_controlled_by_the_beginning_of_its_id() {
    let user = User::with_notes();
    let _host = serving(&user);
    for (command, state) in [
        ("stop", "disconnected"),
        ("start", "connected"),
        ("restart", "connected"),
        ("drain", "disconnected"),
    ] {
        let (code, done) = user.json(&["servers", command, "not"]);
        let server = &done["servers"][0];
        let shown = (code, &server["server_id"], &server["state"]);
        assert_eq!(shown, (0, &json!("notes"), &json!(state)), "{command}: {done}");
    }
    user.run(&["servers", "add", "notebook", "--url", "http://127.0.0.1:1"]).succeeds();
    let unclear = user.run(&["servers", "start", "not"]).fails_with(5).stderr;
    assert!(unclear.contains("there is no server \"not\""), "{unclear}");
}

#[test]
fn a_command_reaches_every_kernel_of_the_server_or_a_given_one() {
    let user = User::of_demo();
    let (one, two) = (serving(&user), serving(&user));
    let (_, stopped) = user.json(&["servers", "stop", "notes", "--pid", &one.pid().to_string()]);
    assert_eq!(stopped["servers"].as_array().unwrap().len(), 1);
    // One of them is stopped already, which is said.
    let (code, stopped) = user.json(&["servers", "stop", "notes"]);
    assert_eq!((code, &stopped["servers"][0]["pid"]), (1, &json!(two.pid())));
    let (code, started) = user.json(&["servers", "start", "notes"]);
    assert_eq!((code, started["servers"].as_array().unwrap().len()), (0, 2), "{started}");
    let unknown = user.run(&["servers", "start", "nope"]).fails_with(5);
    assert!(unknown.stderr.contains("there is no server \"nope\"; there are: "), "{unknown:?}");
    let none = User::of_demo().run(&["servers", "start", "notes"]).fails_with(5);
    assert!(none.stderr.contains("no gateway is running"), "{none:?}");
}

#[test]
fn the_running_kernel_lists_servers_unless_a_start_is_requested() {
    let user = User::with_notes();
    let ids = |list: &Value| -> Vec<String> {
        let servers = list["servers"].as_array().unwrap().iter();
        servers.map(|server| server["id"].as_str().unwrap().to_owned()).collect()
    };
    let (code, mut fresh) = user.json(&["servers"]);
    assert_eq!((code, &fresh["servers"][0]["kernel"]), (0, &Value::Null));
    let host = serving(&user);
    let asked = user.run(&["--json", "servers"]).succeeds();
    let note = format!("asked the gateway of process {}; --fresh starts the servers anew", host.pid());
    assert!(asked.stderr.contains(&note), "{asked:?}");
    let mut list: Value = serde_json::from_str(&asked.stdout).unwrap();
    assert_eq!(list["servers"][0]["kernel"], json!(host.pid()));
    list["servers"][0].as_object_mut().unwrap().remove("kernel");
    // Whether a server has been asked for its health is a matter of time.
    for list in [&mut list, &mut fresh] {
        list["servers"][0].as_object_mut().unwrap().remove("health");
    }
    assert_eq!(list, fresh, "everything else is the same");
    user.run(&["servers", "stop", "notes"]).succeeds();
    let (code, list) = user.json(&["servers"]);
    assert_eq!((code, &list["servers"][0]["state"]), (1, &json!("disconnected")));
    let (code, list) = user.json(&["servers", "--fresh"]);
    assert_eq!((code, &list["servers"][0]["state"]), (0, &json!("connected")));
    // Another configuration has other servers, in the same state folder.
    let (_, demo) = user.json(&["--demo", "servers"]);
    assert_eq!(demo["servers"][0]["kernel"], Value::Null);
    assert_ne!(ids(&demo), ids(&list));
    let _second = serving(&user);
    let both = user.run(&["servers"]).fails_with(1);
    assert!(both.stdout.starts_with("GATEWAY ") && both.stderr.contains("asked the gateways of"), "{both:?}");
}

/// Runs `mgp events` until it has printed an event, and returns the events so far.
fn events(user: &User, args: &[&str], mut cause: impl FnMut()) -> Vec<Value> {
    let mut command = user.command(&[&["--json", "events"], args].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut note = String::new();
    stderr.read_line(&mut note).unwrap();
    assert!(note.contains("until Ctrl-C"), "{note}");
    cause();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert!(block_until_some(|| child.try_wait().unwrap()).success());
    let rest = stdout.lines().map(Result::unwrap);
    std::iter::once(line).chain(rest).map(|line| serde_json::from_str(&line).unwrap()).collect()
}

#[test]
fn the_events_of_a_running_kernel_are_followed_until_a_signal() {
    let user = User::of_demo();
    let mut host = serving(&user);
    let pid = host.pid();
    let told = events(&user, &["tool.*"], || {
        host.call(5, "list_notes", &json!({}));
        host.reply(5);
    });
    assert_eq!(
        (&told[0]["channel"], &told[0]["server_id"], &told[0]["pid"]),
        (&json!("tool.called"), &json!("notes"), &json!(pid))
    );
    let told = events(&user, &["--server", "files", "--min-severity", "info"], || {
        user.run(&["servers", "restart", "notes"]).succeeds();
        user.run(&["servers", "restart", "files"]).succeeds();
    });
    assert!(told.iter().all(|event| event["server_id"] == "files"), "{told:?}");
    let refused = user.run(&["events", "a b"]).fails_with(2);
    assert!(refused.stderr.contains("expected a channel"), "{refused:?}");
    User::of_demo().run(&["events"]).fails_with(5);
}

#[test]
fn events_end_with_the_last_kernel() {
    let user = User::of_demo();
    let mut host = serving(&user);
    let mut command = user.command(&["events", "nothing.here"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut note = String::new();
    stderr.read_line(&mut note).unwrap();
    assert!(note.contains("no channel is called nothing.here yet"), "{note}");
    host.close();
    assert_eq!(host.end(), 0);
    assert!(block_until_some(|| child.try_wait().unwrap()).success());
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
             restart_policy = \"never\"\n[servers.confinement]\nnetwork = true\n\
             [permissions.approved]\nspy = [\"filesystem.read\", \"shell.execute\"]\n"
        );
        fs::write(&own, format!("{}{server}", crate::support::text(&own))).unwrap();
        // The first kernel is there to be asked while the second one starts its servers.
        let (_first, second) = (serving(&user), serving(&user));
        let reason = block_until_some(|| {
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

#[test]
fn an_unconfined_server_with_commands_is_named_with_the_key() {
    let user = User::new();
    let commands = shell_server::table(&user, "a", "a", "validators = { look_a = \"sandbox\" }");
    let path = user.own_configuration();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, commands + &shell_server::table(&user, "b", "b", "")).unwrap();
    let _host = serving(&user);
    for more in [&["servers"][..], &["servers", "--fresh"]] {
        let shown = user.run(more).succeeds().stderr;
        let first = "server `a`: 1 tool runs commands or code (look_a), and nothing confines the server";
        assert!(shown.contains(first) && !shown.contains("server `b`"), "{shown}");
        let key =
            shown.contains("`confinement.mode = \"require\"` in its table of the configuration confines it");
        assert_eq!(key, cfg!(target_os = "linux"), "{shown}");
        let (_, told) = user.json(more);
        assert_eq!(told["notices"].as_array().map(Vec::len), Some(1), "{told}");
        assert_eq!(told["notices"][0]["server_id"], "a", "{told}");
    }
}

#[test]
fn a_resource_of_an_earlier_server_is_named_in_log_and_list() {
    let user = User::new();
    let table = |id: &str| {
        let table = shell_server::table(&user, id, id, "");
        table.replace(&format!("{id:?}]"), &format!("{id:?}, \"x://1\"]"))
    };
    let path = user.own_configuration();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, ["a", "b"].map(table).concat()).unwrap();
    let host = serving(&user);
    host.says("server `b`: 1 resource or template");
    for more in [&["servers"][..], &["servers", "--fresh"]] {
        let shown = user.run(more).succeeds().stderr;
        assert!(shown.contains("\"x://1\" (server `a` lists it too)"), "{shown}");
        let (_, told) = user.json(more);
        assert_eq!(told["notices"][0]["server_id"], "b", "{told}");
    }
}
