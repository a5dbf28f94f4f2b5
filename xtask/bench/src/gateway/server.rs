//! The server behind every gateway: this program itself, started as a server.

use super::process::{self, Process};
use crate::{adder, measure::Settings, wire::HttpCaller};
use std::{net::SocketAddr, path::Path};
use tokio::process::Command;

/// The transport of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerTransport {
    Stdio,
    Http(SocketAddr),
}

/// The path of the server's endpoint.
pub(crate) const PATH: &str = "/mcp";

/// Serves until the stream or the process ends.
pub(crate) fn serve(over: ServerTransport, settings: &Settings) -> Result<(), String> {
    settings.runtime()?.block_on(async {
        let server = adder::server()?;
        let served = match over {
            ServerTransport::Stdio => server.serve_stdio().await,
            ServerTransport::Http(address) => server.serve_http(address).await,
        };
        served.map_err(|error| error.to_string())
    })
}

/// The address of the server that a gateway stands in front of.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// A program that the gateway starts with `--server stdio`.
    Child(String),
    /// A URL that the gateway calls.
    Url(String),
}

/// Returns the path of this program, in the form for a configuration.
pub(crate) fn myself() -> Result<String, String> {
    let path = std::env::current_exe().map_err(|error| format!("failed to find this program: {error}"))?;
    path.to_str().map(str::to_owned).ok_or_else(|| format!("{} is not valid UTF-8", path.display()))
}

/// Starts the server over HTTP and waits until it answers.
pub(crate) async fn start(folder: &Path) -> Result<(Process, SocketAddr), String> {
    let address = process::free_address()?;
    let mut command = Command::new(myself()?);
    command.arg("--server").arg(address.to_string());
    let process = Process::start(command, "the server", folder)?;
    process.ready(|| HttpCaller::ready(address, PATH, adder::NAME)).await?;
    Ok((process, address))
}
