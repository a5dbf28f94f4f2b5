//! The table of planted faults.

use super::patient::{PROGRAM, Patient, ProcessGuard, ended_process, mode};
use mgp_store::private_file::FileLock;
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    os::unix::{fs::symlink, net::UnixListener},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, SystemTime},
};

/// The id of a finding, a part of its remedy, and the fault that causes it.
struct Fault(&'static str, &'static str, fn(&Patient));

/// Runs the doctor on each fault, and checks that the finding is one line with its remedy and its section.
#[track_caller]
fn check(faults: &[Fault]) {
    for Fault(id, remedy, plant) in faults {
        let patient = Patient::new();
        plant(&patient);
        if patient.cannot_be_planted.get() {
            continue;
        }
        let ended = patient.doctor(&[]);
        let anchor = format!("(docs/doctor.md#{id})");
        let lines: Vec<_> = ended.stdout.lines().filter(|line| line.ends_with(&anchor)).collect();
        let [line] = lines[..] else { panic!("{id}: expected one line: {ended:?}") };
        assert!(line.contains("; run `") || line.contains("; set `"), "{id}: {line}");
        assert!(line.contains(remedy), "{id}: expected {remedy}: {line}");
        let is_counted = line.starts_with("error: ") || line.starts_with("warning: ");
        assert!(is_counted || line.starts_with("note: "), "{id}: {line}");
        assert!(!is_counted || ended.code == 1, "{id}: {ended:?}");
    }
}

/// Makes a pipe, which blocks those that open it.
fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn faults_of_the_program_and_the_configuration() {
    check(&[
        Fault("program-not-in-path", "export PATH=", |patient| {
            patient.set("PATH", &std::env::var("PATH").unwrap());
        }),
        Fault("program-twice", "run `rm ", |patient| {
            patient.script("other/mgp", "echo mgp 0.0.1");
            patient.before_path(&patient.user.path("other"));
        }),
        Fault("config-none", "`mgp connect`", |patient| {
            fs::remove_file(patient.user.own_configuration()).unwrap();
        }),
        Fault("config-unreadable", "`mgp init --config ", |patient| {
            patient.set("MGP_CONFIG_PATH", "nowhere.toml");
        }),
        Fault("config-unreadable", "EDITOR", |patient| {
            fs::write(patient.user.own_configuration(), b"x = \"\xff\"").unwrap();
        }),
        Fault("config-unreadable", "run `mv ", |patient| {
            patient.set("MGP_CONFIG_PATH", patient.user.path("pipe").to_str().unwrap());
            pipe(&patient.user.path("pipe"));
        }),
        Fault("config-invalid", "+1 ", |patient| {
            fs::write(patient.user.own_configuration(), "[kernel\n").unwrap();
        }),
        Fault("config-invalid", "unknown key \"exposre\"", |patient| {
            patient.replace("[kernel]\n", "[kernel]\nexposre = \"full\"\n");
        }),
        Fault("config-invalid", "+2 ", |patient| {
            patient.replace("[kernel]\n", "[kernel]\nservers = []\n");
        }),
        Fault("config-untrusted", "`mgp trust`", |patient| {
            patient.user.write("mgp.toml", "[[servers]]\nid = \"x\"\ncommand = \"sh\"\n");
        }),
        Fault("config-policy", "`access.policy_file`", |patient| {
            patient.append("[access]\npolicy_file = \"none.cedar\"");
        }),
        Fault("config-owner", "sudo chown ", |patient| patient.give_away(&patient.user.own_configuration())),
        Fault("config-writable", "chmod go-w ", |patient| {
            mode(&patient.user.own_configuration(), 0o606);
        }),
        Fault("config-readable", "chmod go-rwx ", |patient| {
            patient.append(
                "[[servers]]\nid = \"t\"\ncommand = \"sh\"\nenv = { X_TOKEN = \"abc\" }\ndisabled = true",
            );
            mode(&patient.user.own_configuration(), 0o644);
        }),
        Fault("config-no-servers", "`mgp connect`", |patient| {
            patient.configure("");
        }),
        Fault("config-replicas-loopback", "`replicas.listen`", |patient| {
            patient.append("[replicas]\nlisten = \"127.0.0.1:0\"\nadvertise = \"10.0.0.5:7434\"");
        }),
        Fault("config-replicas-advertise", "`replicas.advertise`", |patient| {
            patient.append("[replicas]\nlisten = \"0.0.0.0:7434\"\nadvertise = \"10.0.0.5:7433\"");
        }),
    ]);
}

