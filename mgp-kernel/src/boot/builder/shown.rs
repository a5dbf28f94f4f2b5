//! The setters for the tools and instructions that hosts are shown.

use super::KernelBuilder;
use mgp_discovery::public_registry::Recommender;
use mgp_toolindex::{index::ToolIndexBuilder, tokens::TokenCounter};
use std::sync::Arc;

impl KernelBuilder {
    /// Sets the counter of tokens; [`Cl100k`](mgp_toolindex::tokens::Cl100k) by default.
    #[must_use]
    pub fn token_counter(self, counter: impl TokenCounter) -> Self {
        self.set(|settings| settings.counter = Arc::new(counter))
    }

    /// Sets the index for searching tools; by default, it searches by words and with the embedded table.
    #[must_use]
    pub fn tool_index(self, index: ToolIndexBuilder) -> Self {
        self.set(|settings| settings.index = index)
    }

    /// Sets the registries that recommend servers when a request for tools finds none for a capability, instead of those of the
    /// configuration. The capability's words are sent to them, which the agent chooses.
    #[must_use]
    pub fn recommender(self, recommender: Recommender) -> Self {
        self.set(|settings| settings.recommender = Some(recommender))
    }
}
