//! Heuristics for definitions that are written to direct a model rather than to inform a person.

mod finding;
mod hidden;
mod imitation;
mod instructions;
mod pattern;
#[expect(clippy::module_inception, reason = "the module is named after its function")]
mod scan;
#[cfg(test)]
mod tests;

pub use finding::{Finding, FindingKind};
pub use imitation::ToolNames;
pub use scan::scan;
