//! Targets for fuzzing: each takes arbitrary bytes, and panics if a rule does not hold for them.
//!
//! A test tries each target on the inputs in `fuzz/corpus/`; `cargo xtask fuzz` makes up more, in the workspace `fuzz/`.

mod targets;

pub use targets::{TARGETS, Target};
