//! Tools: their definitions (§4.2), their handlers, `tools/call`.

#[cfg_attr(not(feature = "check-arguments"), path = "unchecked.rs")]
mod arguments;
mod as_task;
mod definition;
mod error;
mod failure;
mod metadata;
mod name;
mod result;
pub(crate) mod schema;
mod service;

pub(crate) use arguments::CheckArguments;
pub use definition::Tool;
pub(crate) use definition::{ToolLayer, ToolParts};
pub use error::ToolError;
pub use failure::Failure;
pub use result::{IntoToolResult, Json, ResultSchema};
pub use schema::OutputSchema;
pub(crate) use service::{CallTools, RegisteredTool};
