//! §11.3 `mgp/health/*`.

use crate::{json::RawObject, rpc::Empty};
use serde::{Deserialize, Serialize};

calls! {
    /// Asks whether a server is alive.
    control HealthPing = "mgp/health/ping": HealthPingParams => HealthPingResult;
    /// Asks for the health of a server.
    control CheckHealth = "mgp/health/status": Empty => HealthStatusResult;
}

spelled! {
    /// The health of a server (§11.3).
    pub enum HealthStatus as "health status" {
        /// Everything works.
        Healthy = "healthy",
        /// Some parts work.
        Degraded = "degraded",
        /// The server answers, but with errors.
        Unhealthy = "unhealthy",
    }
}

/// The params of a ping.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HealthPingParams {
    /// The time at which the ping was sent (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
}

/// The answer of a server that is alive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HealthPingResult {
    /// The health of the server.
    pub status: HealthStatus,
    /// The time of the answer (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// The time since the server started, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uptime_secs: Option<u64>,
    /// The server's id, as the server states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_id: Option<String>,
}

/// The health of a server, with numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HealthStatusResult {
    /// The health of the server.
    pub status: HealthStatus,
    /// The time since the server started, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uptime_secs: Option<u64>,
    /// The number of tools that can be called now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_available: Option<u64>,
    /// The number of all tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_total: Option<u64>,
    /// The number of requests in flight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_requests: Option<u64>,
    /// The resources that the server uses, in its own terms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<RawObject>,
    /// The results of the server's checks, in its own terms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<RawObject>,
}
