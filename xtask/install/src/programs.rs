//! Our own programs: built once, before other people's clients and servers are started with them.

use crate::{cargo, workspace};
use std::{path::PathBuf, process::Stdio, time::Duration};
use tokio::process::Command;

/// The features of our programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProgramFeatures {
    /// All of them. The programs share their libraries with the tests, so that hardly anything is built again.
    #[default]
    All,
    /// The default ones, as users build them.
    Default,
}

/// The programs. Cargo chooses features for all packages of a build together, so another choice of targets would rebuild most of the
/// workspace.
const TARGETS: &[&str] = &[
    "--bin=mgp",
    "--bin=conformance-server",
    "--bin=conformance-client",
    "--example=add",
    "--example=deploy",
    "--example=everything",
    "--example=tickets",
];

impl ProgramFeatures {
    /// Returns the choice of packages and features.
    const fn options(self) -> &'static [&'static str] {
        match self {
            Self::All => &["--workspace", "--all-features"],
            Self::Default => &[
                "--package=mgp",
                "--package=mgp-server-sdk",
                "--package=mgp-conformance-fixture",
                "--package=mgp-conformance-client",
            ],
        }
    }
}

/// The time limit for the build. It may have to build everything.
const TIMEOUT: Duration = Duration::from_secs(45 * 60);

/// Builds `mgp`, the programs of the conformance suite and the example servers, in the development profile.
///
/// # Errors
/// Cargo cannot be run, or the build fails or exceeds its time limit.
pub async fn build_programs(features: ProgramFeatures) -> Result<(), String> {
    let mut command = Command::from(cargo());
    command.args(["build", "--quiet"]).args(features.options()).args(TARGETS);
    if run_build(command).await? {
        Ok(())
    } else {
        Err("failed to build mgp, the conformance programs and the example servers".to_owned())
    }
}

/// Runs cargo to its end in the workspace's folder. Returns whether it succeeded.
///
/// # Errors
/// Cargo cannot be run, or exceeds its time limit.
pub async fn run_build(mut command: Command) -> Result<bool, String> {
    command.current_dir(workspace::root()).stdin(Stdio::null()).kill_on_drop(true);
    let ended = tokio::time::timeout(TIMEOUT, command.status()).await;
    let status = ended.map_err(|_| format!("cargo build took longer than {TIMEOUT:?}"))?;
    status.map(|status| status.success()).map_err(|error| format!("failed to run cargo: {error}"))
}

/// Returns the path of a program in the development build. `name` is relative to that folder: `mgp`, or `examples/add`.
#[must_use]
pub fn program_path(name: &str) -> PathBuf {
    workspace::target().join("debug").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}
