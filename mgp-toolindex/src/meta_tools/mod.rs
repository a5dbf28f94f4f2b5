//! The kernel's own tools, by which hosts that only know `tools/call` find tools and call them.

mod arguments;
mod definitions;

pub use arguments::{CallArguments, MetaCall, parse};
pub use definitions::definitions;
