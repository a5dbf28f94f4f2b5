//! What became of a scenario.

use super::{Check, Status, Written};

/// Whether a scenario counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The revision requires it.
    Scored,
    /// The suite does not count it; here it must pass.
    MustPass,
    /// It is run and shown.
    Shown,
}

/// What became of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// What was written of it, or why nothing was.
    pub(crate) written: Result<Written, String>,
}

impl Scenario {
    /// As the suite counts: no check failed, and nothing but failures counts against it. One thing is stricter here: a
    /// scenario that checked nothing at all did not pass.
    pub(crate) fn has_passed(&self) -> bool {
        match &self.written {
            Ok(Written { checks, .. }) => {
                !checks.is_empty() && checks.iter().all(|check| check.status != Status::Failure)
            }
            Err(_) => false,
        }
    }

    /// Whether it passed for want of anything to look at.
    pub(crate) fn is_untested(&self) -> bool {
        self.has_passed() && self.with(Status::Success).next().is_none()
    }

    /// Whether its failure fails the run.
    pub(crate) fn counts(&self) -> bool {
        self.kind != Kind::Shown
    }

    /// Why it has no checks.
    pub(crate) fn problem(&self) -> Option<&str> {
        match &self.written {
            Ok(Written { checks, .. }) => checks.is_empty().then_some("nothing was checked"),
            Err(why) => Some(why),
        }
    }

    /// The last thing that a client under test said, where the scenario failed.
    pub(crate) fn said(&self) -> Option<&str> {
        if self.has_passed() { None } else { self.written.as_ref().ok()?.said.as_deref() }
    }

    /// The checks of a status.
    pub(crate) fn with(&self, status: Status) -> impl Iterator<Item = &Check> {
        let checks = self.written.iter().flat_map(|written| &written.checks);
        checks.filter(move |check| check.status == status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::check::parse_checks;

    fn scenario(statuses: &[&str]) -> Scenario {
        let checks: Vec<_> =
            statuses.iter().map(|status| format!(r#"{{"id":"a","name":"A","status":"{status}"}}"#)).collect();
        let checks = parse_checks(format!("[{}]", checks.join(",")).as_bytes());
        let written = checks.map(|checks| Written { checks, said: Some("error: no".to_owned()) });
        Scenario { name: "ping".to_owned(), kind: Kind::Scored, written }
    }

    #[test]
    fn a_scenario_passes_without_a_failure_whatever_else_was_said() {
        assert!(scenario(&["SUCCESS", "WARNING", "SKIPPED", "INFO"]).has_passed());
        assert!(scenario(&["SKIPPED"]).has_passed());
        assert!(!scenario(&["SUCCESS", "SUCCESS", "FAILURE"]).has_passed());
    }

    #[test]
    fn a_scenario_that_passed_without_a_success_is_untested() {
        assert!(scenario(&["SKIPPED", "INFO"]).is_untested());
        assert!(!scenario(&["SKIPPED", "SUCCESS"]).is_untested());
        assert!(!scenario(&["SKIPPED", "FAILURE"]).is_untested());
    }

    #[test]
    fn what_the_client_said_is_of_interest_where_it_failed() {
        assert_eq!(scenario(&["FAILURE"]).said(), Some("error: no"));
        assert_eq!(scenario(&["SUCCESS"]).said(), None);
    }

    #[test]
    fn a_scenario_that_checked_nothing_or_has_no_result_did_not_pass() {
        let nothing = scenario(&[]);
        assert!(!nothing.has_passed() && nothing.problem() == Some("nothing was checked"));
        let lost = Scenario { written: Err("the suite hung".to_owned()), ..scenario(&[]) };
        assert!(!lost.has_passed() && lost.problem() == Some("the suite hung"));
    }
}
