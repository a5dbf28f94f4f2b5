//! Heuristics for definitions that were written to be obeyed by a model rather than read by a person.

mod finding;
mod hidden;
mod imitation;
mod instructions;
mod pattern;
#[expect(clippy::module_inception, reason = "the function is what the module is for")]
mod scan;
#[cfg(test)]
mod tests;

pub use finding::{Finding, FindingKind};
pub use imitation::ToolNames;
pub use scan::scan;
