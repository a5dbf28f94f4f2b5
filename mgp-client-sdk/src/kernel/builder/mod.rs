//! The builder of a kernel.

#[expect(clippy::module_inception, reason = "the builder is named for what it is")]
mod builder;
mod rights;

pub use builder::{KernelBuilder, KernelError};
