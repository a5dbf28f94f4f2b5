//! The examples, run as processes. Each of them checks its own outcome.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{path::PathBuf, process::Command};

/// Runs an example, which cargo builds beside the tests.
fn run(example: &str) {
    let test = std::env::current_exe().unwrap();
    let folder: PathBuf = test.parent().unwrap().parent().unwrap().join("examples");
    let ended = Command::new(folder.join(example)).output();
    let ended =
        ended.unwrap_or_else(|error| panic!("{example}: {error}; `cargo build --examples` builds it"));
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{example}: {said}");
    assert!(!ended.stdout.is_empty(), "{example} shows its outcome");
}

#[test]
fn every_example_of_a_client_ends_well() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut count = 0;
    for file in folder.read_dir().unwrap() {
        let name = file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned();
        let needs_all = matches!(&*name, "gate" | "http_key" | "kernel" | "section" | "stack");
        if !needs_all || cfg!(all(feature = "http", feature = "kernel")) {
            run(&name);
            count += 1;
        }
    }
    assert!(count >= 8);
}
