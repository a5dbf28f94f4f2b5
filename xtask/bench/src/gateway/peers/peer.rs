//! A gateway of others: its package, its command line and its start.

use super::package::Package;
use crate::{
    gateway::{
        process::{self, Process},
        server::Target,
    },
    wire::{HttpCaller, post},
};
use std::{net::SocketAddr, path::Path};
use tokio::process::Command;

/// A gateway of others. Hosts reach all of them over HTTP.
#[derive(Debug)]
pub(in crate::gateway) struct Peer {
    /// The name and the version, for rows.
    pub(in crate::gateway) name: &'static str,
    /// The path of the endpoint.
    pub(in crate::gateway) path: &'static str,
    /// The name of the adder there.
    pub(in crate::gateway) tool: &'static str,
    /// The number of our calls in a round for each of this gateway's.
    pub(in crate::gateway) slower: usize,
    pub(super) package: Package,
    /// Returns the command that starts the gateway in front of a server, or the reason why the gateway does not support the server.
    pub(super) command: fn(&Start<'_>) -> Result<Command, String>,
    /// The request that names the server to a running gateway, if it is not part of the configuration.
    pub(super) registration: Option<Registration>,
}

/// A request that names a server to a running gateway.
#[derive(Debug)]
pub(super) struct Registration {
    pub(super) path: &'static str,
    /// Returns the JSON for a server.
    pub(super) body: fn(&Target) -> Result<String, String>,
}

/// The parts of a command that starts a gateway.
#[derive(Debug)]
pub(super) struct Start<'a> {
    pub(super) package: &'a Package,
    pub(super) target: &'a Target,
    /// A folder for the gateway's files.
    pub(super) folder: &'a Path,
    /// The address to listen on.
    pub(super) address: SocketAddr,
}

impl Start<'_> {
    /// Writes a file for the gateway, and returns its path.
    pub(super) fn file(&self, name: &str, text: &str) -> Result<std::path::PathBuf, String> {
        let path = self.folder.join(name);
        std::fs::write(&path, text).map_err(|error| format!("failed to write {name}: {error}"))?;
        Ok(path)
    }
}

impl Peer {
    /// Installs the gateway if it is missing.
    pub(in crate::gateway) async fn install(&self) -> Result<(), String> {
        self.package.install().await
    }

    /// Starts the gateway and waits until a call through it is answered.
    pub(in crate::gateway) async fn start(
        &self,
        target: &Target,
        folder: &Path,
    ) -> Result<(Process, SocketAddr), String> {
        let address = process::free_address()?;
        let mut command = (self.command)(&Start { package: &self.package, target, folder, address })?;
        command.current_dir(folder);
        let process = Process::start(command, self.name, folder)?;
        if let Some(registration) = &self.registration {
            let body = (registration.body)(target)?;
            process.ready(|| post(address, registration.path, &body)).await?;
        }
        process.ready(|| HttpCaller::ready(address, self.path, self.tool)).await?;
        Ok((process, address))
    }
}
