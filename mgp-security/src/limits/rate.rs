//! Requests a minute.

use super::{
    LimitRule,
    buckets::{Attempt, Buckets},
    rule::BucketKey,
};
use governor::{Quota, RateLimiter, clock::Clock, nanos::Nanos};
use parking_lot::Mutex;
use std::{num::NonZeroU32, time::Duration};
use tokio::time::Instant;

/// The interval at which buckets that are full again are dropped.
const SWEEP: Duration = Duration::from_secs(60);

/// The runtime's clock, which tests can pause: the time since the limit was made.
#[derive(Debug)]
struct RuntimeClock(Instant);

impl Clock for RuntimeClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        self.0.elapsed().into()
    }
}

/// The buckets of a rule on requests a minute.
#[derive(Debug)]
pub(super) struct RateLimit {
    pub(super) calls: NonZeroU32,
    limiter: RateLimiter<Attempt, Buckets, RuntimeClock>,
    swept: Mutex<Instant>,
}

impl RateLimit {
    /// Creates a limit whose buckets are full; `None` if the rule does not limit requests a minute.
    pub(super) fn new(rule: &LimitRule) -> Option<Self> {
        let calls = rule.per_minute?;
        let quota = Quota::per_minute(calls).allow_burst(rule.burst.unwrap_or(calls));
        let now = Instant::now();
        let limiter = RateLimiter::new(quota, Buckets::default(), RuntimeClock(now));
        Some(Self { calls, limiter, swept: Mutex::new(now) })
    }

    /// Takes one call from a bucket, or only checks whether it could be taken.
    ///
    /// # Errors
    /// The time after which a call can be taken.
    pub(super) fn check(&self, bucket: BucketKey, takes: bool) -> Result<(), Duration> {
        self.sweep();
        self.limiter
            .check_key(&Attempt { bucket, takes })
            .map_err(|not_until| not_until.wait_time_from(self.limiter.clock().now()))
    }

    /// Drops the buckets that are full again, at intervals.
    fn sweep(&self) {
        // Another call is already sweeping.
        let Some(mut swept) = self.swept.try_lock() else { return };
        if swept.elapsed() >= SWEEP {
            *swept = Instant::now();
            self.limiter.retain_recent();
        }
    }

    /// Returns the number of buckets in use.
    #[cfg(test)]
    pub(super) fn buckets(&self) -> usize {
        self.limiter.len()
    }
}
