//! The result of a scenario.

use super::{Check, ScenarioOutput, Status};

/// The weight of a scenario in the result of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The revision requires it.
    Scored,
    /// The suite does not count the scenario, but it must pass here.
    MustPass,
    /// The scenario is run and shown, but does not count.
    Shown,
}

/// The result of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The suite's output, or the reason why there is none.
    pub(crate) written: Result<ScenarioOutput, String>,
}

impl Scenario {
    /// Returns whether the scenario passed, by the suite's rule: only failed checks count against it. One rule is stricter here: a
    /// scenario without any check did not pass.
    pub(crate) fn has_passed(&self) -> bool {
        match &self.written {
            Ok(ScenarioOutput { checks, .. }) => {
                !checks.is_empty() && checks.iter().all(|check| check.status != Status::Failure)
            }
            Err(_) => false,
        }
    }

    /// Returns `true` if the scenario passed without a single successful check.
    pub(crate) fn is_untested(&self) -> bool {
        self.has_passed() && self.with(Status::Success).next().is_none()
    }

    /// Returns `true` if the scenario's failure fails the run.
    pub(crate) fn counts(&self) -> bool {
        self.kind != Kind::Shown
    }

    /// Returns the reason why the scenario has no checks.
    pub(crate) fn problem(&self) -> Option<&str> {
        match &self.written {
            Ok(ScenarioOutput { checks, .. }) => checks.is_empty().then_some("nothing was checked"),
            Err(why) => Some(why),
        }
    }

    /// Returns the last line that a client under test wrote to stderr, if the scenario failed.
    pub(crate) fn said(&self) -> Option<&str> {
        if self.has_passed() { None } else { self.written.as_ref().ok()?.said.as_deref() }
    }

    /// Returns the checks with a status.
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
        let written = checks.map(|checks| ScenarioOutput { checks, said: Some("error: no".to_owned()) });
        Scenario { name: "ping".to_owned(), kind: Kind::Scored, written }
    }

    #[test]
    fn a_scenario_without_failures_passes() {
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
    fn a_client_s_output_matters_only_if_it_failed() {
        assert_eq!(scenario(&["FAILURE"]).said(), Some("error: no"));
        assert_eq!(scenario(&["SUCCESS"]).said(), None);
    }

    #[test]
    fn a_scenario_without_checks_or_result_did_not_pass() {
        let nothing = scenario(&[]);
        assert!(!nothing.has_passed() && nothing.problem() == Some("nothing was checked"));
        let lost = Scenario { written: Err("the suite hung".to_owned()), ..scenario(&[]) };
        assert!(!lost.has_passed() && lost.problem() == Some("the suite hung"));
    }
}
