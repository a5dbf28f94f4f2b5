//! §16.3 Which tools a host is shown.

mod list;

pub use list::{Listing, list};
pub use mgp_types::tool_index::Exposure;
