//! `[telemetry]`: the metrics of a gateway.

use super::http::address;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;

/// The `[telemetry]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TelemetryConfig {
    /// The address at which `/metrics` is served. `None` if the kernel counts nothing.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "address")]
    pub metrics: Option<SocketAddr>,
    /// True if the address may be one that other machines can reach.
    pub metrics_open: bool,
    /// The most tools that are counted each by itself. The others are counted together.
    pub metrics_tools: usize,
}

impl Default for TelemetryConfig {
    fn default() -> Self {
        Self { metrics: None, metrics_open: false, metrics_tools: 250 }
    }
}
