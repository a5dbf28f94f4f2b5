//! The faults that every run must have.

use super::{operator, plan, reloads};

/// Returns the names of the faults that every run must have. A fault that never happened proves nothing.
pub(crate) fn required() -> impl Iterator<Item = &'static str> {
    plan::KINDS.into_iter().chain(reloads::KINDS).chain(operator::KINDS)
}
