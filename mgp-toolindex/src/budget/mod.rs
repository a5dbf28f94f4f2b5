//! §16.8 The context budget: the most tokens of tool definitions that a model is shown, and the order in which tools are dropped
//! beyond it.
//!
//! | part | content | when it is full |
//! |---|---|---|
//! | `pinned_reserve` | the pinned tools | they stay; tokens beyond the reserve are taken from the other two parts |
//! | `discovery_reserve` | the results of one search | the worst results are left out |
//! | `cache_limit` | the tools that a session loaded or used | the least recently used are dropped |
//!
//! If the results of a search do not fit, members are left out first, and then results. Each result keeps name, description,
//! arguments and risk. The room is given to the best results first, in the order of [`Detail`](crate::tool::Detail): the examples
//! are left out first, then the rest of `_meta`, then `outputSchema`, then `annotations`.

#[expect(clippy::module_inception, reason = "the budget is what the folder is about")]
mod budget;
mod cut;

pub use budget::Budget;
pub use cut::{Cut, cut};
pub use mgp_types::tool_index::{BudgetError, ToolContextBudget};
