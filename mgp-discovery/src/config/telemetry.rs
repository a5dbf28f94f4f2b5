//! `[telemetry]`: the metrics and the spans of a gateway.

use super::{http::address, text::Secret};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;

/// The `[telemetry]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct TelemetryConfig {
    /// The address at which `/metrics` is served. Without it, nothing is counted. Port 0 stands for any free port, which `mgp serve` prints. See [The
    /// address of the metrics](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#the-address-of-the-metrics).
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "address")]
    #[cfg_attr(feature = "schema", schemars(extend("x-type" = "address and port")))]
    pub metrics: Option<SocketAddr>,
    /// True if the address may be one that other machines can reach.
    pub metrics_open: bool,
    /// The number of tools that are counted separately, in the order of their first calls. The others are counted together, with `server="other"` and
    /// `tool="other"`.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 10_000)))]
    pub metrics_tools: usize,
    /// The collector to which the spans of requests are sent over OTLP/HTTP, such as `"http://127.0.0.1:4318/v1/traces"`: the whole URL, over `https`
    /// or on this machine. Needs the feature `otlp` of the program `mgp`. A build without it does not start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(url))]
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
