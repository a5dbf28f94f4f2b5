//! The faults that `mgp doctor --fix` mends.

use super::{
    faults::{listen, orphan},
    patient::{PROGRAM, Patient, ended_process, mode},
};
use crate::support::ended;
use mgp_store::secrets::SecretStore;
use serde_json::Value;
use std::{
    fs,
    os::unix::{fs::PermissionsExt, net::UnixListener},
    path::Path,
};

/// Runs the doctor with `--fix` on a fault, and checks that it says so and that the fault is gone.
#[track_caller]
fn mends(patient: &Patient, name: &str, id: &str) -> String {
    let anchor = format!("(docs/doctor.md#{id})");
    let line = |args: &[&str]| {
        let ended = patient.doctor(args);
        ended.stdout.lines().find(|line| line.ends_with(&anchor)).map(str::to_owned)
    };
    let mended = line(&["--fix", name]).unwrap_or_else(|| panic!("{id} was not found"));
    assert!(mended.starts_with("mended: "), "{mended}");
    assert_eq!(line(&[name]), None, "{id} is still there");
    mended
}

fn mode_of(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn modes_are_mended() {
    let patient = Patient::new();
    patient.user.run(&["access", "list"]).succeeds();
    mode(&patient.state("access.sqlite3"), 0o664);
    patient.open_state();
    mends(&patient, "state", "state-open");
    mode(&patient.state("access.sqlite3"), 0o664);
    mends(&patient, "state", "state-file-open");
    assert_eq!((mode_of(&patient.state("")), mode_of(&patient.state("access.sqlite3"))), (0o700, 0o600));
    mode(&patient.state(""), 0o500);
    mends(&patient, "state", "state-closed");
    assert_eq!(mode_of(&patient.state("")), 0o700);
    let own = patient.user.own_configuration();
    mode(&own, 0o606);
    mends(&patient, "configuration", "config-writable");
    assert_eq!(mode_of(&own), 0o604);
    patient.append("[[servers]]\nid = \"t\"\ncommand = \"sh\"\nenv = { X_TOKEN = \"abc\" }\ndisabled = true");
    mends(&patient, "configuration", "config-readable");
    assert_eq!(mode_of(&own), 0o600);
}

#[test]
fn files_of_ended_gateways_are_removed_and_others_stay() {
    let patient = Patient::new();
    let living = listen(&patient, "1.sock");
    drop(listen(&patient, &format!("{}.sock", ended_process())));
    fs::create_dir(patient.user.path("run/mgp")).unwrap();
    drop(UnixListener::bind(patient.user.path("run/mgp/0123456789abcdef.sock")).unwrap());
    let left = patient.state(&format!("trust.json.{}", ended_process()));
    let own = patient.state(&format!("trust.json.{}", std::process::id()));
    for path in [&left, &own] {
        fs::write(path, "{").unwrap();
    }
    // Without --fix, nothing is removed.
    patient.doctor(&["state", "hosts"]);
    assert!(left.exists());
    std::thread::spawn(move || living.incoming().for_each(drop));
    mends(&patient, "gateway", "gateway-socket-left");
    let sockets: Vec<_> = fs::read_dir(patient.state("control"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".sock"))
        .collect();
    assert_eq!(sockets, ["1.sock"]);
    assert!(!patient.user.path("run/mgp/0123456789abcdef.sock").exists());
    mends(&patient, "state", "state-file-left");
    assert!(!left.exists() && own.exists());
}

#[test]
fn orphans_are_killed() {
    let patient = Patient::new();
    let mut orphan = orphan();
    mends(&patient, "gateway", "gateway-orphans");
    assert!(!orphan.wait().unwrap().success());
}

#[test]
fn only_the_program_in_an_entry_is_replaced_with_a_backup() {
    for (host, place, text) in [
        (
            "cursor",
            ".cursor/mcp.json",
            "{\n  // mine\n  \"mcpServers\": {\n    \"mgp\": {\"command\": \"/nowhere/mgp\", \"args\": [\"serve\"], \"env\": {\"A\": \"1\"}}\n  },\n  \"other\": 1\n}\n",
        ),
        (
            "codex",
            ".codex/config.toml",
            "# mine\nmodel = \"x\"\n\n[mcp_servers.mgp]\ncommand = \"/nowhere/mgp\"\nargs = [\"serve\"]\nstartup_timeout_sec = 30\n\n[last]\nx = 1\n",
        ),
        (
            "goose",
            ".config/goose/config.yaml",
            "# mine\nextensions:\n  mgp:\n    enabled: true\n    type: stdio\n    name: mgp\n    cmd: \"/nowhere/mgp\"\n    args: [\"serve\"]\n    timeout: 300\nlast: 1\n",
        ),
        (
            "opencode",
            ".config/opencode/opencode.json",
            "{\"mcp\": {\"mgp\": {\"type\": \"local\", \"command\": [\"/nowhere/mgp\", \"serve\"], \"enabled\": true}}}\n",
        ),
    ] {
        let patient = Patient::new();
        let path = patient.user.home(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let mended = mends(&patient, host, "host-program-missing");
        let after = fs::read_to_string(&path).unwrap();
        assert!(!after.contains("/nowhere/mgp") && after.contains(PROGRAM), "{host}: {after}");
        for kept in [
            "// mine",
            "# mine",
            "\"A\": \"1\"",
            "startup_timeout_sec = 30",
            "[last]",
            "timeout: 300",
            "last: 1",
        ] {
            assert_eq!(after.contains(kept), text.contains(kept), "{host}: {kept}: {after}");
        }
        let backup = mended.split("its backup is ").nth(1).unwrap().split(';').next().unwrap();
        assert_eq!(fs::read_to_string(backup).unwrap(), text, "{host}");
    }
}

#[test]
fn an_entry_gets_the_configuration_that_exists() {
    let patient = Patient::new();
    let own = patient.user.own_configuration();
    let other = patient.entry(PROGRAM).replace(own.to_str().unwrap(), "/nowhere/mgp.toml");
    patient.write_host(&[&other]);
    mends(&patient, "cursor", "host-config-missing");
    let after: Value = serde_json::from_str(&fs::read_to_string(patient.host_file()).unwrap()).unwrap();
    let mgp = &after["mcpServers"]["mgp"];
    assert_eq!(mgp["args"], serde_json::json!(["serve", "--config", own]), "{after}");
    assert_eq!((&mgp["command"], &mgp["env"]["KEPT"]), (&PROGRAM.into(), &"1".into()), "{after}");
}

#[test]
fn a_mended_host_still_gets_its_servers_back() {
    let patient = Patient::new();
    patient.write_host(&[r#""time": {"command": "uvx", "args": ["mcp-server-time"]}"#]);
    let before = fs::read_to_string(patient.host_file()).unwrap();
    patient.user.run(&["connect", "cursor", "--yes"]).succeeds();
    let connected = fs::read_to_string(patient.host_file()).unwrap();
    let real = connected.split("\"command\": \"").nth(1).unwrap().split('"').next().unwrap();
    let record = fs::read_dir(patient.state("connect")).unwrap().map(|entry| entry.unwrap().path());
    let record = record.into_iter().find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    // As if the program had been moved since: the file is that which an older program wrote.
    let moved = connected.replace(real, "/nowhere/mgp");
    fs::write(patient.host_file(), &moved).unwrap();
    mends(&patient, "cursor", "host-program-missing");
    let text: Value = serde_json::from_str(&fs::read_to_string(&record).unwrap()).unwrap();
    assert_eq!(text["edits"][0]["removed"][0], "time", "{text}");
    patient.user.run(&["disconnect", "cursor", "--yes"]).succeeds();
    let after: Value = serde_json::from_str(&fs::read_to_string(patient.host_file()).unwrap()).unwrap();
    assert_eq!(after, serde_json::from_str::<Value>(&before).unwrap());
}

#[test]
fn a_host_mended_since_it_was_connected_gets_its_old_bytes_back() {
    let patient = Patient::new();
    patient.write_host(&[r#""time":   {"command": "uvx", "args": ["mcp-server-time"]}"#]);
    let before = fs::read(patient.host_file()).unwrap();
    patient.user.run(&["connect", "cursor", "--yes"]).succeeds();
    let (command, copy) = patient.command_of_copy(&["doctor", "--fix", "cursor"]);
    let mended = ended(command, "");
    assert!(
        mended.stdout.contains("mended: cursor: ") && mended.stdout.contains("host-program-other"),
        "{mended:?}"
    );
    let connected = fs::read_to_string(patient.host_file()).unwrap();
    assert!(connected.contains(copy.canonicalize().unwrap().to_str().unwrap()), "{connected}");
    let back = patient.user.run(&["disconnect", "cursor", "--yes"]).succeeds();
    assert!(back.stdout.contains("the file gets its old content"), "{back:?}");
    assert_eq!(fs::read(patient.host_file()).unwrap(), before);
}

#[test]
fn a_server_with_a_token_of_its_user_needs_no_login() {
    let patient = Patient::new();
    patient
        .configure("[[servers]]\nid = \"s\"\nurl = \"https://server.example/mcp\"\nauth = { oauth = {} }\n");
    let finds_it = || patient.doctor(&[]).stdout.contains("docs/doctor.md#server-login");
    assert!(finds_it());
    let store = SecretStore::in_folder(&patient.state(""));
    store.change(|secrets| secrets.insert("oauth:https://server.example/mcp".into(), "{}".into())).unwrap();
    assert!(!finds_it());
}
