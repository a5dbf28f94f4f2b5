//! `[discovery]`: the registry in which servers are looked up.

use serde::{Deserialize, Serialize};

/// The `[discovery]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct DiscoveryConfig {
    /// The registry of servers that `mgp registry` queries. Only this command queries it; nothing queries it automatically.
    #[cfg_attr(feature = "schema", schemars(url))]
    pub registry: String,
    /// Registries that the gateway asks for servers, in this order. See [Recommended
    /// servers](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#recommended-servers).
    #[cfg_attr(feature = "schema", schemars(inner(url)))]
    pub recommend: Vec<String>,
}

impl Default for DiscoveryConfig {
    fn default() -> Self {
        Self { registry: "https://registry.modelcontextprotocol.io".to_owned(), recommend: Vec::new() }
    }
}
