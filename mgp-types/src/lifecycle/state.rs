//! §11.2 The states of a server, and `notifications/mgp.lifecycle`.

use serde::{Deserialize, Serialize};

spelled! {
    /// The state of a server (§11.2).
    #[derive(Default)]
    pub enum ServerState as "server state" {
        /// The server is known and not started.
        #[default]
        Registered = "registered",
        /// The server is being started.
        Connecting = "connecting",
        /// The server takes calls.
        Connected = "connected",
        /// The server finishes its calls and takes no new ones.
        Draining = "draining",
        /// The server is stopped.
        Disconnected = "disconnected",
        /// The server has failed.
        Error = "error",
        /// The server is being stopped and started again.
        Restarting = "restarting",
    }
}

notices! {
    /// Reports that a server went from one state to another. From a server it is only a hint; the kernel is the authority.
    LifecycleChange = "notifications/mgp.lifecycle": LifecycleParams;
}

/// A transition between states, and the reason for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LifecycleParams {
    /// The server.
    pub server_id: String,
    /// The state before.
    pub previous_state: ServerState,
    /// The state after.
    pub new_state: ServerState,
    /// The reason for the transition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The time of the transition (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
}
