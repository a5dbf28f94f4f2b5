//! A tool in the index and in the lists of hosts.

mod definition;
mod deprecated;
mod detail;
mod media_types;
mod text;

pub use definition::{IndexedTool, ToolError};
pub use detail::{Detail, ToolDetails};
pub(crate) use media_types::{is_same_type, media_types};
pub use text::SearchText;
