//! The JSON of `mgp status`, as far as the page shows it.

use mgp_types::{
    lifecycle::{ClosedToolsReport, HostReport, ServerNotice, ServerReport},
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
    pub(super) traffic: Option<Traffic>,
}

/// The calls of the last minutes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Traffic {
    pub(super) minutes: u64,
    #[serde(flatten)]
    pub(super) sum: Calls,
    /// The calls that reached no server.
    pub(super) refused: u64,
    /// The tokens of tools that hosts did not read since the start, because they searched instead.
    pub(super) tokens_spared: Option<u64>,
    pub(super) servers: Vec<ServerTraffic>,
}

/// The calls of one server.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ServerTraffic {
    pub(super) server_id: String,
    #[serde(flatten)]
    pub(super) sum: Calls,
}

/// Calls, and the time that they took.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Calls {
    pub(super) calls: u64,
    pub(super) errors: u64,
    pub(super) p50_ms: Option<u64>,
    pub(super) p95_ms: Option<u64>,
}

impl Calls {
    /// Returns the calls a minute, with one digit after the point if there are few.
    pub(super) fn per_minute(&self, minutes: u64) -> String {
        let tenths = self.calls.saturating_mul(10) / minutes.max(1);
        if tenths >= 100 { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_a_digit_only_if_it_is_low() {
        let rate = |calls, minutes| Calls { calls, ..Calls::default() }.per_minute(minutes);
        assert_eq!(
            [rate(0, 5), rate(7, 5), rate(49, 5), rate(50, 5), rate(1000, 1)],
            ["0.0", "1.4", "9.8", "10", "1000"]
        );
        assert_eq!(rate(3, 0), "3.0");
    }
}
