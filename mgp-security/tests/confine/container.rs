//! Servers in containers of an engine that notes its commands, and runs a shell in place of the image.

use crate::support::Rig;
use mgp_security::confine::{Confinement, ConfinementRunner, EGRESS_PORT, Profile};
use mgp_transport::{child::ChildCommand, egress::EgressProxy};
use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf, sync::Arc, time::Duration};
use xtask_testing::until;

/// The time limit of a run.
const LONG: Duration = Duration::from_secs(60);

/// Makes an engine whose `create` runs a script, and returns its program.
fn engine(rig: &Rig, create: &str) -> PathBuf {
    let program = rig.root.join("podman");
    let notes = rig.root.join("commands");
    let script = format!(
        r#"#!/bin/sh
echo "$@" >> {notes}
case $1 in
info) echo "false false" ;;
create) cat >> {notes}; {create} ;;
start) echo started; read -r line; echo "got $line" ;;
esac
"#,
        notes = notes.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

fn commands(rig: &Rig) -> String {
    fs::read_to_string(rig.root.join("commands")).unwrap_or_default()
}

/// Returns the command of a server that runs an image in a confined container.
fn server(rig: &Rig, engine: &std::path::Path) -> ChildCommand {
    let program = engine.to_str().unwrap();
    let profile = Profile { runner: ConfinementRunner::Container, ..rig.profile(program) };
    let confinement = Confinement::new("s", profile).unwrap().egress(EgressProxy::new());
    let command =
        ChildCommand::new("s", program).args(["run", "-i", "--rm", "-e", "TOKEN", "example/image", "serve"]);
    command.env("TOKEN", "secret").setup(Arc::new(confinement))
}

#[tokio::test]
async fn a_container_is_made_started_and_removed() {
    let rig = Rig::new();
    let engine = engine(&rig, ":");
    let run = server(&rig, &engine).run(b"hello\n", 1000, LONG).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&run.output), "started\ngot hello\n");
    let commands = commands(&rig);
    let line =
        |word: &str| commands.lines().find(|line| line.starts_with(word)).unwrap_or_default().to_owned();
    let create = line("create");
    assert!(create.contains("--network=none") && create.ends_with("example/image serve"), "{commands}");
    assert!(commands.contains("\nTOKEN=secret\n") && !create.contains("secret"), "{commands}");
    let name = create.split(' ').find_map(|word| word.strip_prefix("--name=")).unwrap();
    assert_eq!(line("start"), format!("start --attach --interactive {name}"));
    assert_eq!(line("rm"), format!("rm --force {name}"));
}

#[tokio::test]
async fn a_container_that_is_not_started_is_removed() {
    let rig = Rig::new();
    for (create, expected) in [
        ("echo 'Error: no such image' >&2; exit 125", "no such image"),
        ("echo 'WARNING: No memory limit support, limit discarded' >&2", "does not enforce a limit"),
    ] {
        let error = server(&rig, &engine(&rig, create)).run(b"", 1000, LONG).await.unwrap_err().to_string();
        assert!(
            error.contains("it cannot be confined in a container") && error.contains(expected),
            "{error}"
        );
        // The setup ends where the start failed.
        until(|| commands(&rig).contains("rm --force mgp-")).await;
        assert!(!commands(&rig).contains("start --attach"), "{}", commands(&rig));
        fs::remove_file(rig.root.join("commands")).unwrap();
    }
}

#[tokio::test]
async fn a_container_whose_network_cannot_be_entered_is_not_started() {
    let mut rig = Rig::new();
    rig.settings.hosts = Some(vec!["example.com".parse().unwrap()]);
    let error = server(&rig, &engine(&rig, ":")).run(b"", 1000, LONG).await.unwrap_err().to_string();
    assert!(error.contains("the way to its hosts: the container has no process"), "{error}");
    let commands = commands(&rig);
    assert!(
        commands.contains("init mgp-")
            && commands.contains(&format!("HTTPS_PROXY=http://127.0.0.1:{EGRESS_PORT}\n")),
        "{commands}"
    );
    assert!(!commands.contains("start --attach"), "{commands}");
}

#[tokio::test]
async fn an_engine_that_does_not_answer_is_the_reason() {
    let rig = Rig::new();
    let missing = rig.root.join("docker");
    let error = server(&rig, &missing).run(b"", 1000, LONG).await.unwrap_err().to_string();
    assert!(error.contains("it needs podman or docker") && error.contains("cannot be started"), "{error}");
}
