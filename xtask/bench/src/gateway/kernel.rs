//! Ours: `mgp serve` with its defaults, every tool shown and every agent allowed. Its audit goes into SQLite.

use super::{
    process::{self, Process},
    server::Target,
};
use crate::{adder::NAME, wire::HttpCaller};
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};
use tokio::process::Command;
use xtask_install::{cargo, run_build, workspace};

/// The path of its endpoint.
pub(super) const PATH: &str = "/mcp";

/// Builds the program as it is released.
pub(crate) async fn build() -> Result<PathBuf, String> {
    let mut command = Command::from(cargo());
    command.args(["build", "--profile=dist", "--quiet", "--package=mgp", "--bin=mgp"]);
    if !run_build(command).await? {
        return Err("failed to build mgp".to_owned());
    }
    Ok(workspace::target().join("dist").join(format!("mgp{}", std::env::consts::EXE_SUFFIX)))
}

/// Starts the kernel and waits until a call through it is answered.
pub(super) async fn start(
    program: &Path,
    target: &Target,
    folder: &Path,
) -> Result<(Process, SocketAddr), String> {
    let file = folder.join("mgp.toml");
    std::fs::write(&file, configuration(target))
        .map_err(|error| format!("failed to write a file: {error}"))?;
    let address = process::free_address()?;
    let mut command = Command::new(program);
    command.arg("serve").arg("--config").arg(&file).arg("--state-dir").arg(folder.join("state"));
    command.arg("--http").arg(address.to_string());
    let process = Process::start(command, "mgp", folder)?;
    process.ready(|| HttpCaller::ready(address, PATH, NAME)).await?;
    Ok((process, address))
}

fn configuration(target: &Target) -> String {
    // Paths and addresses look the same in a TOML string in double quotes as in Rust's debug format.
    let server = match target {
        Target::Child(program) => format!("command = {program:?}\nargs = [\"--server\", \"stdio\"]"),
        Target::Url(url) => format!("url = {url:?}"),
    };
    format!(
        "[kernel]\nagent = \"bench\"\nexposure = \"full\"\ndefault_policy = \"opt-out\"\n\n\
         [[servers]]\nid = \"adder\"\n{server}\n"
    )
}
