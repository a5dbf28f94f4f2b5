//! §12.6 A handler's progress, reported on MCP's path or on MGP's.

mod filter;
mod handle;
mod step;
mod wire;

pub(crate) use filter::ProgressFilter;
pub use handle::Progress;
pub use step::ProgressStep;
pub(crate) use wire::{Amount, ProgressPath};
