//! The budget of a check.

use super::limits::{STACK_BYTES, STEPS_PER_ERROR};
use std::cell::Cell;

/// The budget of a check. Once the budget is used up, or the check uses too much of the stack, every value looks like `null` to the
/// check, so that it ends soon; its result is then discarded.
pub(super) struct Meter {
    left: Cell<u64>,
    /// The cost of a member or an item.
    price: u64,
    /// The position of the stack at the start of the check.
    stack: usize,
}

impl Meter {
    pub(super) fn new(steps: u64, price: u64) -> Self {
        Self { left: Cell::new(steps), price, stack: here() }
    }

    /// Pays for a look at a value. Returns whether the budget was sufficient.
    pub(super) fn pay(&self, steps: u64) -> bool {
        let left = self.left.get();
        let fits = left > steps && here().abs_diff(self.stack) < STACK_BYTES;
        self.left.set(if fits { left - steps } else { 0 });
        fits
    }

    /// Pays for the step to a member or an item.
    pub(super) fn pay_part(&self) -> bool {
        self.pay(self.price)
    }

    /// Pays for an error that is kept.
    pub(super) fn pay_error(&self) {
        self.pay(STEPS_PER_ERROR);
    }

    /// Returns `true` if the budget is used up.
    pub(super) fn is_empty(&self) -> bool {
        self.left.get() == 0
    }
}

/// Returns the approximate position of the stack.
#[inline(never)]
fn here() -> usize {
    let on_the_stack = 0u8;
    std::ptr::from_ref(std::hint::black_box(&on_the_stack)).addr()
}
