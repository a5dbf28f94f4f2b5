//! §11.5 When a server is started again. Configuration, never negotiated.

use serde::{Deserialize, Serialize};

spelled! {
    /// When a server is started again (§11.5).
    #[derive(Default)]
    pub enum RestartPolicy as "restart policy" {
        /// Never.
        Never = "never",
        /// When it failed.
        #[default]
        OnFailure = "on_failure",
        /// Whenever it stopped.
        Always = "always",
    }
}

/// When a server is started again, how often, and after how long. What is left out has a default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RestartConfig {
    /// When.
    pub restart_policy: RestartPolicy,
    /// How often within the window.
    pub max_restarts: u32,
    /// The window, in seconds.
    pub restart_window_secs: u64,
    /// The wait before the first restart, in milliseconds; doubles with each.
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
