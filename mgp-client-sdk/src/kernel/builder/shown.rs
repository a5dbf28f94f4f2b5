//! The setters on what hosts are shown: tools, the budget for them, and instructions.

use super::KernelBuilder;
use mgp_toolindex::{
    budget::ToolContextBudget, exposure::Exposure, index::ToolIndexBuilder, session::SessionBounds,
    tokens::TokenCounter,
};
use std::{sync::Arc, time::Duration};

impl KernelBuilder {
    /// Sets which tools are shown to a host.
    #[must_use]
    pub fn exposure(self, exposure: Exposure) -> Self {
        self.set(move |settings| settings.exposure = exposure)
    }

    /// Adds tools that are always shown to hosts, by the name under which they are shown or as `server__tool`.
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

    /// Sets the limits on the tool sessions that are kept for hosts without a session of their own: their number, and the time for
    /// which they are kept.
    #[must_use]
    pub fn tool_sessions(self, bounds: SessionBounds) -> Self {
        self.set(move |settings| settings.tool_sessions = bounds)
    }

    /// Sets the number of tools that a search returns if the search does not name one; 5 by default.
    #[must_use]
    pub fn search_results(self, count: usize) -> Self {
        self.set(move |settings| settings.search_results = count)
    }

    /// Sets the index by which tools are found; by default, it searches by words and with the embedded table.
    #[must_use]
    pub fn tool_index(self, index: ToolIndexBuilder) -> Self {
        self.set(move |settings| settings.index = index)
    }

    /// Sets how long hosts wait for servers that start for the first time and of which nothing is kept
    /// ([`listing_store`](Self::listing_store)), and a request for a server that is away; 4 seconds by default, which is less than the time
    /// limit of a request that hosts are known to have. Lists and searches wait until this time after the start of the kernel, a call of an
    /// unknown tool this long. With [`Exposure::Hybrid`] and without pinned tools, `tools/list` does not wait. The tools of servers that come
    /// up later are announced.
    #[must_use]
    pub fn first_start_limit(self, limit: Duration) -> Self {
        self.set(move |settings| settings.first_start_limit = limit)
    }

    /// Sets the text that hosts get as instructions, in front of the list of servers that each of them may use.
    #[must_use]
    pub fn instructions(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.set(move |settings| settings.instructions.own = Some(text))
    }

    /// Sets the text that hosts get while nobody has configured the kernel: as instructions, and when they find no tool.
    #[must_use]
    pub fn unconfigured(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.set(move |settings| settings.instructions.unconfigured = Some(text))
    }

    /// Sets the most tokens that the list of servers in the instructions, together with the servers' own instructions, may take;
    /// 1,000 by default. With 0, both are left out.
    #[must_use]
    pub fn instructions_tokens(self, tokens: u64) -> Self {
        self.set(move |settings| settings.instructions.tokens = tokens)
    }

    /// Sets how long the answer to a host's handshake waits for servers that start for the first time, so that the instructions can
    /// count their tools; 2 seconds by default.
    #[must_use]
    pub fn greeting_wait(self, limit: Duration) -> Self {
        self.set(move |settings| settings.instructions.wait = limit)
    }
}
