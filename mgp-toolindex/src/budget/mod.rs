//! §16.8 The context budget: how many tokens of tool definitions may come before a model, and what goes when it is more.
//!
//! | part | what it holds | when it is full |
//! |---|---|---|
//! | `pinned_reserve` | the pinned tools | they stay; what they take beyond it, the other two lose |
//! | `discovery_reserve` | the results of one search | the worst results are left out |
//! | `cache_limit` | the tools that a session loaded or used | the least recently used go |

#[expect(clippy::module_inception, reason = "the budget is what the folder is about")]
mod budget;
mod cut;

pub use budget::Budget;
pub use cut::{Cut, cut};
pub use mgp_types::tool_index::{BudgetError, ToolContextBudget};
