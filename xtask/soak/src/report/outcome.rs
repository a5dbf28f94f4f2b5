//! Everything that a run brought.

use super::{Left, Memory};
use crate::ledger::{Audited, Book};

/// Everything that a run brought.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) book: Book,
    pub(crate) audited: Audited,
    /// More than before the first host, when the last one was gone and its session expired.
    pub(crate) at_rest: Left,
    /// More than before the kernel, after its shutdown.
    pub(crate) left: Left,
    pub(crate) memory: Memory,
}

impl Outcome {
    /// Everything that must be zero, and its count where it is not.
    pub(crate) fn problems(&self) -> Vec<String> {
        let sum = self.book.sum();
        let mut problems = Vec::new();
        let mut must_be_zero = |what: String, count: u64| {
            if count > 0 {
                problems.push(format!("{count} {what}"));
            }
        };
        must_be_zero("requests lost".into(), sum.lost);
        must_be_zero("requests answered twice".into(), sum.twice);
        must_be_zero("requests with another count of answers".into(), sum.unaccounted());
        must_be_zero("calls that the audit trail disagrees on".into(), self.audited.wrong);
        for (when, left) in [("when the hosts were gone", self.at_rest), ("after the shutdown", self.left)] {
            for (what, count) in left.named() {
                must_be_zero(format!("{what} left {when}"), count as u64);
            }
        }
        problems
    }
}
