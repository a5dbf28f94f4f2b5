//! The JSON of `mgp status`, as far as the page shows it.

use crate::{commands::CommandError, page::Context};
use mgp_types::lifecycle::{HostReport, ServerReport};
use serde::Deserialize;

/// The answer of `mgp status`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Status {
    pub(super) kernels: Vec<Gateway>,
    pub(super) replicas: Option<Vec<Gateway>>,
}

/// A gateway. Its fields are not flattened, because what servers say about their health is kept as text.
#[derive(Debug, Deserialize)]
pub(super) struct Gateway {
    /// The address, if it is on another machine.
    #[serde(default)]
    pub(super) address: String,
    /// The age of the report of a gateway on another machine.
    #[serde(default)]
    pub(super) reported_secs_ago: u64,
    pub(super) pid: u32,
    pub(super) version: String,
    pub(super) started_at: String,
    pub(super) servers: Vec<ServerReport>,
    pub(super) hosts: Vec<HostReport>,
}

impl Status {
    /// Reads the status; `Err` if no gateway runs.
    pub(super) async fn read(context: &Context) -> Result<Self, CommandError> {
        context.read(&["status", "--no-checks"]).await
    }

    /// Returns all gateways.
    pub(super) fn gateways(&self) -> impl Iterator<Item = &Gateway> {
        self.kernels.iter().chain(self.replicas.iter().flatten())
    }

    /// Returns the hosts of all gateways.
    pub(super) fn hosts(&self) -> impl Iterator<Item = &HostReport> {
        self.gateways().flat_map(|gateway| &gateway.hosts)
    }

    /// Returns the names of a server's tools, each once, if they were asked for.
    pub(super) fn tools(&self, server: &str) -> Vec<String> {
        let of_server = |found: &&ServerReport| found.id == server;
        let servers = self.gateways().flat_map(|gateway| &gateway.servers).filter(of_server);
        let mut names: Vec<_> = servers.flat_map(|server| server.tools.iter().cloned()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns the ids of the servers of all gateways, each once.
    pub(super) fn servers(&self) -> Vec<&str> {
        let mut ids: Vec<_> =
            self.gateways().flat_map(|gateway| &gateway.servers).map(|server| server.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }
}
