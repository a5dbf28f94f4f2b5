//! The answers of handlers: the types that a function may return, its errors, and the schemas of both.

mod completion;
mod failure;
mod into_tool_error;
mod prompt;
mod resource;
pub(crate) mod schema;
mod tool;
mod tool_error;

pub use completion::IntoCompletion;
pub use failure::Failure;
pub use into_tool_error::IntoToolError;
pub use prompt::IntoPrompt;
pub use resource::IntoResource;
pub use schema::OutputSchema;
pub use tool::{IntoToolResult, Json, ResultSchema};
pub use tool_error::ToolError;
