//! Runs every check.

use crate::{
    CheckOutcome, CheckReport, CheckSettings, CheckStatus, CheckTarget,
    checks::{ALL, HANDSHAKE},
    outcome::{Miss, Outcome},
    visit::Visit,
};
use tokio::time::{Instant, timeout_at};

/// Checks a server. The report is returned within the bounds of the settings, even if the server misbehaves.
pub async fn check(target: &CheckTarget, settings: &CheckSettings) -> CheckReport {
    let began = jiff::Timestamp::now();
    let until = Instant::now() + settings.total;
    let mut report = CheckReport::new(target.name(), began);
    // The handshake, and the pages of the tools' list, are bounded by the session.
    let begun = timeout_at(until, Visit::begin(target.clone(), *settings)).await;
    let mut visit = match begun.unwrap_or_else(|_| Err(Miss::Failed("the handshake did not end".to_owned())))
    {
        Ok(visit) => visit,
        Err(miss) => {
            for check in ALL {
                let outcome = match &miss {
                    Miss::Failed(message) if check.id == HANDSHAKE => Err(Miss::Failed(message.clone())),
                    _ => Err(Miss::Skipped("there was no handshake".to_owned())),
                };
                report.outcomes.push(told(check, outcome, began));
            }
            return report;
        }
    };
    report.name_server(&visit.main.greeting.result["serverInfo"]);
    for check in ALL {
        let started = jiff::Timestamp::now();
        let outcome = match timeout_at(until, (check.run)(&mut visit)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Miss::Skipped(format!("the run took longer than {:?}", settings.total))),
        };
        report.outcomes.push(told(check, outcome, started));
    }
    visit.end().await;
    report
}

fn told(check: &'static crate::Check, outcome: Outcome, started: jiff::Timestamp) -> CheckOutcome {
    let (status, message) = match outcome {
        Ok(message) => (CheckStatus::Passed, message),
        Err(Miss::Failed(message)) => (CheckStatus::Failed, message),
        Err(Miss::Skipped(message)) => (CheckStatus::Skipped, message),
    };
    let duration = jiff::Timestamp::now().duration_since(started).as_millis();
    CheckOutcome { check, status, message, duration_ms: u64::try_from(duration).unwrap_or(0) }
}
