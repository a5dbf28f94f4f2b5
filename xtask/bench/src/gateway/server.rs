//! The server behind every gateway: this program itself, asked to be one.

use super::process::{self, Process};
use crate::{adder, measure::Settings, wire::HttpCaller};
use std::{net::SocketAddr, path::Path};
use tokio::process::Command;

/// How the server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    Stdio,
    Http(SocketAddr),
}

/// Where the server's endpoint is.
pub(super) const PATH: &str = "/mcp";

/// Serves until the stream or the process ends.
pub(crate) fn serve(over: Over, settings: &Settings) -> Result<(), String> {
    settings.runtime()?.block_on(async {
        let server = adder::server()?;
        let served = match over {
            Over::Stdio => server.serve_stdio().await,
            Over::Http(address) => server.serve_http(address).await,
        };
        served.map_err(|error| error.to_string())
    })
}

/// What a gateway is told of the server in front of which it stands.
#[derive(Debug, Clone)]
pub(super) enum Target {
    /// A program that it starts with `--server stdio`.
    Child(String),
    /// An address that it calls.
    Url(String),
}

/// This program, as a configuration names it.
pub(super) fn myself() -> Result<String, String> {
    let path = std::env::current_exe().map_err(|error| format!("failed to find this program: {error}"))?;
    path.to_str().map(str::to_owned).ok_or_else(|| format!("{} is not valid UTF-8", path.display()))
}

/// Starts the server over HTTP and waits until it answers.
pub(super) async fn start(folder: &Path) -> Result<(Process, SocketAddr), String> {
    let address = process::free_address()?;
    let mut command = Command::new(myself()?);
    command.arg("--server").arg(address.to_string());
    let process = Process::start(command, "the server", folder)?;
    process.ready(|| HttpCaller::ready(address, PATH, adder::NAME)).await?;
    Ok((process, address))
}
