//! §12.6 How a handler says how far it has come, on MCP's path or MGP's.

mod handle;
mod increasing;
mod wire;

pub use handle::Progress;
pub(crate) use increasing::Increasing;
pub(crate) use wire::{Amount, ProgressPath};
