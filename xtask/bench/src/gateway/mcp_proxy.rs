//! The peer: mcp-proxy with its defaults. Hosts reach it over HTTP alone.

use super::{
    process::{self, Process},
    server::Target,
};
use crate::wire::HttpCaller;
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};
use tokio::process::Command;
use xtask_install::{is_strict, run, workspace};

/// The path of its endpoint.
pub(super) const PATH: &str = "/";
/// The name of the adder there.
pub(super) const TOOL: &str = "adder/add";

const VERSION: &str = "0.6.0";

/// Returns the program, installed below the target folder if it is missing. `None` is a skip that was reported.
pub(super) async fn program() -> Result<Option<PathBuf>, String> {
    let tools = workspace::target().join("tools");
    let program = tools.join("bin").join(format!("mcp-proxy{}", std::env::consts::EXE_SUFFIX));
    if program.is_file() {
        return Ok(Some(program));
    }
    eprintln!("installing mcp-proxy {VERSION}");
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // None of the features that are left out takes part in a call.
    command.args([
        "install",
        "mcp-proxy",
        "--version",
        VERSION,
        "--locked",
        "--no-default-features",
        "--root",
    ]);
    command.arg(&tools);
    match run(command, "cargo install mcp-proxy").await {
        Ok(()) => Ok(Some(program)),
        Err(error) if is_strict() => Err(error),
        Err(error) => {
            eprintln!("skipped: mcp-proxy is missing, its column is 0: {error}");
            Ok(None)
        }
    }
}

/// Starts the proxy and waits until a call through it is answered.
pub(super) async fn start(
    program: &Path,
    target: &Target,
    folder: &Path,
) -> Result<(Process, SocketAddr), String> {
    let (file, address) = (folder.join("proxy.toml"), process::free_address()?);
    std::fs::write(&file, configuration(target, address))
        .map_err(|error| format!("failed to write a file: {error}"))?;
    let mut command = Command::new(program);
    command.arg("--config").arg(&file);
    let process = Process::start(command, "mcp-proxy", folder)?;
    process.ready(|| HttpCaller::ready(address, PATH, TOOL)).await?;
    Ok((process, address))
}

fn configuration(target: &Target, address: SocketAddr) -> String {
    let backend = match target {
        Target::Child(program) => {
            format!("transport = \"stdio\"\ncommand = {program:?}\nargs = [\"--server\", \"stdio\"]")
        }
        Target::Url(url) => format!("transport = \"http\"\nurl = {url:?}"),
    };
    let (host, port) = (address.ip(), address.port());
    format!(
        "[proxy]\nname = \"bench\"\n\n[proxy.listen]\nhost = \"{host}\"\nport = {port}\n\n\
         [[backends]]\nname = \"adder\"\n{backend}\n"
    )
}
