//! The sum of a whole run, as its last line.

use super::Outcome;
use crate::results::Scenario;
use std::fmt;

/// The numbers of counting scenarios that passed and failed, and of legs that were skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
}

impl Tally {
    /// Adds the counted scenarios of a leg.
    pub(crate) fn add(&mut self, outcome: &Outcome, counts: impl Fn(&Scenario) -> bool) {
        let counting = || outcome.scenarios.iter().filter(|scenario| counts(scenario));
        let passed = counting().filter(|scenario| scenario.has_passed()).count();
        self.passed += passed;
        self.failed += counting().count() - passed;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}
