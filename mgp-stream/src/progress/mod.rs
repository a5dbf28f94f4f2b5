//! §12.6 A handler's progress, reported on MCP's path or on MGP's.

mod handle;
mod increasing;
mod wire;

pub use handle::Progress;
pub(crate) use increasing::Increasing;
pub(crate) use wire::{Amount, ProgressPath};
