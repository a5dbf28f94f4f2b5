//! The outcomes of a run.

use crate::{Check, CheckStatus};
use jiff::Timestamp;
use serde_json::Value;

/// The outcome of one check.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CheckOutcome {
    /// The check.
    pub check: &'static Check,
    /// The status.
    pub status: CheckStatus,
    /// The message that was sent, the answer and the expectation; or the reason why the check was skipped.
    pub message: String,
    /// The duration, in milliseconds.
    pub duration_ms: u64,
}

/// The outcomes of a run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CheckReport {
    /// The command or the URL.
    pub target: String,
    /// The server's name, as the server reports it; otherwise the target.
    pub server_name: String,
    /// The server's version, as the server reports it; otherwise `unknown`.
    pub server_version: String,
    /// The time at which the run began.
    pub tested_at: Timestamp,
    /// The outcomes, in the order in which the checks ran.
    pub outcomes: Vec<CheckOutcome>,
}

impl CheckReport {
    pub(crate) fn new(target: &str, tested_at: Timestamp) -> Self {
        Self {
            target: target.to_owned(),
            server_name: target.to_owned(),
            server_version: "unknown".to_owned(),
            tested_at,
            outcomes: Vec::new(),
        }
    }

    pub(crate) fn name_server(&mut self, info: &Value) {
        for (text, key) in [(&mut self.server_name, "name"), (&mut self.server_version, "version")] {
            if let Some(told) = info[key].as_str().filter(|told| !told.is_empty()) {
                *text = crate::outcome::quoted(told);
            }
        }
    }

    /// Returns the number of checks with a status.
    #[must_use]
    pub fn count(&self, status: CheckStatus) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.status == status).count()
    }

    /// Returns `true` if a check failed.
    #[must_use]
    pub fn has_failures(&self) -> bool {
        self.count(CheckStatus::Failed) > 0
    }

    /// Returns the ids of the checks with a status.
    #[must_use]
    pub fn ids(&self, status: CheckStatus) -> Vec<&'static str> {
        let with = self.outcomes.iter().filter(|outcome| outcome.status == status);
        with.map(|outcome| outcome.check.id).collect()
    }
}
