//! Metadata of a tool beyond MCP: its version, examples, errors, cost, types, compensation, and the confirmation that a call needs.
//!
//! [`ToolMetadata`] is carried in a tool's `_meta["dev.cloto/tool"]`. The same names are also read where the proposals for MCP have them: in
//! `_meta` itself, and next to the tool's name. Everything here is a server's claim: it may raise the assumed risk, and is otherwise only
//! informative.

mod cost;
mod declared_error;
mod deprecation;
mod estimate;
mod example;
mod impact;
mod limits;
mod members;
mod message;
mod metadata;
mod quota;
mod read;
#[cfg(test)]
mod tests;
mod values;
mod version;

pub use crate::transaction::Compensation;
pub use cost::{Cost, CostCategory, LatencyClass};
pub use declared_error::DeclaredError;
pub use deprecation::Deprecation;
pub use estimate::{CallEstimate, MeasuredLatency};
pub use example::ToolExample;
pub use impact::Impact;
pub use limits::{MAX_EXAMPLES, MAX_ITEMS, MAX_METADATA, MAX_TEXT};
pub use message::fill_confirmation;
pub use metadata::{TOOL_KEY, ToolMetadata};
pub use quota::Quota;
pub use read::{IgnoredMember, ToolMetadataReading};
pub use semver::Version;
pub use version::{VersionStep, step_between};
