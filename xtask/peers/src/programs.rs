//! Our own programs: built once, before the rows.

use crate::workspace;
use std::{path::PathBuf, process::Stdio};
use tokio::process::Command;
use xtask_install::cargo;

/// The paths of our own programs.
#[derive(Debug, Clone)]
pub(crate) struct Programs {
    /// The kernel.
    pub(crate) mgp: PathBuf,
    /// The example server with one tool.
    pub(crate) add: PathBuf,
    /// The example server that asks and publishes events.
    pub(crate) deploy: PathBuf,
    /// The example server with one item of each kind.
    pub(crate) everything: PathBuf,
    /// The example server with sources, session state and calls that can be undone.
    pub(crate) tickets: PathBuf,
    /// The server that MCP's conformance suite is run against.
    pub(crate) conformance: PathBuf,
    /// This program, which taps others.
    pub(crate) myself: PathBuf,
}

const BUILD: &[&str] = &[
    "build",
    "--quiet",
    "--package=mgp",
    "--package=mgp-server-sdk",
    "--package=mgp-conformance-fixture",
    "--bin=mgp",
    "--bin=conformance-server",
    "--example=add",
    "--example=deploy",
    "--example=everything",
    "--example=tickets",
];

/// Builds the programs in the development profile.
pub(crate) async fn build() -> Result<Programs, String> {
    let mut command = Command::from(cargo());
    command.args(BUILD).current_dir(workspace::root()).stdin(Stdio::null()).kill_on_drop(true);
    let status = command.status().await.map_err(|error| format!("failed to run cargo: {error}"))?;
    if !status.success() {
        return Err("failed to build mgp and the example servers".to_owned());
    }
    let folder = workspace::target().join("debug");
    let program = |name: &str| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let myself = std::env::current_exe().map_err(|error| format!("failed to find this program: {error}"))?;
    Ok(Programs {
        mgp: program("mgp"),
        add: program("examples/add"),
        deploy: program("examples/deploy"),
        everything: program("examples/everything"),
        tickets: program("examples/tickets"),
        conformance: program("conformance-server"),
        myself,
    })
}
