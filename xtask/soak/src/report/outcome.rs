//! The outcome of a run.

use super::{LeftoverCounts, Memory};
use crate::ledger::{AuditComparison, Book};

/// The outcome of a run.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) book: Book,
    pub(crate) audited: AuditComparison,
    /// The leftovers once the last host was gone and its session had expired, beyond the counts before the first host.
    pub(crate) at_rest: LeftoverCounts,
    /// The leftovers after the shutdown, beyond the counts before the kernel.
    pub(crate) left: LeftoverCounts,
    pub(crate) memory: Memory,
}

impl Outcome {
    /// Returns every count that must be zero and is not.
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
