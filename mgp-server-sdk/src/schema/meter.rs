//! What a check has cost up to now.

use super::limits::{STACK_BYTES, STEPS_PER_ERROR};
use std::cell::Cell;

/// What a check has cost up to now. Once it has cost too much, or taken too much of the stack, every value it looks at seems to be
/// `null`, so that it ends soon; what it comes to is then thrown away.
pub(super) struct Meter {
    left: Cell<u64>,
    /// What a member or an item costs.
    price: u64,
    /// Where the stack was when it began.
    stack: usize,
}

impl Meter {
    pub(super) fn new(steps: u64, price: u64) -> Self {
        Self { left: Cell::new(steps), price, stack: here() }
    }

    /// Pays for a look at a value. Whether it could be paid.
    pub(super) fn pay(&self, steps: u64) -> bool {
        let left = self.left.get();
        let fits = left > steps && here().abs_diff(self.stack) < STACK_BYTES;
        self.left.set(if fits { left - steps } else { 0 });
        fits
    }

    /// Pays for going on to a member or an item.
    pub(super) fn pay_part(&self) -> bool {
        self.pay(self.price)
    }

    /// Pays for an error that is kept.
    pub(super) fn pay_error(&self) {
        self.pay(STEPS_PER_ERROR);
    }

    /// Whether it has cost too much.
    pub(super) fn is_empty(&self) -> bool {
        self.left.get() == 0
    }
}

/// About where the stack is.
#[inline(never)]
fn here() -> usize {
    let on_the_stack = 0u8;
    std::ptr::from_ref(std::hint::black_box(&on_the_stack)).addr()
}
