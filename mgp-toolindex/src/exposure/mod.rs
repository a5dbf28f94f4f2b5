//! §16.3 The exposure of tools: a host's list of tools.

mod few;
mod list;

pub use few::{are_few_by_length, meta_tokens, take_fewer};
pub use list::{DirectListing, ListSettings, list};
pub use mgp_types::tool_index::Exposure;
