//! Builds the fuzzer with the compiler of the workspace, as cargo-fuzz does with a nightly.
//!
//! The coverage counters of LLVM are enabled with stable options. Sanitizers need a nightly, and find little in code without
//! `unsafe`: panics, failed assertions, overflows, hangs and unbounded memory are found without them.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::process::cargo;
use crate::workspace;

/// The workspace of the fuzzer and of the kept inputs.
pub(super) const FOLDER: &str = "fuzz";
/// The folder of the built fuzzer, and of the inputs that it finds.
pub(super) const OUTPUT: &str = "target/fuzz";

/// Level 4 counts edges and calls; comparisons show the fuzzer which bytes a branch waits for.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Builds the fuzzer with all targets. Returns the path of its program.
pub(super) fn fuzzer() -> Result<PathBuf, String> {
    require_cpp()?;
    let host = host()?;
    let manifest = format!("{FOLDER}/Cargo.toml");
    // With a target triple, the flags do not apply to build scripts and macros, which run before the fuzzer exists.
    let mut command = cargo(&["build", "--release", "--locked", "--manifest-path", &manifest]);
    command.args(["--target", &host, "--target-dir", OUTPUT]).env("RUSTFLAGS", FLAGS);
    let status = command.status().map_err(|error| format!("failed to run {command:?}: {error}"))?;
    if !status.success() {
        return Err(format!("the fuzzer in {FOLDER}/ does not build: {status}"));
    }
    Ok(workspace::root().join(OUTPUT).join(host).join("release/fuzz"))
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

/// Returns the default platform of this compiler.
fn host() -> Result<String, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").current_dir(workspace::root()).output();
    let output = output.map_err(|error| format!("failed to run rustc: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not say for which host it builds".to_owned())
}
