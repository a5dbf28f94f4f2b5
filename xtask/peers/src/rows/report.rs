//! The outcomes of the rows, line by line, and the closing line.

use std::{fmt, time::Duration};

/// The outcome of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    /// The row failed, for this reason.
    Failed(String),
    /// The row was skipped, for this reason.
    Skipped(String),
}

/// Counts rows and prints each as it ends.
#[derive(Debug)]
pub(crate) struct Report {
    width: usize,
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Report {
    /// Creates a report. `width` is the length of the longest name.
    pub(crate) fn new(width: usize) -> Self {
        Self { width, passed: 0, failed: 0, skipped: 0 }
    }

    /// Counts a row and returns its line.
    pub(super) fn line(&mut self, name: &str, outcome: &Outcome, took: Duration) -> String {
        let width = self.width;
        let seconds = took.as_secs_f64();
        match outcome {
            Outcome::Passed => {
                self.passed += 1;
                format!("pass  {name:width$}  {seconds:6.2} s")
            }
            Outcome::Failed(why) => {
                self.failed += 1;
                format!("FAIL  {name:width$}  {seconds:6.2} s  {why}")
            }
            Outcome::Skipped(why) => {
                self.skipped += 1;
                format!("skip  {name:width$}  {why}")
            }
        }
    }

    pub(crate) fn has_failures(&self) -> bool {
        self.failed > 0
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_counted_and_its_reason_shown() {
        let mut report = Report::new(6);
        let took = Duration::from_millis(1234);
        assert_eq!(report.line("a/b", &Outcome::Passed, took), "pass  a/b       1.23 s");
        assert!(report.line("a/c", &Outcome::Failed("no".into()), took).ends_with("1.23 s  no"));
        assert!(report.line("a/d", &Outcome::Skipped("gone".into()), took).ends_with("gone"));
        assert_eq!(report.to_string(), "1 passed, 1 failed, 1 skipped");
        assert!(report.has_failures());
    }
}
