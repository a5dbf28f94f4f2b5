//! §16.3 The exposure of tools: the list that a host is shown.

mod list;

pub use list::{ListSettings, list};
pub use mgp_types::tool_index::Exposure;
