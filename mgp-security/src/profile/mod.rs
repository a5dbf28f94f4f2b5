//! §4 The profile of a tool: the permissions that it needs, its risk, its validators, and the confirmation of its calls.
//!
//! [`assess`] makes a [`ToolProfile`] from [`ToolFacts`] when a tool is listed; every gate reads the profile and none
//! looks at the tool's definition again.

mod assess;
mod definition;
mod facts;
mod fallback;
mod schema;
mod tool_profile;

pub use assess::assess;
pub use definition::DefinitionHash;
pub use facts::{ConfiguredTool, ToolFacts};
pub use tool_profile::{Confirmation, Leaves, ToolProfile};
