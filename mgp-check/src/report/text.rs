//! The report as lines for people.

use crate::{CheckReport, CheckStatus};
use std::fmt;

impl fmt::Display for CheckReport {
    /// Writes a line for each check that ran, with the message of those that failed, and a closing line that counts them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}", self.server_name, self.server_version)?;
        for outcome in &self.outcomes {
            let check = outcome.check;
            match outcome.status {
                CheckStatus::Passed => writeln!(f, "passed   {:<28} {}", check.id, outcome.message)?,
                CheckStatus::Skipped => writeln!(f, "skipped  {:<28} {}", check.id, outcome.message)?,
                CheckStatus::Failed => {
                    writeln!(f, "FAILED   {:<28} {} ({})", check.id, check.rule, check.of)?;
                    writeln!(f, "         {}", outcome.message)?;
                }
            }
        }
        let count = |status| self.count(status);
        write!(
            f,
            "{} passed, {} failed, {} skipped",
            count(CheckStatus::Passed),
            count(CheckStatus::Failed),
            count(CheckStatus::Skipped)
        )
    }
}