#[test]
fn faults_of_the_state() {
    check(&[
        Fault("state-not-a-folder", "export MGP_STATE_DIR=", |patient| {
            fs::rename(patient.state(""), patient.user.path("elsewhere")).unwrap();
            symlink(patient.user.path("elsewhere"), patient.user.home("../state")).unwrap();
        }),
        Fault("state-not-a-folder", "run `mv ", |patient| {
            fs::remove_dir(patient.state("")).unwrap();
            fs::write(patient.user.home("../state"), "").unwrap();
        }),
        Fault("state-owner", "sudo chown -R ", |patient| {
            fs::write(patient.state("access.sqlite3"), "").unwrap();
            patient.give_away(&patient.state("access.sqlite3"));
        }),
        Fault("state-owner", "sudo chown -R ", |patient| patient.give_away(&patient.state(""))),
        Fault("state-closed", "chmod u+rwx ", |patient| {
            mode(&patient.state(""), 0o500);
        }),
        Fault("state-open", "chmod go-rwx ", |patient| {
            patient.open_state();
        }),
        Fault("state-file-open", "chmod -R go-rwx ", |patient| {
            patient.user.run(&["access", "list"]).succeeds();
            mode(&patient.state("access.sqlite3"), 0o644);
        }),
        Fault("state-file-link", "run `rm ", |patient| {
            symlink("/dev/null", patient.state("audit.sqlite3")).unwrap();
        }),
        Fault("state-file-broken", "broken && mv ", |patient| {
            fs::write(patient.state("audit.sqlite3"), "no database".repeat(10)).unwrap();
            mode(&patient.state("audit.sqlite3"), 0o600);
        }),
        Fault("state-file-left", "run `rm ", |patient| {
            let left = patient.state(&format!("trust.json.{}", ended_process()));
            fs::write(&left, "{").unwrap();
            mode(&left, 0o600);
        }),
        Fault("state-unusable", "`MGP_STATE_DIR`", |patient| {
            fs::create_dir(patient.state("access.sqlite3")).unwrap();
        }),
    ]);
}

#[test]
fn faults_of_gateways() {
    check(&[
        Fault("gateway-other-version", "`mgp stop --pid ", |patient| {
            old_gateway(patient);
        }),
        Fault("gateway-replaced", "`mgp stop --pid ", |patient| {
            let (command, copy) = patient.command_of_copy(&["serve"]);
            patient.keep(patient.user.greeted(command).0);
            fs::remove_file(copy).unwrap();
        }),
        Fault("gateway-needs-restart", "`mgp stop --pid ", |patient| {
            patient.keep(patient.serve());
            patient.append("[permissions]\nwait_ms = 1234\n");
            patient.user.run(&["reload"]).succeeds();
        }),
        Fault("gateway-silent", "run `kill ", |patient| {
            let listener = listen(patient, &format!("{}.sock", std::process::id()));
            // Each connection is closed at once.
            thread::spawn(move || listener.incoming().for_each(drop));
        }),
        Fault("gateway-socket-left", "run `rm ", |patient| {
            drop(listen(patient, &format!("{}.sock", ended_process())));
        }),
        Fault("gateway-socket-left", "run `rm ", |patient| {
            fs::create_dir(patient.user.path("run/mgp")).unwrap();
            drop(UnixListener::bind(patient.user.path("run/mgp/0123456789abcdef.sock")).unwrap());
        }),
        Fault("gateway-socket-path", "`kernel.state_dir`", |patient| {
            patient.set("MGP_STATE_DIR", patient.user.path(&"long".repeat(25)).to_str().unwrap());
        }),
        Fault("gateway-place", "`unset XDG_RUNTIME_DIR`", |patient| {
            patient.user.write("file", "");
            patient.set("XDG_RUNTIME_DIR", patient.user.path("file").to_str().unwrap());
        }),
        Fault("gateway-place", "`unset XDG_RUNTIME_DIR`", |patient| {
            symlink("/tmp", patient.user.path("run/mgp")).unwrap();
        }),
        Fault("gateway-lock-held", "run `kill ", |patient| {
            let lock = FileLock::acquire(&patient.state("trust.lock"), Duration::ZERO).unwrap();
            patient.keep(lock);
        }),
        Fault("gateway-orphans", "run `kill ", |patient| {
            patient.keep(ProcessGuard(orphan()));
        }),
    ]);
}

