//! A budget, and what counts for it.

use crate::{
    catalogue::NamedTool,
    tokens::{Cl100k, TokenCounter},
};
use mgp_types::tool_index::{BudgetError, ToolContextBudget};
use std::sync::Arc;

/// A budget whose parts fit into the whole, and the counter that it is kept with. A clone is cheap.
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
    /// A budget that is counted with [`Cl100k`].
    ///
    /// # Errors
    /// [`BudgetError`] where the parts are more than the whole.
    pub fn new(limits: ToolContextBudget) -> Result<Self, BudgetError> {
        limits.check()?;
        Ok(Self { limits, ..Self::default() })
    }

    /// The same, counted in another way.
    #[must_use]
    pub fn with_counter(mut self, counter: Arc<dyn TokenCounter>) -> Self {
        self.counter = counter;
        self
    }

    /// The numbers.
    #[must_use]
    pub fn limits(&self) -> &ToolContextBudget {
        &self.limits
    }

    /// What counts.
    #[must_use]
    pub fn counter(&self) -> &Arc<dyn TokenCounter> {
        &self.counter
    }

    /// What a tool takes: the tokens of its definition, as the host is shown it in a list.
    #[must_use]
    pub fn tokens(&self, tool: &NamedTool, with_security: bool) -> u64 {
        tool.tool.tokens_as(&tool.name, with_security, &*self.counter)
    }

    /// How much the results of one search may take, beside pinned tools that take so much.
    #[must_use]
    pub fn discovery_room(&self, pinned: u64) -> u64 {
        self.limits.discovery_reserve.min(self.limits.max_tokens.saturating_sub(pinned))
    }

    /// How much a session's tools may take, beside pinned tools that take so much. A search has its room all the same.
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
    fn pinned_tools_beyond_their_reserve_take_from_the_cache_first_and_then_from_searches() {
        let limits = ToolContextBudget::default();
        for (pinned, expected) in
            [(0, (3000, 3000)), (2000, (3000, 3000)), (2500, (3000, 2500)), (5500, (2500, 0)), (9000, (0, 0))]
        {
            assert_eq!(rooms(limits, pinned), expected, "{pinned}");
        }
    }

    #[test]
    fn a_budget_whose_parts_are_more_than_the_whole_is_none() {
        let limits = ToolContextBudget { discovery_reserve: 3001, ..ToolContextBudget::default() };
        assert!(Budget::new(limits).is_err());
    }
}
