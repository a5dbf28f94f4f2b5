//! Checkpoints: the state from which a tool goes on where an earlier call of it ended.
//!
//! ```no_run
#![doc = include_str!("../../examples/checkpoint.rs")]
//! ```

mod extractor;
mod seal;
mod slot;

pub use extractor::Checkpoint;
pub(crate) use slot::CheckpointSlot;
