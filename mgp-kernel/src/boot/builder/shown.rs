//! The setters for the tools and instructions that hosts are shown.

use super::KernelBuilder;
use mgp_discovery::public_registry::Recommender;
use mgp_toolindex::{index::ToolIndexBuilder, session::SessionBounds, tokens::TokenCounter};
use std::{sync::Arc, time::Duration};

impl KernelBuilder {
    /// Sets the counter of tokens; [`Cl100k`](mgp_toolindex::tokens::Cl100k) by default.
    #[must_use]
    pub fn token_counter(self, counter: impl TokenCounter) -> Self {
        self.set(|settings| settings.counter = Arc::new(counter))
    }

    /// Sets the limits on tool sessions for hosts without a session of their own: their number and their lifetime.
    #[must_use]
    pub fn tool_sessions(self, bounds: SessionBounds) -> Self {
        self.set(|settings| settings.tool_sessions = bounds)
    }

    /// Sets the index for searching tools; by default, it searches by words and with the embedded table.
    #[must_use]
    pub fn tool_index(self, index: ToolIndexBuilder) -> Self {
        self.set(|settings| settings.index = index)
    }

    /// Sets the text for hosts of an unconfigured kernel, in instructions and in empty search results.
    #[must_use]
    pub fn unconfigured(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.set(|settings| settings.unconfigured = Some(text))
    }

    /// Sets the time that the answer to a host's handshake waits for servers that start for the first time, so that the
    /// instructions can include the number of their tools; 2 seconds by default.
    #[must_use]
    pub fn greeting_wait(self, limit: Duration) -> Self {
        self.set(|settings| settings.greeting_wait = limit)
    }

    /// Sets the registries that recommend servers when a request for tools finds none for a capability, instead of those of the
    /// configuration. The capability's words are sent to them, which the agent chooses.
    #[must_use]
    pub fn recommender(self, recommender: Recommender) -> Self {
        self.set(|settings| settings.recommender = Some(recommender))
    }
}
