//! Ours: `mgp serve` with its defaults, every tool shown and every agent allowed. Its audit goes into SQLite.

use super::{
    process::{self, Process},
    server::Target,
};
use crate::{adder::NAME, measure::Settings, wire::HttpCaller};
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};
use tokio::process::Command;
use xtask_install::{cargo, run_build, workspace};

/// The path of its endpoint.
pub(crate) const PATH: &str = "/mcp";

/// The folder of its state, in the folder of its files.
pub(crate) const STATE: &str = "state";

/// The features of the program of a release.
const FEATURES: &str = "--features=cedar,otlp,postgres";

/// Returns the program that the settings name, or builds it as it is released.
pub(crate) async fn program(settings: &Settings) -> Result<PathBuf, String> {
    match &settings.program {
        None => build().await,
        Some(program) if program.is_file() => Ok(program.clone()),
        Some(program) => {
            Err(format!("--program: expected the path of `mgp`, found no file at `{}`", program.display()))
        }
    }
}

async fn build() -> Result<PathBuf, String> {
    let mut command = Command::from(cargo());
    command.args(["build", "--profile=dist", "--quiet", "--package=mgp", "--bin=mgp", FEATURES]);
    if !run_build(command).await? {
        return Err("failed to build mgp".to_owned());
    }
    Ok(workspace::target().join("dist").join(format!("mgp{}", std::env::consts::EXE_SUFFIX)))
}

/// Starts the kernel and waits until a call through it is answered. `tables` are the tables of its configuration beyond the defaults.
pub(crate) async fn start(
    program: &Path,
    target: &Target,
    tables: &str,
    folder: &Path,
) -> Result<(Process, SocketAddr), String> {
    let file = folder.join("mgp.toml");
    std::fs::write(&file, configuration(target, tables))
        .map_err(|error| format!("failed to write a file: {error}"))?;
    let address = process::free_address()?;
    let mut command = Command::new(program);
    command.arg("serve").arg("--config").arg(&file).arg("--state-dir").arg(folder.join(STATE));
    // It would replace the database of the configuration.
    command.env_remove("MGP_STORE_URL");
    command.arg("--http").arg(address.to_string());
    let process = Process::start(command, "mgp", folder)?;
    process.ready(|| HttpCaller::ready(address, PATH, NAME)).await?;
    Ok((process, address))
}

fn configuration(target: &Target, tables: &str) -> String {
    // Paths and addresses look the same in a TOML string in double quotes as in Rust's debug format.
    let server = match target {
        Target::Child(program) => format!("command = {program:?}\nargs = [\"--server\", \"stdio\"]"),
        Target::Url(url) => format!("url = {url:?}"),
    };
    format!(
        "[kernel]\nagent = \"bench\"\nexposure = \"full\"\ndefault_policy = \"opt-out\"\n\n\
         [[servers]]\nid = \"adder\"\n{server}\n\n{tables}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_given_program_is_not_built() {
        let given = |path: PathBuf| Settings { program: Some(path), ..Settings::default() };
        let this = std::env::current_exe().unwrap();
        assert_eq!(program(&given(this.clone())).await, Ok(this));
        let error = program(&given("no/mgp".into())).await.unwrap_err();
        assert_eq!(error, "--program: expected the path of `mgp`, found no file at `no/mgp`");
    }
}
