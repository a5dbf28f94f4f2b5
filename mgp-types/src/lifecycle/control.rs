//! The operator's commands for the servers of a running kernel. No part of the specification.

use super::ServerState;
use serde::{Deserialize, Serialize};

calls! {
    /// Starts or stops a server of a kernel. For principals with the admin role.
    call ControlServer = "dev.cloto/server/control": ControlServerParams => ControlServerResult;
}

spelled! {
    /// The command of an operator for a server.
    pub enum ServerAction as "server action" {
        /// Start a server that does not run, with a full restart budget.
        Start = "start",
        /// Stop a server at once; its running calls are aborted.
        Stop = "stop",
        /// Drain a server, and start it again.
        Restart = "restart",
        /// Take no new calls, let the running ones end within the time limit, and end the server.
        Drain = "drain",
    }
}

/// The command for a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlServerParams {
    /// The server.
    pub server_id: String,
    /// The command.
    pub action: ServerAction,
    /// The time limit of running calls, in milliseconds, for `drain` and `restart`; defaults to the server's `shutdown_timeout_ms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The reason, for the audit trail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The outcome of a command for a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlServerResult {
    /// The server.
    pub server_id: String,
    /// The state before the command.
    pub previous_state: ServerState,
    /// The state after it.
    pub state: ServerState,
    /// The reason for the state.
    pub reason: String,
    /// True if the command has completed; false if it is still in progress.
    pub done: bool,
}
