//! Examples as programs.

use std::process::Command;

/// Returns the command of an example of the tested crate, which cargo builds with the tests.
///
/// # Panics
/// Outside of a test.
#[must_use]
pub fn example(name: &str) -> Command {
    let test = std::env::current_exe().unwrap();
    Command::new(test.parent().and_then(|deps| deps.parent()).unwrap().join("examples").join(name))
}

/// Runs an example to its end, and returns its output.
///
/// # Panics
/// If the example is not built, fails, or prints nothing.
#[must_use]
pub fn run_example(name: &str) -> String {
    let ended = example(name).output();
    let ended = ended.unwrap_or_else(|error| panic!("{name}: {error}; `cargo build --examples` builds it"));
    assert!(ended.status.success(), "{name}: {}", String::from_utf8_lossy(&ended.stderr));
    assert!(!ended.stdout.is_empty(), "{name} shows its outcome");
    String::from_utf8(ended.stdout).unwrap()
}
