//! The JSON of `mgp status`, as far as the page shows it.

use mgp_types::{
    lifecycle::{ClosedToolsReport, HostReport, ServerNotice, ServerReport, TrafficReport},
    permission::WaitingTools,
};
use serde::Deserialize;

/// The answer of `mgp status`.
#[derive(Debug, Deserialize)]
pub(super) struct Status {
    pub(super) kernels: Vec<Gateway>,
    #[serde(default)]
    pub(super) replicas: Option<Vec<Gateway>>,
    #[serde(default)]
    pub(super) questions: Option<Questions>,
    #[serde(default)]
    pub(super) transactions_rolled_back_in_part: Option<u64>,
    #[serde(default)]
    pub(super) database_error: Option<String>,
}

impl Status {
    /// Returns all gateways, those of other machines last.
    pub(super) fn gateways(&self) -> impl Iterator<Item = &Gateway> {
        self.kernels.iter().chain(self.replicas.iter().flatten())
    }
}

/// A gateway. Its fields are not flattened, because what servers say about their health is kept as text.
#[derive(Debug, Deserialize)]
pub(super) struct Gateway {
    /// The address, if it is on another machine.
    #[serde(default)]
    pub(super) address: Option<String>,
    pub(super) version: String,
    pub(super) started_at: String,
    pub(super) uptime_secs: u64,
    #[serde(default)]
    pub(super) configuration: Option<String>,
    /// The changed keys that only a restart applies.
    #[serde(default)]
    pub(super) needs_restart: Vec<String>,
    pub(super) servers: Vec<ServerReport>,
    pub(super) hosts: Vec<HostReport>,
    pub(super) parked_calls: u64,
    #[serde(default)]
    pub(super) waiting: Vec<WaitingTools>,
    #[serde(default)]
    pub(super) closed: Vec<ClosedToolsReport>,
    #[serde(default)]
    pub(super) notices: Vec<ServerNotice>,
    #[serde(default)]
    pub(super) traffic: Option<TrafficReport>,
}

/// The numbers of questions that wait for a decision.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Questions {
    pub(super) permissions: u64,
    pub(super) calls: u64,
    pub(super) servers: u64,
    pub(super) definitions: u64,
}

impl Questions {
    pub(super) const fn sum(&self) -> u64 {
        self.permissions + self.calls + self.servers + self.definitions
    }
}
