//! §11.4 `mgp/lifecycle/shutdown`.

use serde::{Deserialize, Serialize};

calls! {
    /// Asks a server to finish its calls and stop.
    control Shutdown = "mgp/lifecycle/shutdown": ShutdownParams => ShutdownResult;
}

spelled_open! {
    /// The reason a server is to stop (§11.4).
    pub enum ShutdownReason {
        /// The operator asked for it. The server is never restarted.
        OperatorRequest = "operator_request",
        /// The server's configuration has changed. The server is restarted.
        ConfigurationChange = "configuration_change",
        /// The server uses too many resources.
        ResourceLimit = "resource_limit",
        /// The server was not used for a long time.
        IdleTimeout = "idle_timeout",
        /// The kernel is stopping. The server is never restarted.
        KernelShutdown = "kernel_shutdown",
    } else
    /// A reason that the specification does not name.
    Other
}

/// The reason for a shutdown, and its time limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShutdownParams {
    /// The reason.
    pub reason: ShutdownReason,
    /// The time limit of calls in flight, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// The answer to the request to stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShutdownResult {
    /// True if the server will stop.
    pub accepted: bool,
    /// The number of requests in flight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_requests: Option<u64>,
    /// An estimate of the time until they end, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_drain_ms: Option<u64>,
}
