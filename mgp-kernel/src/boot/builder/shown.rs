//! The setters for the tools that hosts are shown, their budget, and instructions.

use super::KernelBuilder;
use mgp_toolindex::{
    budget::ToolContextBudget, exposure::Exposure, index::ToolIndexBuilder, session::SessionBounds,
    tokens::TokenCounter,
};
use std::{sync::Arc, time::Duration};

impl KernelBuilder {
    /// Sets the tools that hosts are shown.
    #[must_use]
    pub fn exposure(self, exposure: Exposure) -> Self {
        self.set(move |settings| settings.exposure = exposure)
    }

    /// Adds tools that hosts are always shown, by their name for hosts or as `server__tool`.
    #[must_use]
    pub fn pinned<I: IntoIterator<Item: Into<String>>>(self, tools: I) -> Self {
        let tools: Vec<String> = tools.into_iter().map(Into::into).collect();
        self.set(move |settings| settings.pinned.extend(tools))
    }

    /// Sets the budget of tokens that tool definitions may take in a model's context (§16.8). [`start`](Self::start) fails if the
    /// parts of the budget exceed the whole.
    #[must_use]
    pub fn context_budget(self, budget: ToolContextBudget) -> Self {
        self.set(move |settings| settings.budget = budget)
    }

    /// Sets the counter of tokens; [`Cl100k`](mgp_toolindex::tokens::Cl100k) by default.
    #[must_use]
    pub fn token_counter(self, counter: impl TokenCounter) -> Self {
        self.set(move |settings| settings.counter = Arc::new(counter))
    }

    /// Sets the limits on tool sessions for hosts without a session of their own: their number and their lifetime.
    #[must_use]
    pub fn tool_sessions(self, bounds: SessionBounds) -> Self {
        self.set(move |settings| settings.tool_sessions = bounds)
    }

    /// Sets the default number of search results; 5 if not set.
    #[must_use]
    pub fn search_results(self, count: usize) -> Self {
        self.set(move |settings| settings.search_results = count)
    }

    /// Sets the index for searching tools; by default, it searches by words and with the embedded table.
    #[must_use]
    pub fn tool_index(self, index: ToolIndexBuilder) -> Self {
        self.set(move |settings| settings.index = index)
    }

    /// Sets the time that hosts wait for servers, 4 seconds by default. This is less than the usual time limit of hosts' requests. It applies
    /// to servers that start for the first time without a kept listing ([`Stores::listings`](crate::Stores::listings)), and to requests for a server
    /// that is away. Lists and searches wait until this time after the start of the kernel; a call of an unknown tool waits this long. With
    /// [`Exposure::Hybrid`] and without pinned tools, `tools/list` does not wait. The tools of servers that start later are announced.
    #[must_use]
    pub fn first_start_limit(self, limit: Duration) -> Self {
        self.set(move |settings| settings.first_start_limit = limit)
    }

    /// Sets the text that precedes the list of a host's servers in its instructions.
    #[must_use]
    pub fn instructions(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.set(move |settings| settings.instructions.own = Some(text))
    }

    /// Sets the text for hosts of an unconfigured kernel, in instructions and in empty search results.
    #[must_use]
    pub fn unconfigured(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.set(move |settings| settings.instructions.unconfigured = Some(text))
    }

    /// Sets the maximum number of tokens for the list of servers in the instructions together with the servers' own
    /// instructions; 1,000 by default. With 0, both are left out.
    #[must_use]
    pub fn instructions_tokens(self, tokens: u64) -> Self {
        self.set(move |settings| settings.instructions.tokens = tokens)
    }

    /// Sets the time that the answer to a host's handshake waits for servers that start for the first time, so that the
    /// instructions can include the number of their tools; 2 seconds by default.
    #[must_use]
    pub fn greeting_wait(self, limit: Duration) -> Self {
        self.set(move |settings| settings.instructions.wait = limit)
    }
}
