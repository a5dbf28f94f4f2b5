//! `mgp update`, `mgp --version` and the manual pages, of programs in planted folders.

use crate::support::{User, ended};
use std::{fs, process::Command};

/// Copies the program into the user's folder, with files around it. Returns the output of its run with arguments.
fn planted(user: &User, files: &[(&str, &str)]) -> impl Fn(&[&str]) -> String + use<> {
    let program = user.path("app/bin/mgp");
    for (path, text) in files {
        let path = user.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    let built = user.command(&[]).get_program().to_owned();
    if fs::hard_link(&built, &program).is_err() {
        fs::copy(built, &program).unwrap();
    }
    move |arguments| {
        let mut command = Command::new(&program);
        command.args(arguments);
        ended(command, "").succeeds().stdout
    }
}

const MARKER: (&str, &str) = ("app/share/mgp/package.toml", "installed_by = \"deb\"\npackage = \"mgp-rs\"\n");

#[test]
fn the_version_and_the_update_name_the_package() {
    let user = User::new();
    let run = planted(&user, &[MARKER]);
    let version = run(&["--version"]);
    let (first, installed) = version.split_once('\n').unwrap();
    assert_eq!(first, concat!("mgp ", env!("CARGO_PKG_VERSION")));
    assert!(installed.starts_with("installed by a .deb package as mgp-rs: /"), "{installed}");
    assert!(installed.ends_with("app/bin/mgp\n"), "{installed}");

    let update = run(&["update"]);
    assert!(update.ends_with("/releases\nsudo apt install ./mgp-rs_*.deb\n"), "{update}");
    let update: serde_json::Value = serde_json::from_str(&run(&["--json", "update"])).unwrap();
    assert_eq!(update["installed_by"], "deb");
    assert_eq!(update["command"], "sudo apt install ./mgp-rs_*.deb");
}

#[test]
fn a_program_without_a_package_is_sent_to_the_releases() {
    let user = User::new();
    let run = planted(&user, &[]);
    let update: serde_json::Value = serde_json::from_str(&run(&["--json", "update"])).unwrap();
    assert_eq!(update["installed_by"], "unknown");
    assert!(update["command"].is_null());
    assert!(update["download"].as_str().unwrap().ends_with("/releases"));
    assert!(run(&["update"]).starts_with("# the latest version: https://"));
}

#[test]
fn every_command_has_a_manual_page() {
    let user = User::new();
    let folder = user.path("man");
    user.run(&["man", folder.to_str().unwrap()]).succeeds();
    for page in ["mgp.1", "mgp-serve.1", "mgp-tools-search.1"] {
        assert!(fs::read_to_string(folder.join(page)).unwrap().contains(".TH"), "{page}");
    }
    fs::write(user.path("file"), "").unwrap();
    user.run(&["man", user.path("file").to_str().unwrap()]).fails_with(1);
}
