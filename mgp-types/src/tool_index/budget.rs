//! §16.8 The budget of tokens for tool definitions.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The budget of tokens for tool definitions in a model's context. A missing member has its default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ToolContextBudget {
    /// The most tokens that the definitions of servers' tools may take in a model's context. At least the sum of the other three keys. See
    /// [tool-index.md](https://github.com/mgp-rs/mgp/blob/main/docs/tool-index.md#the-context-budget).
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 100_000_000)))]
    pub max_tokens: u64,
    /// The tokens for pinned tools. If these need more, the cache gets less.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 100_000_000)))]
    pub pinned_reserve: u64,
    /// The tokens for the results of one search. The worst results are left out.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 100_000_000)))]
    pub discovery_reserve: u64,
    /// The tokens for tools that a session has loaded or used. The least recently used are dropped.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 100_000_000)))]
    pub cache_limit: u64,
}

impl Default for ToolContextBudget {
    fn default() -> Self {
        Self { max_tokens: 8000, pinned_reserve: 2000, discovery_reserve: 3000, cache_limit: 3000 }
    }
}

/// The error for a budget whose parts exceed the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetError(ToolContextBudget);

impl ToolContextBudget {
    /// The most tokens that a budget can name, which is more than any model reads.
    pub const MAX_TOKENS: u64 = 100_000_000;

    /// Checks that the parts fit into the whole.
    ///
    /// ```
    /// use mgp_types::tool_index::ToolContextBudget;
    /// assert!(ToolContextBudget::default().check().is_ok());
    /// assert!(ToolContextBudget { max_tokens: 7999, ..ToolContextBudget::default() }.check().is_err());
    /// ```
    ///
    /// # Errors
    /// [`BudgetError`], which names every number.
    pub fn check(&self) -> Result<(), BudgetError> {
        let parts =
            self.pinned_reserve.saturating_add(self.discovery_reserve).saturating_add(self.cache_limit);
        if parts > self.max_tokens { Err(BudgetError(*self)) } else { Ok(()) }
    }
}

impl fmt::Display for BudgetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(ToolContextBudget { max_tokens, pinned_reserve, discovery_reserve, cache_limit }) = self;
        let parts = pinned_reserve.saturating_add(*discovery_reserve).saturating_add(*cache_limit);
        write!(
            f,
            "pinned_reserve {pinned_reserve}, discovery_reserve {discovery_reserve} and cache_limit {cache_limit} are \
             {parts} tokens together: expected at most max_tokens, which is {max_tokens}"
        )
    }
}

impl std::error::Error for BudgetError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_exceed_the_whole_are_an_error() {
        let budget = ToolContextBudget { max_tokens: 4000, ..ToolContextBudget::default() };
        assert_eq!(
            budget.check().unwrap_err().to_string(),
            "pinned_reserve 2000, discovery_reserve 3000 and cache_limit 3000 are 8000 tokens together: expected at most \
             max_tokens, which is 4000"
        );
        let huge = ToolContextBudget { cache_limit: u64::MAX, ..ToolContextBudget::default() };
        assert!(huge.check().is_err());
    }
}
