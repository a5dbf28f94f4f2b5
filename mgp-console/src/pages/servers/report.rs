//! The output of `mgp status --json`, as far as the page shows it.

use mgp_types::{
    lifecycle::{ClosedToolsReport, HealthStatus, ServerNotice, ServerReport, ServerState},
    permission::WaitingTools,
};
use serde::Deserialize;

/// The output of `mgp status`.
#[derive(Debug, Deserialize)]
pub(super) struct Gateways {
    pub(super) kernels: Vec<Gateway>,
    #[serde(default)]
    pub(super) replicas: Option<Vec<Gateway>>,
}

/// A gateway of this machine, or a replica on another one.
#[derive(Debug, Deserialize)]
pub(super) struct Gateway {
    #[serde(default)]
    pid: u32,
    /// The address of a replica.
    #[serde(default)]
    address: Option<String>,
    pub(super) servers: Vec<ServerReport>,
    /// The tools that wait for a permission.
    #[serde(default)]
    pub(super) waiting: Vec<WaitingTools>,
    /// The tools that are hidden for another reason.
    #[serde(default)]
    pub(super) closed: Vec<ClosedToolsReport>,
    #[serde(default)]
    pub(super) notices: Vec<ServerNotice>,
}

impl Gateway {
    /// Returns the replica's address, or the gateway's process id.
    pub(super) fn name(&self) -> String {
        self.address.clone().unwrap_or_else(|| self.pid.to_string())
    }
}

impl Gateways {
    /// Returns all gateways, those of this machine first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Gateway> {
        self.kernels.iter().chain(self.replicas.iter().flatten())
    }

    /// Returns each gateway with each of its servers.
    pub(super) fn servers(&self) -> impl Iterator<Item = (&Gateway, &ServerReport)> {
        self.all().flat_map(|gateway| gateway.servers.iter().map(move |server| (gateway, server)))
    }
}

/// Returns whether an operator should look at a server.
pub(super) fn is_in_trouble(server: &ServerReport) -> bool {
    server.stopped
        || server.health_error.is_some()
        || server.health.is_some_and(|health| health != HealthStatus::Healthy)
        || !server.on_demand && server.state != ServerState::Connected
}

/// Returns whether a server changes its state by itself soon, so that the page is read again.
pub(super) fn is_on_its_way(server: &ServerReport) -> bool {
    use ServerState::{Connecting, Draining, Restarting};
    matches!(server.state, Connecting | Draining | Restarting)
}
