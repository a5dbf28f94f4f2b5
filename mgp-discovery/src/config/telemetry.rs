//! `[telemetry]`: the metrics and the spans of a gateway.

use super::{http::address, text::Secret};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;

/// The `[telemetry]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TelemetryConfig {
    /// The address at which `/metrics` is served. `None` disables metrics.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "address")]
    pub metrics: Option<SocketAddr>,
    /// True if the address may be reachable from other machines.
    pub metrics_open: bool,
    /// The most tools that are counted separately. The others are counted together.
    pub metrics_tools: usize,
    /// The URL of the collector to which spans are sent over OTLP. `None` disables spans.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traces: Option<String>,
    /// The header `Authorization` of requests to the collector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traces_authorization: Option<Secret>,
}

impl Default for TelemetryConfig {
    fn default() -> Self {
        Self {
            metrics: None,
            metrics_open: false,
            metrics_tools: 250,
            traces: None,
            traces_authorization: None,
        }
    }
}