/// Starts a process that is marked as one of a gateway that has ended.
pub(super) fn orphan() -> std::process::Child {
    let mark = format!("{}-1-0", ended_process());
    Command::new("sleep").arg("1000").env("MGP_SERVER_RUN", mark).stdin(Stdio::null()).spawn().unwrap()
}

/// Listens at a control socket.
pub(super) fn listen(patient: &Patient, name: &str) -> UnixListener {
    fs::create_dir_all(patient.state("control")).unwrap();
    mode(&patient.state("control"), 0o700);
    UnixListener::bind(patient.state("control").join(name)).unwrap()
}

/// Plants the control socket of a gateway of another version.
fn old_gateway(patient: &Patient) {
    let listener = listen(patient, &format!("{}.sock", std::process::id()));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut output = stream.unwrap();
            for line in BufReader::new(output.try_clone().unwrap()).lines() {
                let Ok(line) = line else { break };
                let message: Value = serde_json::from_str(&line).unwrap();
                let Some(id) = message.get("id") else { continue };
                let body = match message["method"].as_str() {
                    Some("initialize") => json!({ "result": {
                        "protocolVersion": "2025-06-18", "capabilities": { "mgp": { "version": "0.6" } },
                        "serverInfo": { "name": "mgp", "version": "0.0.1" },
                    }}),
                    Some("dev.cloto/kernel/status") => json!({ "result": {
                        "version": "0.0.1", "started_at": "2026-01-01T00:00:00Z", "uptime_secs": 1, "servers": [],
                        "hosts": [], "parked_calls": 0,
                    }}),
                    _ => json!({ "error": { "code": -32601, "message": "unknown method" } }),
                };
                let mut reply = json!({ "jsonrpc": "2.0", "id": id });
                reply.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
                if writeln!(output, "{reply}").is_err() {
                    break;
                }
            }
        }
    });
}

/// Plants a server in the configuration.
fn server(patient: &Patient, keys: &str) {
    patient.configure(&format!("[[servers]]\nid = \"s\"\n{keys}\n"));
}

#[test]
fn faults_of_commands_of_servers() {
    check(&[
        Fault("server-variable", "`export UNSET_ONE=", |patient| {
            server(patient, "command = \"sh\"\nargs = [\"${UNSET_ONE}\"]");
        }),
        Fault("server-command", "`servers.s.command`", |patient| {
            server(patient, "command = \"no-such-program\"");
        }),
        Fault("server-command", "astral.sh", |patient| {
            patient.set("PATH", patient.user.path("bin").to_str().unwrap());
            server(patient, "command = \"uvx\"\nargs = [\"some-server\"]");
        }),
        Fault("server-command", "does not exist", |patient| {
            server(patient, "command = \"/nowhere/program\"");
        }),
        Fault("server-command-line", "`servers.s.args`", |patient| {
            server(patient, "command = \"npx -y some-server\"");
        }),
        Fault("server-not-executable", "chmod u+x ", |patient| {
            patient.user.write("closed", "#!/bin/sh\n");
            server(patient, &format!("command = {:?}", patient.user.path("closed")));
        }),
        Fault("server-interpreter", "needs /nowhere/python3", |patient| {
            let script = patient.script("script", "#!/nowhere/python3");
            server(patient, &format!("command = {script:?}"));
        }),
        Fault("server-interpreter", "`servers.s.command`", |patient| {
            let script = patient.script("script", "#!/usr/bin/env no-such-interpreter");
            server(patient, &format!("command = {script:?}"));
        }),
        Fault("server-folder", "mkdir -p ", |patient| {
            server(patient, "command = \"sh\"\ncwd = \"/nowhere/folder\"");
        }),
        Fault("server-only-in-shell", "servers.s.command = ", |patient| {
            patient.script("shell-bin/only-there", "exit 1");
            let more = patient.user.path("shell-bin");
            let shell = format!("export PATH=\"$PATH:{}\"\neval \"$4\"", more.display());
            patient.set("SHELL", &patient.script("shell", &shell));
            server(patient, "command = \"only-there\"");
        }),
        Fault("server-runtime-old", "n lts", |patient| runtime(patient, "node", "echo v12.22.0")),
        Fault("server-runtime-old", "uv python install", |patient| {
            runtime(patient, "python3", "echo Python 3.6.9");
        }),
        Fault("server-runtime-broken", "nodejs", |patient| runtime(patient, "node", "exit 7")),
        Fault("server-engine", "systemctl start docker", |patient| runtime(patient, "docker", "exit 1")),
    ]);
}

