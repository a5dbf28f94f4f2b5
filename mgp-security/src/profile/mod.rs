//! §4 The profile of a tool: the permissions that it needs, its risk, its validators, and the confirmation of its calls.
//!
//! [`assess`] makes a [`ToolProfile`] from [`ToolFacts`] when a tool is listed; every gate reads the profile, and none
//! reads the tool's definition again.

mod assess;
mod cost;
mod definition;
mod facts;
mod fallback;
mod harm;
mod risk;
mod runs_input;
mod schema;

pub use assess::assess;
pub use cost::CostClaim;
#[cfg(feature = "definition")]
pub(crate) use definition::counted_members;
pub(crate) use definition::{hash_definition, hash_tool};
pub use facts::{ConfiguredTool, ToolFacts};
pub use mgp_types::tool_security::{Confirmation, DefinitionHash, Leaves, ToolProfile};
pub use runs_input::runs_input;
