//! §11.5 The restart of servers. Configuration, never negotiated.

use serde::{Deserialize, Serialize};

spelled! {
    /// The policy for restarting a server that stopped (§11.5).
    #[derive(Default)]
    pub enum RestartPolicy as "restart policy" {
        /// The server is never started again.
        Never = "never",
        /// The server is started again if it failed.
        #[default]
        OnFailure = "on_failure",
        /// The server is started again regardless of the way it stopped.
        Always = "always",
    }
}

/// The conditions, number and spacing of a server's restarts. A missing member has its default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RestartConfig {
    /// The policy.
    pub restart_policy: RestartPolicy,
    /// The most restarts within the window.
    pub max_restarts: u32,
    /// The window, in seconds.
    pub restart_window_secs: u64,
    /// The wait before the first restart, in milliseconds; it doubles with each restart.
    pub backoff_base_ms: u64,
    /// The longest wait, in milliseconds.
    pub backoff_max_ms: u64,
}

impl Default for RestartConfig {
    fn default() -> Self {
        Self {
            restart_policy: RestartPolicy::default(),
            max_restarts: 5,
            restart_window_secs: 300,
            backoff_base_ms: 1000,
            backoff_max_ms: 30_000,
        }
    }
}
