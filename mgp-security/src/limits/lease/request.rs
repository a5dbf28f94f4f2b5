//! A request for calls of a bucket, and its effect on the bucket.

use super::{BucketName, BucketRate};
use std::time::Duration;

/// A request of a kernel for calls of one bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseRequest {
    /// The bucket.
    pub bucket: BucketName,
    /// The rate of the bucket.
    pub rate: BucketRate,
    /// The number of calls to lease; 0 only to learn the state of the bucket.
    pub wanted: u32,
    /// The number of leased calls that were not used, and return to the bucket.
    pub returned: u32,
    /// The number of calls that were made without a lease while the store was away.
    pub spent: u32,
    /// The time since the first of the calls in `spent`.
    pub spent_for: Duration,
}

/// The answer to a [`LeaseRequest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// The number of leased calls: those that were wanted, or as many as the bucket had.
    pub calls: u32,
    /// The time until the bucket is full.
    pub full_in: Duration,
}

impl LeaseRequest {
    /// Applies the request to a bucket that is full after a time in nanoseconds, which is negative if the bucket has been full for a while, and
    /// `None` if it has been full for longer. Returns the lease, with the state of the bucket after it.
    ///
    /// A time that is longer than the bucket needs to become full was stored before the clock was set back, or under another burst. It
    /// counts as that of an empty bucket.
    #[must_use]
    pub fn apply(&self, full_in: Option<i64>) -> Lease {
        let time = |calls| nanos(self.rate.time(calls));
        // Calls that were spent are counted as if they had been taken when they were made, while the bucket filled up.
        let earliest = -nanos(self.spent_for);
        let empty = nanos(self.rate.full_time());
        let full_in = full_in.map_or(earliest, i128::from).clamp(earliest, empty);
        let full_in = (full_in + time(self.spent) - time(self.returned)).clamp(0, empty);
        let full_in = Duration::from_nanos(u64::try_from(full_in).unwrap_or(u64::MAX));
        let calls = self.rate.calls_left(full_in).min(self.wanted);
        Lease { calls, full_in: full_in + self.rate.time(calls) }
    }

    /// Returns whether a lease changes the bucket.
    #[must_use]
    pub fn changes(&self, lease: &Lease) -> bool {
        lease.calls > 0 || self.returned > 0 || self.spent > 0
    }
}

fn nanos(time: Duration) -> i128 {
    i128::try_from(time.as_nanos()).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;

    const SECOND: i64 = 1_000_000_000;

    /// Returns a request for calls of a bucket with five calls, of which one comes back each second.
    fn request(wanted: u32) -> LeaseRequest {
        let [calls, burst] = [60, 5].map(|number| NonZeroU32::new(number).unwrap());
        let bucket = BucketName { rule: "rule".into(), ..BucketName::default() };
        let rate = BucketRate::new(calls, burst);
        LeaseRequest { bucket, rate, wanted, returned: 0, spent: 0, spent_for: Duration::ZERO }
    }

    fn lease(calls: u32, seconds: u64) -> Lease {
        Lease { calls, full_in: Duration::from_secs(seconds) }
    }

    #[test]
    fn a_lease_is_at_most_the_rest_of_the_bucket() {
        assert_eq!(request(3).apply(None), lease(3, 3));
        assert_eq!(request(9).apply(Some(-SECOND)), lease(5, 5));
        assert_eq!(request(3).apply(Some(3 * SECOND)), lease(2, 5));
        assert_eq!(request(3).apply(Some(5 * SECOND)), lease(0, 5));
        let looked = request(0).apply(Some(2 * SECOND));
        assert_eq!(looked, lease(0, 2));
        assert!(!request(0).changes(&looked) && request(1).changes(&lease(1, 1)));
    }

    #[test]
    fn returned_calls_never_overfill_a_bucket() {
        let returned = |full_in| LeaseRequest { returned: 4, ..request(9) }.apply(full_in);
        assert_eq!(returned(Some(5 * SECOND)), lease(4, 5));
        assert_eq!(returned(Some(2 * SECOND)), lease(5, 5));
        assert_eq!(returned(None), lease(5, 5));
    }

    #[test]
    fn spent_calls_count_from_the_time_they_were_made() {
        let spent = |spent, seconds, full_in| {
            LeaseRequest { spent, spent_for: Duration::from_secs(seconds), ..request(9) }.apply(full_in)
        };
        assert_eq!(spent(3, 0, None), lease(2, 5));
        assert_eq!(spent(3, 10, None), lease(5, 5), "they came back meanwhile");
        assert_eq!(spent(12, 10, Some(-60 * SECOND)), lease(3, 5));
        assert_eq!(spent(12, 10, Some(-5 * SECOND)), lease(0, 5), "others took calls meanwhile");
        assert_eq!(spent(u32::MAX, 10, None), lease(0, 5));
    }

    #[test]
    fn a_time_far_ahead_counts_as_an_empty_bucket() {
        assert_eq!(request(9).apply(Some(i64::MAX)), lease(0, 5));
        assert_eq!(LeaseRequest { returned: 1, ..request(9) }.apply(Some(i64::MAX)), lease(1, 5));
    }
}
