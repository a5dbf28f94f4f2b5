//! The refusals of limits.

use super::{CallUse, LimitRule};
use mgp_transport::seam::{Refusal, RefusalKind};
use mgp_types::{
    error::{ErrorCode, Recovery},
    json::{RawJson, RawObject},
};
use serde::Serialize;
use std::{num::NonZeroU32, time::Duration};

/// Refuses a call that comes too soon.
pub(super) fn too_fast(rule: &LimitRule, calls: NonZeroU32, used: &CallUse<'_>, wait: Duration) -> Refusal {
    let key = format!("{}.requests_per_minute", rule.key());
    // Rounded up: a call that is made again a moment too early would be refused again.
    let wait_ms = u64::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX);
    let requests = if calls.get() == 1 { "request" } else { "requests" };
    #[expect(clippy::cast_precision_loss, reason = "for people, in tenths of a second")]
    let seconds = (wait_ms as f64 / 100.0).ceil() / 10.0;
    let message = format!(
        "too many calls: {key} allows {} {calls} {requests} a minute; call again in {seconds} s",
        rule.subject(used)
    );
    let mut details = RawObject::new();
    add(&mut details, "limit", &key);
    add(&mut details, "requests_per_minute", &calls);
    if let Some(burst) = rule.burst {
        add(&mut details, "burst", &burst);
    }
    let advice = Recovery::of(ErrorCode::RateLimited).after_ms(wait_ms).with_details(details);
    Refusal::new(RefusalKind::RateLimit, ErrorCode::RateLimited.error_with(message, advice))
}

pub(super) fn add(details: &mut RawObject, key: &'static str, value: &impl Serialize) {
    // Texts and numbers: writing cannot fail.
    if let Ok(value) = RawJson::from_value(value) {
        details.insert(key, value);
    }
}
