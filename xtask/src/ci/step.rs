//! A step of `cargo xtask ci`, and its outcome.

use super::test_times::TestTime;
use crate::tally::Tally;

/// One check.
pub(super) struct Step {
    pub(super) name: &'static str,
    /// The text printed before the step runs: its command, or a description.
    pub(super) about: &'static str,
    /// True if the step runs only with `--full`, or by its name.
    pub(super) is_long: bool,
    pub(super) run: fn() -> Outcome,
}

/// The outcome of a step.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    pub(super) verdict: Verdict,
    /// The counts of a runner inside the step: tests, doctests, peers.
    pub(super) counted: Tally,
    /// The failed tests.
    pub(super) failed: Vec<TestTime>,
    /// The problems that a program of this workspace reported.
    pub(super) problems: Vec<String>,
    /// The tests that took longest.
    pub(super) slowest: Vec<TestTime>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Passed,
    Failed(String),
    /// Only allowed on a developer's machine.
    Skipped(String),
}

impl Outcome {
    pub(super) fn of(result: Result<(), String>) -> Self {
        let verdict = result.map_or_else(Verdict::Failed, |()| Verdict::Passed);
        Self {
            verdict,
            counted: Tally::default(),
            failed: Vec::new(),
            problems: Vec::new(),
            slowest: Vec::new(),
        }
    }

    pub(super) fn counting(self, counted: Tally) -> Self {
        Self { counted, ..self }
    }

    /// Returns the outcome of a step whose tool is not installed: CI must not pass without it.
    pub(super) fn without_tool(tool: &str, is_ci: bool) -> Self {
        Self::without_tool_of(tool, &format!("cargo install {tool} --locked"), is_ci)
    }

    /// Returns the outcome of a step whose tool is not installed, with the command that installs it.
    pub(super) fn without_tool_of(tool: &str, command: &str, is_ci: bool) -> Self {
        let what = format!("{tool} is not installed: {command}");
        let verdict = if is_ci { Verdict::Failed(what) } else { Verdict::Skipped(what) };
        Self { verdict, ..Self::of(Ok(())) }
    }

    /// Returns the count of the step itself and of the runner inside it.
    pub(super) fn tally(&self) -> Tally {
        let mut tally = self.counted;
        tally += match self.verdict {
            Verdict::Passed => Tally { passed: 1, ..Tally::default() },
            Verdict::Failed(_) => Tally { failed: 1, ..Tally::default() },
            Verdict::Skipped(_) => Tally { skipped: 1, ..Tally::default() },
        };
        tally
    }
}

/// Returns `true` in CI, where nobody reads a line about a skipped step.
pub(super) fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| matches!(value.as_str(), "true" | "1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_fails_in_ci_and_is_skipped_elsewhere() {
        assert_eq!(
            Outcome::without_tool("cargo-x", true).tally(),
            Tally { passed: 0, failed: 1, skipped: 0 }
        );
        assert_eq!(
            Outcome::without_tool("cargo-x", false).tally(),
            Tally { passed: 0, failed: 0, skipped: 1 }
        );
    }

    #[test]
    fn a_step_counts_as_one_with_its_tests() {
        let tests = Tally { passed: 7, failed: 1, skipped: 0 };
        let outcome = Outcome::of(Err("1 test failed".to_owned())).counting(tests);
        assert_eq!(outcome.tally(), Tally { passed: 7, failed: 2, skipped: 0 });
    }
}
