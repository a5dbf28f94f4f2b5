//! The report in the form of the extension proposals (proposal 12).

use crate::{CheckReport, CheckStatus};
use serde_json::{Value, json};

impl CheckReport {
    /// Returns the report as the proposals' `ConformanceReport`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let results = self.outcomes.iter().map(|outcome| {
            json!({
                "test_id": outcome.check.id,
                "status": outcome.status,
                "message": outcome.message,
                "duration_ms": outcome.duration_ms,
            })
        });
        json!({
            "server_name": self.server_name,
            "server_version": self.server_version,
            "suite_version": env!("CARGO_PKG_VERSION"),
            "tested_at": self.tested_at.to_string(),
            "results": results.collect::<Vec<_>>(),
            "summary": {
                "passed": self.count(CheckStatus::Passed),
                "failed": self.count(CheckStatus::Failed),
                "skipped": self.count(CheckStatus::Skipped),
            },
        })
    }
}
