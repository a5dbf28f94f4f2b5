//! `[references]` and `[results]`: results that the kernel keeps, and hosts get by reference.

use serde::{Deserialize, Serialize};

/// The `[references]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReferencesConfig {
    /// The time for which a result is kept, in seconds.
    pub lifetime_secs: u64,
    /// The most results that are kept for one agent; 0 keeps none.
    pub agent_count: usize,
    /// The most bytes that are kept for one agent.
    pub agent_bytes: u64,
    /// The most results that are kept for all agents.
    pub total_count: usize,
    /// The most bytes that are kept for all agents.
    pub total_bytes: u64,
    /// The hosts from which the data of servers' own references is fetched, each as `host` or `host:port`.
    pub hosts: Vec<String>,
}

impl Default for ReferencesConfig {
    fn default() -> Self {
        Self {
            lifetime_secs: 900,
            agent_count: 64,
            agent_bytes: 256 * 1024 * 1024,
            total_count: 256,
            total_bytes: 1024 * 1024 * 1024,
            hosts: Vec::new(),
        }
    }
}

/// The `[results]` table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResultLimits {
    /// The most tokens of a result that a host is sent; a longer result is kept, and the host gets a reference. `None` for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
}
