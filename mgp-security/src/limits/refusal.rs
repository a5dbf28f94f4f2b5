//! The refusals of limits.

use super::{CallUse, LimitRule};
use mgp_store::StoreError;
use mgp_transport::seam::{Refusal, RefusalKind};
use mgp_types::{
    error::{ErrorCode, Recovery},
    json::{RawJson, RawObject},
};
use serde::Serialize;
use std::{num::NonZeroU32, time::Duration};

/// The pause before another attempt if the store could not be asked, in milliseconds.
const RETRY_AFTER_MS: u64 = 1_000;

/// Refuses a call that is made too soon.
pub(super) fn too_fast(rule: &LimitRule, calls: NonZeroU32, used: &CallUse<'_>, wait: Duration) -> Refusal {
    // Rounded up: a call that is repeated a moment too early would be refused again.
    let wait_ms = u64::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX);
    #[expect(clippy::cast_precision_loss, reason = "for people, in tenths of a second")]
    let seconds = (wait_ms as f64 / 100.0).ceil() / 10.0;
    let message = format!("too many calls: {}; call again in {seconds} s", allowance(rule, calls, used));
    let mut details = RawObject::new();
    add(&mut details, "limit", &key(rule));
    add(&mut details, "requests_per_minute", &calls);
    if let Some(burst) = rule.burst {
        add(&mut details, "burst", &burst);
    }
    let advice = Recovery::of(ErrorCode::RateLimited).after_ms(wait_ms).with_details(details);
    Refusal::new(RefusalKind::RateLimit, ErrorCode::RateLimited.error_with(message, advice))
}

/// Refuses a call that cannot be counted together with those of other kernels.
pub(super) fn uncounted(problem: &StoreError) -> Refusal {
    let message = format!(
        "refused while calls cannot be counted for limits: {problem}; store.on_outage = \"snapshot\" allows this gateway's part of each limit"
    );
    let advice = Recovery::unsent(ErrorCode::ResourceExhausted).after_ms(RETRY_AFTER_MS);
    Refusal::new(RefusalKind::RateLimit, ErrorCode::ResourceExhausted.error_with(message, advice))
}

/// Returns the sentence that states how many calls a rule allows the subject of a use.
pub(super) fn allowance(rule: &LimitRule, calls: NonZeroU32, used: &CallUse<'_>) -> String {
    let requests = if calls.get() == 1 { "request" } else { "requests" };
    format!("{} allows {} {calls} {requests} a minute", key(rule), rule.subject(used))
}

/// Returns the setting that limits the requests of a rule.
fn key(rule: &LimitRule) -> String {
    format!("{}.requests_per_minute", rule.key())
}

pub(super) fn add(details: &mut RawObject, key: &'static str, value: &impl Serialize) {
    // Only texts and numbers: serialization cannot fail.
    if let Ok(value) = RawJson::from_value(value) {
        details.insert(key, value);
    }
}