/// Plants a runtime, and a server that needs it.
fn runtime(patient: &Patient, name: &str, script: &str) {
    patient.script(&format!("runtimes/{name}"), script);
    patient.before_path(&patient.user.path("runtimes"));
    server(patient, &format!("command = {name:?}"));
}

#[test]
fn faults_of_servers_at_work() {
    check(&[
        Fault("server-down", "`mgp -v servers --fresh`", |patient| server(patient, "command = \"false\"")),
        Fault("server-down", "`mgp -v servers --fresh`", |patient| {
            let script = patient.script("garbage", "read -r line; echo '<html>not a server</html>'; exit 0");
            server(patient, &format!("command = {script:?}"));
        }),
        Fault("server-login", "`servers.s.auth.oauth = {}`", |patient| {
            let url = refusing();
            server(patient, &format!("url = {url:?}"));
        }),
        Fault("server-login", "`servers.s.auth`", |patient| {
            let url = refusing();
            server(patient, &format!("url = {url:?}\nauth = {{ bearer = \"not-the-token\" }}"));
        }),
        Fault("server-login", "`mgp servers --fresh`", |patient| {
            server(patient, "url = \"https://server.example/mcp\"\nauth = { oauth = {} }");
        }),
        Fault("server-slow", "`kernel.start_wait_ms`", |patient| {
            patient.replace("start_wait_ms = 60000", "start_wait_ms = 1");
        }),
        Fault("server-stopped", "`mgp servers start s`", |patient| {
            patient.keep(patient.serve());
            patient.user.run(&["servers", "stop", "s"]).succeeds();
        }),
        Fault("server-odd-tools", "`servers.s.mgp.disabled`", |patient| {
            let script = fs::read_to_string(patient.user.path("server.sh")).unwrap();
            patient.user.write("server.sh", &script.replace(r#"{"type":"object"}"#, r#"{"type":"string"}"#));
        }),
        Fault("server-notice", "run `mgp ", |patient| {
            let script = fs::read_to_string(patient.user.path("server.sh")).unwrap();
            let script = script.replace("look_'$1'", "run_command").replace(
                r#"{"type":"object"}"#,
                r#"{"type":"object","properties":{"command":{"type":"string"}}}"#,
            );
            patient.user.write("server.sh", &script);
        }),
        Fault("server-waiting", "`mgp approve notes`", |patient| {
            patient.args.borrow_mut().push("--demo".to_owned());
        }),
        Fault("server-closed", "run `mgp ", |patient| {
            patient.append(
                "permissions_required = [\"filesystem.write\"]\n[permissions]\npolicy = \"deny_all\"",
            );
        }),
    ]);
}

/// Serves HTTP responses 401, and returns the URL.
fn refusing() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream
                .write_all(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
    });
    url
}

