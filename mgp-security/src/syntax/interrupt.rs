//! The interruption of a check.

use std::fmt;

/// A query whether the outcome of a check is still awaited within its time limit.
#[derive(Clone, Copy)]
pub(crate) struct Interrupt<'a>(&'a dyn Fn() -> bool);

impl<'a> Interrupt<'a> {
    /// An interrupt that never occurs.
    pub(crate) const NEVER: Self = Self(&|| false);

    /// Creates an interrupt that has occurred once `is_set` returns true.
    pub(crate) const fn new(is_set: &'a dyn Fn() -> bool) -> Self {
        Self(is_set)
    }

    /// Returns whether the check should end.
    pub(crate) fn is_set(self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for Interrupt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interrupt").finish_non_exhaustive()
    }
}
