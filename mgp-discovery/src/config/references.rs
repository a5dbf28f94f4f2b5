//! `[references]` and `[results]`: results that the kernel keeps, and hosts get by reference.

use serde::{Deserialize, Serialize};

/// The `[references]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReferencesConfig {
    /// The time for which a result is kept, in seconds.
    pub ttl_secs: u64,
    /// The most results that are kept for one agent; 0 keeps none.
    pub max_results: usize,
    /// The most bytes that are kept for one agent.
    pub max_bytes: u64,
    /// The most results that are kept for all agents.
    pub max_total_results: usize,
    /// The most bytes that are kept for all agents.
    pub max_total_bytes: u64,
    /// The hosts from which the data of servers' own references is fetched, each as `host` or `host:port`.
    pub hosts: Vec<String>,
}

impl Default for ReferencesConfig {
    fn default() -> Self {
        Self {
            ttl_secs: 900,
            max_results: 64,
            max_bytes: 256 * 1024 * 1024,
            max_total_results: 256,
            max_total_bytes: 1024 * 1024 * 1024,
            hosts: Vec::new(),
        }
    }
}

/// The `[results]` table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResultLimits {
    /// The most tokens of a result that is sent to a host. A longer result is kept, and the host gets a reference. `None` for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
}
