//! `[discovery]`: the registry in which servers are looked up.

use serde::{Deserialize, Serialize};

/// The `[discovery]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DiscoveryConfig {
    /// The registry that `mgp registry` queries.
    pub registry: String,
    /// The registries that are asked for servers when a request for tools finds none. If empty, no registry is asked automatically.
    pub recommend: Vec<String>,
}

impl Default for DiscoveryConfig {
    fn default() -> Self {
        Self { registry: "https://registry.modelcontextprotocol.io".to_owned(), recommend: Vec::new() }
    }
}
