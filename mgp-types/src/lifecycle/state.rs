//! §11.2 The states of a server, and `notifications/mgp.lifecycle`.

use serde::{Deserialize, Serialize};

spelled! {
    /// Where a server stands (§11.2).
    #[derive(Default)]
    pub enum ServerState as "server state" {
        /// Known, not started.
        #[default]
        Registered = "registered",
        /// Being started.
        Connecting = "connecting",
        /// Takes calls.
        Connected = "connected",
        /// Ends what it has and takes no new calls.
        Draining = "draining",
        /// Stopped.
        Disconnected = "disconnected",
        /// Failed.
        Error = "error",
        /// Being stopped and started again.
        Restarting = "restarting",
    }
}

notices! {
    /// A server went from one state to another. From a server it is a hint; the kernel is the authority.
    LifecycleChange = "notifications/mgp.lifecycle": LifecycleParams;
}

/// From which state to which, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LifecycleParams {
    /// The server.
    pub server_id: String,
    /// Where it stood.
    pub previous_state: ServerState,
    /// Where it stands.
    pub new_state: ServerState,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
}
