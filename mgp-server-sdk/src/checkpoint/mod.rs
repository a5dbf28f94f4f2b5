//! Checkpoints: the state from which a tool continues an earlier call.
//!
//! ```no_run
#![doc = include_str!("../../examples/checkpoint.rs")]
//! ```

mod extractor;
mod seal;
mod slot;

pub use extractor::Checkpoint;
pub(crate) use slot::CheckpointSlot;
