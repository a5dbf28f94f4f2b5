//! The end of a check before its outcome.

use std::fmt;

/// The question whether anybody still waits for the outcome of a check within its time limit.
#[derive(Clone, Copy)]
pub(crate) struct Interrupt<'a>(&'a dyn Fn() -> bool);

impl<'a> Interrupt<'a> {
    /// An interrupt that never occurs.
    pub(crate) const NEVER: Self = Self(&|| false);

    /// Creates an interrupt that has occurred once `is_set` returns true.
    pub(crate) const fn new(is_set: &'a dyn Fn() -> bool) -> Self {
        Self(is_set)
    }

    /// Returns whether the check is to end.
    pub(crate) fn is_set(self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for Interrupt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interrupt").finish_non_exhaustive()
    }
}
