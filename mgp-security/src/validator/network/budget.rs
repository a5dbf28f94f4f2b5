//! A bound on the work for one text.

use super::host::Finding;
use crate::meter;

/// The finding about a text in which the places for hosts contain each other so often that they are not judged one by one.
pub(super) const TOO_MANY: Finding = Finding::Certain("too many places where a host can stand");

/// The most times that a byte of a text is read as a part of a host.
const READINGS: usize = 8;

/// The number of bytes that are read in every text, however short it is.
const FEW_BYTES: usize = 1 << 20;

/// The number of bytes that are still read as parts of hosts, so that the work is proportional to the length of the text.
#[derive(Debug)]
pub(super) struct Budget {
    left: usize,
    is_spent: bool,
}

impl Budget {
    /// Creates the budget for a text of a length.
    pub(super) fn new(length: usize) -> Self {
        Self { left: length.saturating_mul(READINGS).max(FEW_BYTES), is_spent: false }
    }

    /// Takes bytes from the budget.
    pub(super) fn spend(&mut self, bytes: usize) {
        meter::count(bytes);
        match self.left.checked_sub(bytes) {
            Some(left) => self.left = left,
            None => self.is_spent = true,
        }
    }

    /// Returns whether more was spent than there was.
    pub(super) fn is_spent(&self) -> bool {
        self.is_spent
    }
}
