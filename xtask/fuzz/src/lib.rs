//! Targets for fuzzing: each takes arbitrary bytes, and panics if a rule does not hold for them.
//!
//! A test runs each target on the inputs in `fuzz/corpus/`; `cargo xtask fuzz` generates more, in the workspace `fuzz/`.

mod chosen;
mod profile;
mod steps;
mod targets;
mod text;

pub use chosen::run_chosen;
pub use targets::{TARGETS, Target};
