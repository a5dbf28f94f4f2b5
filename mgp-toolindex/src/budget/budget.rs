//! A context budget, together with its token counter.

use crate::{
    catalogue::NamedTool,
    tokens::{Cl100k, TokenCounter},
    tool::Detail,
};
use mgp_types::tool_index::{BudgetError, ToolContextBudget};
use std::sync::Arc;

/// Token limits for tool definitions, with the counter that measures them. The parts fit into the whole. A clone is
/// cheap.
#[derive(Debug, Clone)]
pub struct Budget {
    limits: ToolContextBudget,
    counter: Arc<dyn TokenCounter>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { limits: ToolContextBudget::default(), counter: Arc::new(Cl100k) }
    }
}

impl Budget {
    /// Creates a budget that counts with [`Cl100k`].
    ///
    /// # Errors
    /// Returns a [`BudgetError`] if the parts add up to more than the whole.
    pub fn new(limits: ToolContextBudget) -> Result<Self, BudgetError> {
        limits.check()?;
        Ok(Self { limits, ..Self::default() })
    }

    /// Sets the token counter.
    #[must_use]
    pub fn with_counter(mut self, counter: Arc<dyn TokenCounter>) -> Self {
        self.counter = counter;
        self
    }

    /// Returns the limits.
    #[must_use]
    pub fn limits(&self) -> &ToolContextBudget {
        &self.limits
    }

    /// Returns the token counter.
    #[must_use]
    pub fn counter(&self) -> &Arc<dyn TokenCounter> {
        &self.counter
    }

    /// Returns the tokens of a tool's definition, in the form of a list for the host.
    #[must_use]
    pub fn tokens(&self, tool: &NamedTool, with_security: bool) -> u64 {
        tool.tool.tokens_as(&tool.name, with_security, &*self.counter)
    }

    /// Returns the tokens of a tool's definition with the members of a level, and with security metadata.
    #[must_use]
    pub fn tokens_with(&self, tool: &NamedTool, detail: Detail) -> u64 {
        tool.tool.tokens_with(&tool.name, detail, &*self.counter)
    }

    /// Returns the tokens that the results of one search may take, alongside pinned tools of `pinned` tokens.
    #[must_use]
    pub fn discovery_room(&self, pinned: u64) -> u64 {
        self.limits.discovery_reserve.min(self.limits.max_tokens.saturating_sub(pinned))
    }

    /// Returns the tokens that a session's tools may take, alongside pinned tools of `pinned` tokens and the room for
    /// one search.
    #[must_use]
    pub fn cache_room(&self, pinned: u64) -> u64 {
        let others = pinned.saturating_add(self.limits.discovery_reserve);
        self.limits.cache_limit.min(self.limits.max_tokens.saturating_sub(others))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rooms(limits: ToolContextBudget, pinned: u64) -> (u64, u64) {
        let budget = Budget::new(limits).unwrap();
        (budget.discovery_room(pinned), budget.cache_room(pinned))
    }

    #[test]
    fn pinned_tools_beyond_their_reserve_shrink_the_cache_first() {
        let limits = ToolContextBudget::default();
        for (pinned, expected) in
            [(0, (3000, 3000)), (2000, (3000, 3000)), (2500, (3000, 2500)), (5500, (2500, 0)), (9000, (0, 0))]
        {
            assert_eq!(rooms(limits, pinned), expected, "{pinned}");
        }
    }

    #[test]
    fn a_budget_whose_parts_exceed_the_whole_is_invalid() {
        let limits = ToolContextBudget { discovery_reserve: 3001, ..ToolContextBudget::default() };
        assert!(Budget::new(limits).is_err());
    }
}
