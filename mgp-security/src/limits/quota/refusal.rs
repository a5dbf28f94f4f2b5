//! The refusals of quotas.

use super::{QuotaShare, quotas::CallCost};
use crate::limits::refusal::add;
use mgp_store::StoreError;
use mgp_transport::seam::{Refusal, RefusalKind};
use mgp_types::{
    error::{ErrorCode, Recovery, RetryStrategy},
    json::RawObject,
};

/// The pause before another attempt if the store could not be used, in milliseconds.
const RETRY_AFTER_MS: u64 = 1_000;

/// Refuses a call for which a quota has too little left.
pub(super) fn exhausted(spending: &CallCost, at: usize, used: u64) -> Refusal {
    let quota = spending.shares.get(at).zip(spending.named.get(at));
    let Some((QuotaShare { limit, .. }, (key, subject))) = quota else {
        let count = spending.shares.len();
        return unusable(&StoreError::new(format!(
            "the store names quota {at} as used up, of {count} from 0 on"
        )));
    };
    let (units, resets_at) = (spending.units, spending.resets_at);
    let left = limit.saturating_sub(used);
    let message = if units > *limit {
        format!("the quota is too small: {key} allows {subject} {limit} a day, and the call needs {units}")
    } else {
        let needs = if units == 1 { String::new() } else { format!(", and the call needs {units}") };
        format!(
            "the quota is used up: {key} allows {subject} {limit} a day; {left} are left until {resets_at}{needs}"
        )
    };
    let mut details = RawObject::new();
    add(&mut details, "limit", key);
    add(&mut details, "units_per_day", limit);
    add(&mut details, "remaining", &left);
    add(&mut details, "cost", &units);
    add(&mut details, "resets_at", &resets_at.to_string());
    let advice = Recovery::of(ErrorCode::QuotaExceeded).with_details(details);
    let advice = if units > *limit {
        // The call would also be refused tomorrow.
        advice.without_retry()
    } else {
        // Rounded up: a call that is repeated a moment too early would be refused again.
        let wait = resets_at.duration_since(spending.now).as_nanos();
        let wait = u64::try_from(wait).unwrap_or(0).div_ceil(1_000_000);
        // The call was not sent, and passes then.
        advice.with_retry(RetryStrategy::FixedDelay).after_ms(wait)
    };
    Refusal::new(RefusalKind::RateLimit, ErrorCode::QuotaExceeded.error_with(message, advice))
}

/// Refuses a call whose units cannot be counted.
pub(super) fn unusable(error: &StoreError) -> Refusal {
    let message = format!("refused while quotas cannot be counted: {error}");
    let advice = Recovery::unsent(ErrorCode::ResourceExhausted).after_ms(RETRY_AFTER_MS);
    Refusal::new(RefusalKind::RateLimit, ErrorCode::ResourceExhausted.error_with(message, advice))
}
