//! A bound on the work for one text.

use super::host::Finding;
use crate::meter;

/// The finding about a text in which the places for hosts nest so often that they are not judged individually.
pub(super) const TOO_MANY: Finding = Finding::Certain("too many places where a host can stand");

/// The most times that a byte of a text is read as a part of a host.
const READINGS: usize = 8;

/// The number of bytes that are read in any text, however short.
const FEW_BYTES: usize = 1 << 20;

/// The remaining number of bytes that are read as parts of hosts. It keeps the work proportional to the length of the text.
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

    /// Returns whether more than the budget was spent.
    pub(super) fn is_spent(&self) -> bool {
        self.is_spent
    }
}
