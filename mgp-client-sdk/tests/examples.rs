//! The examples, run as processes. Each of them checks its own outcome.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use xtask_testing::run_example;

#[test]
fn every_client_example_ends_well() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut count = 0;
    for file in folder.read_dir().unwrap() {
        let name = file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned();
        if name != "http_key" || cfg!(feature = "http") {
            let _ = run_example(&name);
            count += 1;
        }
    }
    assert!(count >= 8);
}

#[test]
fn a_stack_of_layers_serves_a_client() {
    let printed = run_example("stack");
    assert!(printed.contains("21 doubled: 42") && printed.contains("health: healthy"), "{printed}");
}
