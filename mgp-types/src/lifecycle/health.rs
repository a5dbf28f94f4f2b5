//! §11.3 `mgp/health/*`.

use crate::{json::RawObject, rpc::Empty};
use serde::{Deserialize, Serialize};

calls! {
    /// Asks whether a server lives.
    control HealthPing = "mgp/health/ping": HealthPingParams => HealthPingResult;
    /// Asks how a server is.
    control CheckHealth = "mgp/health/status": Empty => HealthStatusResult;
}

spelled! {
    /// How a server is (§11.3).
    pub enum HealthStatus as "health status" {
        /// All of it works.
        Healthy = "healthy",
        /// Some of it works.
        Degraded = "degraded",
        /// It answers, with errors.
        Unhealthy = "unhealthy",
    }
}

/// When the question was sent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HealthPingParams {
    /// When (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
}

/// That a server lives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthPingResult {
    /// How it is.
    pub status: HealthStatus,
    /// When it answered (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// How long it has been up, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uptime_secs: Option<u64>,
    /// Which server it says it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_id: Option<String>,
}

/// How a server is, in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthStatusResult {
    /// How it is.
    pub status: HealthStatus,
    /// How long it has been up, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uptime_secs: Option<u64>,
    /// How many tools can be called now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_available: Option<u64>,
    /// How many tools there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_total: Option<u64>,
    /// How many requests are being worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_requests: Option<u64>,
    /// What it uses, in the server's own terms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<RawObject>,
    /// What it checked, in the server's own terms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<RawObject>,
}
