//! §15.4, §15.5: servers that are registered and taken away while the kernel runs.

mod asked;
mod failures;
mod followed;
mod life;
mod rights;
pub(crate) mod support;
