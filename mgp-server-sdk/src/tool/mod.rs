//! Tools: their definitions (§4.2), their handlers, `tools/call`.

#[cfg_attr(not(feature = "check-arguments"), path = "unchecked.rs")]
mod arguments;
mod as_task;
mod definition;
mod metadata;
mod name;
mod service;

pub(crate) use arguments::CheckArguments;
pub use definition::Tool;
pub(crate) use definition::{ToolLayer, ToolParts};
pub(crate) use service::{CallTools, RegisteredTool};
