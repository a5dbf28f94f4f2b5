//! The outcome of a run.

use super::{LeftoverCounts, Memory, memory::allowed_growth};
use crate::{
    arguments::{Arguments, Part},
    bad_servers,
    comparison::Comparison,
    faults, hosts,
    ledger::{AuditComparison, Book},
};

/// The name of the stop of an unused server.
pub(crate) const SLEEPS: &str = "servers that were stopped because nothing used them";
/// The name of such a server's start.
pub(crate) const WAKES: &str = "servers that a request started again";

/// The outcome of a run.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) book: Book,
    pub(crate) audited: AuditComparison,
    /// The leftovers after the end of the last host and the expiry of its session, beyond the counts before the first host.
    pub(crate) at_rest: LeftoverCounts,
    /// The leftovers after the shutdown, beyond the counts before the kernel.
    pub(crate) left: LeftoverCounts,
    pub(crate) memory: Memory,
    /// The good servers with and without bad ones, if that was measured.
    pub(crate) comparison: Option<Comparison>,
    /// The names of everything that must have happened.
    pub(crate) required: Vec<&'static str>,
    /// The servers that do not run after the last fault, although they should.
    pub(crate) down: Vec<String>,
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
        for (what, count) in &self.book.wrong {
            must_be_zero(what.clone(), *count);
        }
        problems.extend(self.down.iter().map(|id| format!("server {id} does not run again")));
        let happened = |what: &&str| self.book.faults.get(what).is_some_and(|count| *count > 0);
        let never = self.required.iter().copied().filter(|what| !happened(what));
        problems.extend(never.map(|what| {
            format!("0 {what}: what never happened was not tested (run longer, or with more hosts)")
        }));
        let beside_bad = self
            .comparison
            .as_ref()
            .map(|comparison| Memory { samples: comparison.memory.clone(), ..Memory::default() });
        for (memory, when) in [(Some(&self.memory), "faults"), (beside_bad.as_ref(), "bad servers")] {
            let (growth, allowed) = (memory.map_or(0, Memory::growth), allowed_growth(sum.sent));
            if growth > allowed {
                problems.push(format!(
                    "{growth} KiB of memory more in the last third than in the middle one, with {when}: expected at most {allowed}"
                ));
            }
        }
        problems.extend(self.comparison.iter().flat_map(Comparison::problems));
        problems
    }
}

/// Returns the names of everything that must happen in a run.
pub(crate) fn required(arguments: &Arguments) -> Vec<&'static str> {
    let mut required = Vec::new();
    if arguments.has(Part::Faults) {
        required.extend(faults::required().chain(hosts::REQUIRED).chain([SLEEPS, WAKES]));
    }
    if arguments.has(Part::BadServers) {
        required.extend(bad_servers::ALL.iter().map(|bad| bad.what));
    }
    required
}
