//! §11.4 `mgp/lifecycle/shutdown`.

use serde::{Deserialize, Serialize};

calls! {
    /// Asks a server to end what it has and stop.
    control Shutdown = "mgp/lifecycle/shutdown": ShutdownParams => ShutdownResult;
}

spelled_open! {
    /// Why a server is to stop (§11.4).
    pub enum ShutdownReason {
        /// Somebody said so. Never restarts.
        OperatorRequest = "operator_request",
        /// Its configuration is another one now. Restarts.
        ConfigurationChange = "configuration_change",
        /// It uses too much.
        ResourceLimit = "resource_limit",
        /// Nobody used it for long.
        IdleTimeout = "idle_timeout",
        /// Everything stops. Never restarts.
        KernelShutdown = "kernel_shutdown",
    } else
    /// A reason that is not named in the specification.
    Other
}

/// Why, and how long it may take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShutdownParams {
    /// Why.
    pub reason: ShutdownReason,
    /// How long calls in flight may take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Whether it will, and what is left to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShutdownResult {
    /// Whether it will.
    pub accepted: bool,
    /// How many requests are being worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_requests: Option<u64>,
    /// How long they may take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_drain_ms: Option<u64>,
}
