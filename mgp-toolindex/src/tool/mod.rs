//! A tool as the index and the lists of hosts know it.

mod definition;
mod deprecated;
mod text;

pub use definition::{IndexedTool, ToolError};
pub use text::SearchText;
