//! Child processes whose output is kept and shown.

use std::env;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use cargo_metadata::Metadata;

use crate::workspace;

/// A child that ended.
#[derive(Debug)]
pub(crate) struct ProcessEnd {
    pub(crate) status: ExitStatus,
    /// Both streams, stdout first.
    pub(crate) output: String,
}

/// Returns cargo in the workspace's folder.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    forget_package(&mut command);
    command.args(arguments).current_dir(workspace::root()).stdin(Stdio::null());
    command
}

/// Removes the variables by which the running cargo describes this program's package. Build scripts such as ring's depend on these, and would
/// run again, with everything that depends on them.
pub(crate) fn forget_package(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let of_package = |name: &str| ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|of| name.starts_with(of));
        if name.to_str().is_some_and(of_package) {
            command.env_remove(name);
        }
    }
}

/// Runs the child to its end and passes its output on.
pub(crate) fn run_shown(command: &mut Command) -> Result<ProcessEnd, String> {
    // The runners' closing lines are read: colour codes would hide them.
    command.env("CARGO_TERM_COLOR", "never").stdout(Stdio::piped()).stderr(Stdio::piped());
    let spawned = command.spawn();
    let mut child = spawned.map_err(|error| format!("failed to run {command:?}: {error}"))?;
    let out = child.stdout.take().map(|stream| thread::spawn(|| copy(stream, io::stdout())));
    let err = child.stderr.take().map(|stream| thread::spawn(|| copy(stream, io::stderr())));
    let mut output = Vec::new();
    for stream in [out, err].into_iter().flatten() {
        output.extend(stream.join().map_err(|_| format!("lost the output of {command:?}"))?);
    }
    let status = child.wait().map_err(|error| format!("failed to wait for {command:?}: {error}"))?;
    Ok(ProcessEnd { status, output: String::from_utf8_lossy(&output).into_owned() })
}

/// Runs a cargo command to its end in a target folder, and then shows all of its output, because other commands print meanwhile.
pub(crate) fn run_in_target(command: &mut Command, target: &Path) -> Result<ProcessEnd, String> {
    command.env("CARGO_TARGET_DIR", target).env("CARGO_TERM_COLOR", "never");
    let arguments: Vec<_> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
    let arguments = arguments.join(" ");
    println!("-- cargo {arguments}");
    let ended = command.output().map_err(|error| format!("failed to run {command:?}: {error}"))?;
    let output = [ended.stdout, ended.stderr].map(|stream| String::from_utf8_lossy(&stream).into_owned());
    let output = output.concat();
    println!("-- cargo {arguments} ended with {}\n{output}", ended.status);
    Ok(ProcessEnd { status: ended.status, output })
}

fn copy(mut from: impl Read, mut to: impl Write) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut buffer = [0; 8192];
    while let Ok(length) = from.read(&mut buffer) {
        let Some(piece) = buffer.get(..length).filter(|piece| !piece.is_empty()) else { break };
        kept.extend_from_slice(piece);
        // If the reader of our output is gone, the child continues.
        let _ = to.write_all(piece).and_then(|()| to.flush());
    }
    kept
}

/// Returns `true` if `cargo SUBCOMMAND` is installed.
pub(crate) fn has_subcommand(name: &str) -> bool {
    let mut command = cargo(&[name, "--version"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Runs the program of another package of this workspace, for dependencies that xtask itself must not have.
pub(crate) fn run_package(package: &str, options: &[&str], arguments: &[String]) -> Result<(), String> {
    run_package_with(package, options, arguments, |_| ())
}

/// Runs the program of another package like [`run_package`], with a changed command, for example with more variables.
pub(crate) fn run_package_with(
    package: &str,
    options: &[&str],
    arguments: &[String],
    change: impl FnOnce(&mut Command),
) -> Result<(), String> {
    workspace_with(package)?;
    let mut command = cargo(&["run"]);
    command.args(options).args(["-p", package, "--"]).args(arguments);
    change(&mut command);
    let status = command.status().map_err(|error| format!("failed to run {command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{package} ended with {status}")) }
}

/// Returns the workspace. If it lacks a package, fails with one clear line instead of cargo's many.
pub(crate) fn workspace_with(package: &str) -> Result<Metadata, String> {
    let workspace = workspace::members()?;
    if workspace.packages.iter().any(|member| member.name.as_str() == package) {
        return Ok(workspace);
    }
    Err(format!(
        "the package `{package}` is not a member of this workspace: add it to `members` in Cargo.toml"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_package_is_named() {
        let error = run_package("xtask-nothing", &[], &[]).unwrap_err();
        assert!(error.contains("`xtask-nothing` is not a member"), "{error}");
    }

    #[test]
    fn output_is_kept_and_the_status_is_the_child_s() {
        let finished = run_shown(&mut cargo(&["--version"])).unwrap();
        assert!(finished.status.success());
        assert!(finished.output.starts_with("cargo "), "{}", finished.output);
        assert!(!run_shown(&mut cargo(&["no-such-subcommand"])).unwrap().status.success());
    }
}
