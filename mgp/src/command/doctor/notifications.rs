//! The targets of notifications.

use super::{
    context::Context,
    finding::{Finding, Kind, Remedy},
};
use mgp_discovery::config::{Secret, Text};
use mgp_transport::http::{
    fetch::{DocumentError, FetchLimits, Fetcher},
    zone::Zone,
};
use std::time::Duration;

/// The time limit of one target.
const LIMIT: Duration = Duration::from_secs(5);

/// Tries whether the targets with a URL can be reached. Nothing is sent to them, and those whose URL names a secret or a variable are left
/// out.
pub(super) async fn check(context: &Context) -> Vec<Finding> {
    let Some(config) = &context.config else { return Vec::new() };
    let mut findings = Vec::new();
    for (place, target) in config.approvals.notify.iter().enumerate() {
        let Some(url) = target.url.as_ref().map(Secret::text).and_then(Text::literal) else {
            continue;
        };
        if let Some(reason) = problem(&url).await {
            let key = format!("approvals.notify[{place}].url");
            let problem = format!("{key} cannot be reached: {reason}");
            findings.push(Finding::new(Kind::NotifyUnreachable, problem, Remedy::Key(key)));
        }
    }
    findings
}

/// Returns the reason why a URL cannot be reached, without the URL, whose path may be a secret. Every answer counts.
async fn problem(url: &str) -> Option<String> {
    let url = url.parse().ok()?;
    let limits = FetchLimits { time: LIMIT, redirects: 0, ..FetchLimits::default() };
    match Fetcher::new(limits, Zone::Local).ok()?.get_once(&url).await.err()? {
        DocumentError::Unreachable { reason, .. } => Some(reason),
        DocumentError::Timeout { limit, .. } => Some(format!("no answer within {limit:?}")),
        // There was an answer, or the configuration is refused anyway.
        _ => None,
    }
}
