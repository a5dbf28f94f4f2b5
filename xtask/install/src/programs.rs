//! Our own programs: built once, before other people's clients and servers are started with them.

use crate::{cargo, workspace};
use std::{path::PathBuf, process::Stdio, time::Duration};
use tokio::process::Command;

/// The arguments of the one build of all programs. Cargo chooses features for all packages of a build together, so another choice of
/// packages would build most of the workspace again.
const BUILD: &[&str] = &[
    "build",
    "--quiet",
    "--package=mgp",
    "--package=mgp-server-sdk",
    "--package=mgp-conformance-fixture",
    "--package=mgp-conformance-client",
    "--bin=mgp",
    "--bin=conformance-server",
    "--bin=conformance-client",
    "--example=add",
    "--example=deploy",
    "--example=everything",
    "--example=tickets",
];

/// The time limit for the build. It may have to build everything.
const TIMEOUT: Duration = Duration::from_secs(45 * 60);

/// Builds `mgp`, the programs of the conformance suite and the example servers, in the development profile.
///
/// # Errors
/// Cargo cannot be run, or the build fails or meets its time limit.
pub async fn build_programs() -> Result<(), String> {
    let mut command = Command::from(cargo());
    command.args(BUILD).current_dir(workspace::root()).stdin(Stdio::null()).kill_on_drop(true);
    let built = tokio::time::timeout(TIMEOUT, command.status()).await;
    let status = built.map_err(|_| format!("cargo build took longer than {TIMEOUT:?}"))?;
    if status.map_err(|error| format!("failed to run cargo: {error}"))?.success() {
        Ok(())
    } else {
        Err("failed to build mgp, the conformance programs and the example servers".to_owned())
    }
}

/// Returns the path of a program in the development build. `name` is relative to that folder: `mgp`, or `examples/add`.
#[must_use]
pub fn program_path(name: &str) -> PathBuf {
    workspace::target().join("debug").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}
