//! §16.8 How many tokens tool definitions may take.

use serde::{Deserialize, Serialize};

/// How many tokens tool definitions may take in a model's context. What is left out has a default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolContextBudget {
    /// All of them together.
    pub max_tokens: u64,
    /// Those that are always there.
    pub pinned_reserve: u64,
    /// What one search may add.
    pub discovery_reserve: u64,
    /// Those that stay once they were found.
    pub cache_limit: u64,
}

impl Default for ToolContextBudget {
    fn default() -> Self {
        Self { max_tokens: 8000, pinned_reserve: 2000, discovery_reserve: 3000, cache_limit: 3000 }
    }
}