#[test]
fn faults_of_hosts() {
    check(&[
        Fault("host-file-unusable", "touch ", |patient| {
            fs::remove_file(patient.host_file()).unwrap();
            symlink("nowhere/mcp.json", patient.host_file()).unwrap();
        }),
        Fault("host-file-unusable", "run `mv ", |patient| {
            fs::remove_file(patient.host_file()).unwrap();
            pipe(&patient.host_file());
        }),
        Fault("host-file-broken", "+3 ", |patient| {
            fs::write(patient.host_file(), "{\n  \"mcpServers\": {\n    \"a\" \"b\"\n}}").unwrap();
        }),
        Fault("host-not-connected", "`mgp connect cursor`", |patient| {
            patient.write_host(&[r#""time": {"command": "uvx"}"#]);
        }),
        Fault("host-without-gateway", "`mgp connect cursor`", |patient| {
            fs::remove_file(patient.host_file()).unwrap();
        }),
        Fault("host-goes-round", "`mgp disconnect cursor && mgp connect cursor`", |patient| {
            patient.connect(&[r#""time": {"command": "uvx"}"#]);
        }),
        Fault("host-program-missing", "`mgp doctor --fix cursor`", |patient| {
            patient.write_host(&[&patient.entry("/nowhere/mgp")]);
        }),
        Fault("host-program-other", "`mgp doctor --fix cursor`", |patient| {
            let other = patient.script("other/mgp", "exit 1");
            patient.write_host(&[&patient.entry(&other)]);
        }),
        Fault("host-program-relative", "`mgp doctor --fix cursor`", |patient| {
            patient.write_host(&[&patient.entry("mgp")]);
        }),
        Fault("host-config-missing", "`mgp init --config /nowhere", |patient| {
            let own = patient.user.own_configuration();
            fs::remove_file(&own).unwrap();

            patient
                .write_host(&[&patient.entry(PROGRAM).replace(own.to_str().unwrap(), "/nowhere/mgp.toml")]);
        }),
        Fault("host-switched-off", "`mcpServers.mgp.disabled`", |patient| {
            patient.write_host(&[&patient.entry(PROGRAM).replacen('{', "{\"disabled\": true, ", 1)]);
        }),
        Fault("host-managed", "`chat.mcp.access in /", |patient| {
            let folder = patient.user.home(".config/Code/User");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("settings.json"), "// ours\n{\"chat.mcp.access\": \"none\",}").unwrap();
            let servers = format!("{{\"servers\": {{{}}}}}", patient.entry(PROGRAM));
            fs::write(folder.join("mcp.json"), servers).unwrap();
        }),
        Fault("host-entry-twice", "EDITOR", |patient| {
            let second = patient.entry(PROGRAM).replace("\"mgp\"", "\"again\"");
            patient.connect(&[&second]);
        }),
    ]);
}

#[test]
fn faults_of_the_machine() {
    check(&[
        Fault("clock-behind", "timedatectl set-ntp true", |patient| {
            let file = File::create(patient.state("notes")).unwrap();
            mode(&patient.state("notes"), 0o600);
            file.set_modified(SystemTime::now() + Duration::from_hours(48)).unwrap();
        }),
        Fault("port-taken", "`http.listen`", |patient| {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            patient.append(&format!("[http]\nlisten = \"{}\"", listener.local_addr().unwrap()));
            patient.keep(listener);
        }),
        Fault("port-taken", "`telemetry.metrics`", |patient| {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            patient.append(&format!("[telemetry]\nmetrics = \"{}\"", listener.local_addr().unwrap()));
            patient.keep(listener);
        }),
        Fault("port-taken", "`replicas.listen`", |patient| {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            patient.append(&format!("[replicas]\nlisten = \"{}\"", listener.local_addr().unwrap()));
            patient.keep(listener);
        }),
        Fault("port-unusable", "`replicas.listen`", |patient| {
            patient.append("[replicas]\nlisten = \"203.0.113.7:7434\"");
        }),
        Fault("port-unusable", "`telemetry.metrics`", |patient| {
            patient.append("[telemetry]\nmetrics = \"203.0.113.7:7433\"\nmetrics_open = true");
        }),
        Fault("notify-unreachable", "`approvals.notify[0].url`", |patient| {
            patient.append("[[approvals.notify]]\nkind = \"ntfy\"\nurl = \"http://127.0.0.1:1/hunter2\"");
        }),
        Fault("proxy-malformed", "export HTTPS_PROXY=", |patient| {
            patient.set("NO_PROXY", "*");
            patient.set("HTTPS_PROXY", "http//user:hunter2@proxy:port");
        }),
        Fault("proxy-differs", "export HTTP_PROXY=", |patient| {
            patient.set("NO_PROXY", "*");
            patient.set("http_proxy", "http://one:80");
            patient.set("HTTP_PROXY", "http://other:80");
        }),
        Fault("proxy-loopback", "export NO_PROXY=", |patient| {
            patient.set("http_proxy", "http://one:80");
        }),
        Fault("shell-silent", " -ilc true", |patient| {
            patient.set("SHELL", &patient.script("shell", "exit 1"));
        }),
        Fault("shell-variable", "`kernel.environment`", |patient| {
            patient.replace("[kernel]\n", "[kernel]\nenvironment = [\"HERE\", \"GONE\"]\n");
            patient.set("SHELL", &patient.script("shell", "export HERE=1\neval \"$4\""));
        }),
    ]);
}
