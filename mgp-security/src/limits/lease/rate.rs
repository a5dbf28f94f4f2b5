//! The arithmetic of a bucket, by the generic cell rate algorithm: a bucket is one number, the time until it is full again.

use std::{num::NonZeroU32, time::Duration};

const MINUTE: Duration = Duration::from_secs(60);

/// The share of a minute's calls that a bucket always holds: those of 200 ms. A kernel asks for calls of a used-up bucket ten times a second at
/// most, and no call of a high rate with a small burst may be lost meanwhile.
const LEAST_SHARE: u32 = 300;

/// The calls that a bucket holds, and the rate at which they come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BucketRate {
    /// The time in which one call comes back.
    interval: Duration,
    capacity: u32,
}

impl BucketRate {
    /// Creates the rate of a limit of `calls` a minute, of which `burst` may come at once after a pause.
    #[must_use]
    pub fn new(calls: NonZeroU32, burst: NonZeroU32) -> Self {
        Self { interval: MINUTE / calls.get(), capacity: burst.get().max(calls.get() / LEAST_SHARE) }
    }

    /// Returns the time in which some calls come back.
    #[must_use]
    pub fn time(self, calls: u32) -> Duration {
        self.interval * calls
    }

    /// Returns the time in which an empty bucket becomes full.
    #[must_use]
    pub fn full_time(self) -> Duration {
        self.time(self.capacity)
    }

    /// Returns the number of calls in a bucket that is full after a time.
    #[must_use]
    pub fn calls_left(self, full_in: Duration) -> u32 {
        let left = self.full_time().saturating_sub(full_in);
        u32::try_from(left.as_nanos() / self.interval.as_nanos()).unwrap_or(u32::MAX)
    }

    /// Returns the time after which a call that costs `cost` can be taken from a bucket that is full after a time. A full bucket has enough
    /// for any cost.
    #[must_use]
    pub fn wait(self, full_in: Duration, cost: Duration) -> Duration {
        (full_in + cost).saturating_sub(self.full_time().max(cost))
    }

    /// Returns the most calls to lease at once: those of a second, or a twentieth of the bucket if that is more.
    pub(super) fn largest_lease(self) -> u32 {
        let of_a_second = Duration::from_secs(1).as_nanos() / self.interval.as_nanos();
        let of_a_second = u32::try_from(of_a_second).unwrap_or(u32::MAX);
        of_a_second.max(self.capacity / 20).clamp(1, self.capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(calls: u32, burst: u32) -> BucketRate {
        BucketRate::new(NonZeroU32::new(calls).unwrap(), NonZeroU32::new(burst).unwrap())
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_bucket_has_the_calls_that_came_back() {
        let rate = rate(60, 5);
        let left = |full_in| rate.calls_left(full_in);
        assert_eq!((left(Duration::ZERO), left(SECOND * 5), left(SECOND * 9)), (5, 0, 0));
        assert_eq!((left(SECOND), left(SECOND + Duration::from_nanos(1))), (4, 3));
    }

    #[test]
    fn the_wait_ends_when_the_cost_is_there() {
        let rate = rate(60, 5);
        assert_eq!(rate.wait(SECOND * 4, SECOND), Duration::ZERO);
        assert_eq!(rate.wait(SECOND * 5, SECOND), SECOND);
        assert_eq!(rate.wait(SECOND * 2, SECOND * 9), SECOND * 2, "a full bucket has enough");
    }

    #[test]
    fn a_bucket_holds_the_calls_of_200_ms() {
        assert_eq!(rate(6000, 1).calls_left(Duration::ZERO), 20);
        assert_eq!(rate(300, 1).calls_left(Duration::ZERO), 1);
    }

    #[test]
    fn a_lease_is_the_calls_of_a_second_or_a_twentieth() {
        let largest = |calls, burst| rate(calls, burst).largest_lease();
        assert_eq!((largest(600, 20), largest(600, 600), largest(120, 120)), (10, 30, 6));
        assert_eq!((largest(600, 3), largest(2, 2)), (3, 1));
        assert_eq!(largest(u32::MAX, u32::MAX), u32::MAX / 20);
    }
}
