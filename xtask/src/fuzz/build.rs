//! Builds the targets with the compiler of the workspace: what cargo-fuzz does, without its nightly.
//!
//! LLVM's pass that counts what was reached is asked for with stable options. Sanitizers need a nightly, and find little in code
//! without `unsafe`: panics, failed assertions, overflows, hanging and memory without a bound are found without them.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::process::cargo;
use crate::workspace;

/// The folder of the targets, a workspace of its own.
pub(super) const FOLDER: &str = "fuzz";
/// Where they are built, and where they leave what they find.
pub(super) const OUTPUT: &str = "target/fuzz";

/// `fuzzing` opens what is not public to the targets. Level 4 counts edges and calls; comparisons show the fuzzer which bytes a
/// branch waits for.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Builds all of them and says where they are.
pub(super) fn all() -> Result<PathBuf, String> {
    require_cpp()?;
    let host = host()?;
    let manifest = format!("{FOLDER}/Cargo.toml");
    // With a target named, the flags are not for build scripts and macros, which run before there is a fuzzer.
    let mut command = cargo(&["build", "--release", "--locked", "--manifest-path", &manifest]);
    command.args(["--target", &host, "--target-dir", OUTPUT]).env("RUSTFLAGS", FLAGS);
    let status = command.status().map_err(|error| format!("failed to run {command:?}: {error}"))?;
    if !status.success() {
        return Err(format!("the targets in {FOLDER}/ do not build: {status}"));
    }
    Ok(workspace::root().join(OUTPUT).join(host).join("release"))
}

fn require_cpp() -> Result<(), String> {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let status =
        Command::new(&compiler).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if status.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    Err(format!(
        "`{compiler}` does not run: the fuzzer is compiled from C++, so a compiler such as g++ is needed"
    ))
}

/// The platform that this compiler builds for by itself.
fn host() -> Result<String, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").current_dir(workspace::root()).output();
    let output = output.map_err(|error| format!("failed to run rustc: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not say for which host it builds".to_owned())
}
