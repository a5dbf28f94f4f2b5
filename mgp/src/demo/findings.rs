//! The findings of a step, and the events that it must have left in the audit trail.

use super::trail::ExpectedEvent;
use std::fmt;

/// The findings of a step, and the events that it must have left in the audit trail.
#[derive(Debug, Default)]
pub(super) struct Findings {
    problems: Vec<String>,
    notes: Vec<String>,
    expected: Vec<ExpectedEvent>,
    looked: usize,
}

/// The reason why a step had to stop.
#[derive(Debug)]
pub(super) struct Interruption(String);

impl Interruption {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for Interruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

// `Interruption` does not implement `Error`, so `?` can convert any error into it.
impl<E: std::error::Error> From<E> for Interruption {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

impl Findings {
    /// Checks that something holds; `claim` describes it.
    pub(super) fn check(&mut self, holds: bool, claim: impl fmt::Display) {
        self.looked += 1;
        if !holds {
            self.problems.push(format!("expected that {claim}"));
        }
    }

    /// Checks that two values are equal; `what` names them.
    #[expect(clippy::needless_pass_by_value, reason = "what is looked at is most often made for it")]
    pub(super) fn equal<T: PartialEq + fmt::Debug>(&mut self, what: &str, found: T, wanted: T) {
        self.looked += 1;
        if found != wanted {
            self.problems.push(format!("{what}: expected {wanted:?}, found {found:?}"));
        }
    }

    /// Adds an event that the audit trail must hold now, after those that were added before.
    pub(super) fn audited(&mut self, event: ExpectedEvent) {
        self.expected.push(event);
    }

    /// Adds a problem.
    pub(super) fn problem(&mut self, problem: impl Into<String>) {
        self.problems.push(problem.into());
    }

    /// Adds a note on a limitation of this machine.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Takes the notes.
    pub(super) fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    pub(super) fn expected(&self) -> &[ExpectedEvent] {
        &self.expected
    }

    /// Returns the problems. A step without checks has a problem too, because it has shown nothing.
    pub(super) fn into_problems(mut self) -> Vec<String> {
        if self.looked == 0 && self.problems.is_empty() {
            self.problems.push("the step looked at nothing".to_owned());
        }
        self.problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_false_statement_and_an_empty_check_are_problems() {
        assert_eq!(Findings::default().into_problems(), ["the step looked at nothing"]);
        let mut findings = Findings::default();
        findings.check(true, "water is wet");
        findings.equal("the sum", 3, 3);
        assert_eq!(findings.looked, 2);
        findings.check(false, "fire is cold");
        findings.equal("the sum", 4, 3);
        assert_eq!(findings.into_problems(), ["expected that fire is cold", "the sum: expected 3, found 4"]);
    }
}
