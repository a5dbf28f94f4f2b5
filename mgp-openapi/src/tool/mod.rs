//! The definition of a tool, made of an operation.

mod annotations;
mod arguments;
mod build;
mod description;
mod input;
mod name;
mod output;

pub(crate) use build::{ToolParts, tool};
pub(crate) use name::ToolNames;
