//! Our own programs: built once, before other people's clients and servers are started with them.

use crate::{cargo, workspace};
use std::{path::PathBuf, process::Stdio};
use tokio::process::Command;

/// One build of all programs, because Cargo chooses features for all packages of a build together: another choice of packages would
/// build most of the workspace again.
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

/// Builds `mgp`, the programs of the conformance suite and the example servers, in the development profile.
///
/// # Errors
/// A text that says that cargo does not run or that it failed.
pub async fn build_programs() -> Result<(), String> {
    let mut command = Command::from(cargo());
    command.args(BUILD).current_dir(workspace::root()).stdin(Stdio::null()).kill_on_drop(true);
    let status = command.status().await.map_err(|error| format!("failed to run cargo: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err("failed to build mgp, the conformance programs and the example servers".to_owned())
    }
}

/// Returns the path of one of the programs, relative to the folder of the build: `mgp`, or `examples/add`.
#[must_use]
pub fn program_path(name: &str) -> PathBuf {
    workspace::target().join("debug").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}
