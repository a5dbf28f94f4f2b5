//! The bounds of retries, and the pause before each.

use crate::restart::{Jitter, RandomJitter};
use mgp_types::error::{Recovery, RetryStrategy};
use std::time::Duration;

/// The bounds of the retries of one call (§14.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The most retries; 0 for none. An error may ask for fewer.
    pub max_retries: u32,
    /// The pause before the first retry, for errors that name no time.
    pub base: Duration,
    /// The longest pause that doubling `base` leads to. An error may name a longer time, which is doubled without a limit.
    pub max: Duration,
}

impl RetryPolicy {
    /// Returns the policy without retries.
    #[must_use]
    pub const fn never() -> Self {
        Self { max_retries: 0, base: Duration::ZERO, max: Duration::ZERO }
    }

    /// Returns the pause before a retry, where 1 is the first, or `None` if the error advises against it or the retries are used up.
    ///
    /// The pause is at least as long as the error requests, and follows the error's strategy. An exponential pause doubles from retry to
    /// retry, even one that the error requested. Jitter shortens a pause that no error requested by at most half.
    ///
    /// ```
    /// use mgp_lifecycle::retry::RetryPolicy;
    /// use mgp_types::error::{ErrorCode, Recovery};
    /// use std::time::Duration;
    /// let policy = RetryPolicy { max_retries: 1, ..RetryPolicy::default() };
    /// let limited = Recovery::of(ErrorCode::RateLimited).after_ms(5_000);
    /// assert_eq!(policy.pause_before(1, &limited), Some(Duration::from_secs(5)));
    /// assert_eq!(policy.pause_before(2, &limited), None);
    /// assert_eq!(policy.pause_before(1, &Recovery::of(ErrorCode::AccessDenied)), None);
    /// ```
    #[must_use]
    pub fn pause_before(&self, number: u32, advice: &Recovery) -> Option<Duration> {
        let most = advice.max_retries.map_or(self.max_retries, |most| most.min(self.max_retries));
        (advice.retryable && number <= most).then(|| self.pause(advice, number, &mut RandomJitter))
    }

    /// Returns the pause before a retry, where 1 is the first.
    pub(super) fn pause(&self, advice: &Recovery, number: u32, jitter: &mut impl Jitter) -> Duration {
        let asked = Duration::from_millis(advice.retry_after_ms.unwrap_or(0));
        let factor = 1 << number.saturating_sub(1).min(20);
        let (least, spaced) = match advice.retry_strategy {
            Some(RetryStrategy::Immediate) => (asked, Duration::ZERO),
            Some(RetryStrategy::FixedDelay) => (asked, self.base),
            _ => (asked.saturating_mul(factor), self.base.saturating_mul(factor).min(self.max)),
        };
        least.max(spaced.mul_f64(1.0 - jitter.next().clamp(0.0, 1.0) / 2.0))
    }
}

impl Default for RetryPolicy {
    /// Returns two retries, the first after 200 ms.
    fn default() -> Self {
        Self { max_retries: 2, base: Duration::from_millis(200), max: Duration::from_secs(5) }
    }
}
