//! A ring of the calls of the last minutes.

use super::super::outcome::Outcome;
use crate::ground::time_buckets::{BUCKETS, bucket_of, percentile_ms};
use mgp_types::lifecycle::CallCounts;
use std::{collections::VecDeque, time::Duration};

/// The most minutes of a ring.
pub(super) const MINUTES: u64 = 15;

/// The calls of the last minutes, at most [`MINUTES`] of them. A minute without calls takes no memory.
#[derive(Debug, Default)]
pub(super) struct Minutes(VecDeque<Minute>);

/// The calls that ended within one minute.
#[derive(Debug)]
struct Minute {
    /// The number of the minute since the start.
    number: u64,
    calls: u32,
    errors: u32,
    refused: u32,
    /// The calls by the time that they took.
    times: [u32; BUCKETS],
}

/// The sum of the calls of several rings.
#[derive(Debug)]
pub(super) struct Sum {
    calls: u64,
    errors: u64,
    pub(super) refused: u64,
    times: [u64; BUCKETS],
}

impl Minutes {
    /// Counts a call that ended in a minute. A call that is counted late belongs to the last minute.
    pub(super) fn count(&mut self, minute: u64, (outcome, duration): (Outcome, Option<Duration>)) {
        if self.0.back().is_none_or(|last| last.number < minute) {
            self.0.retain(|old| is_recent(old.number, minute));
            self.0.push_back(Minute { number: minute, calls: 0, errors: 0, refused: 0, times: [0; BUCKETS] });
        }
        let Some(last) = self.0.back_mut() else { return };
        let counter = |counter: &mut u32| *counter = counter.saturating_add(1);
        match outcome {
            Outcome::Refused => return counter(&mut last.refused),
            Outcome::ToolError | Outcome::Error => counter(&mut last.errors),
            Outcome::Success | Outcome::Cancelled => {}
        }
        counter(&mut last.calls);
        if let Some(duration) = duration {
            counter(&mut last.times[bucket_of(duration)]);
        }
    }

    /// Returns whether there were calls in the last minutes.
    pub(super) fn has_recent(&self, now: u64) -> bool {
        self.0.back().is_some_and(|last| is_recent(last.number, now))
    }
}

/// Returns whether a minute is one of the last ones.
const fn is_recent(minute: u64, now: u64) -> bool {
    minute + MINUTES > now
}

impl Default for Sum {
    fn default() -> Self {
        Self { calls: 0, errors: 0, refused: 0, times: [0; BUCKETS] }
    }
}

impl Sum {
    /// Adds the calls of the last minutes.
    pub(super) fn add(&mut self, minutes: &Minutes, now: u64) {
        for minute in minutes.0.iter().filter(|minute| is_recent(minute.number, now)) {
            self.calls += u64::from(minute.calls);
            self.errors += u64::from(minute.errors);
            self.refused += u64::from(minute.refused);
            for (sum, count) in self.times.iter_mut().zip(&minute.times) {
                *sum += u64::from(*count);
            }
        }
    }

    /// Returns the counts and percentiles.
    pub(super) fn counts(&self) -> CallCounts {
        let ms = |hundredths| percentile_ms(&self.times, hundredths);
        CallCounts { calls: self.calls, errors: self.errors, p50_ms: ms(50), p95_ms: ms(95) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Option<Duration> {
        Some(Duration::from_millis(ms))
    }

    fn sum(minutes: &Minutes, now: u64) -> (u64, u64, u64) {
        let mut sum = Sum::default();
        sum.add(minutes, now);
        (sum.calls, sum.errors, sum.refused)
    }

    #[test]
    fn a_call_is_forgotten_after_the_last_minutes() {
        let mut minutes = Minutes::default();
        minutes.count(3, (Outcome::Success, ms(1)));
        minutes.count(4, (Outcome::Error, None));
        let last = 3 + MINUTES - 1;
        assert_eq!([3, last, last + 1, last + 2].map(|now| sum(&minutes, now).0), [2, 2, 1, 0]);
        assert_eq!([last + 1, last + 2].map(|now| minutes.has_recent(now)), [true, false]);
    }

    #[test]
    fn no_more_than_the_last_minutes_are_kept() {
        let mut minutes = Minutes::default();
        for minute in 0..10 * MINUTES {
            minutes.count(minute, (Outcome::Success, ms(1)));
        }
        assert_eq!(minutes.0.len() as u64, MINUTES);
        minutes.count(100 * MINUTES, (Outcome::Success, ms(1)));
        assert_eq!(minutes.0.len(), 1);
        minutes.count(7, (Outcome::Success, ms(1)));
        assert_eq!(sum(&minutes, 100 * MINUTES).0, 2, "the late call is in the last minute");
    }

    #[test]
    fn cancelled_calls_are_counted_and_refused_ones_are_not() {
        let mut minutes = Minutes::default();
        for outcome in
            [Outcome::Success, Outcome::Cancelled, Outcome::ToolError, Outcome::Error, Outcome::Refused]
        {
            minutes.count(0, (outcome, None));
        }
        assert_eq!(sum(&minutes, 0), (4, 2, 1));
    }

    #[test]
    fn percentiles_are_those_of_all_recent_minutes() {
        let (mut one, mut other, mut all) = (Minutes::default(), Minutes::default(), Sum::default());
        for minute in 0..10 {
            for _ in 0..9 {
                one.count(minute, (Outcome::Success, ms(10)));
            }
            other.count(minute, (Outcome::Success, ms(1000)));
        }
        all.add(&one, 9);
        assert_eq!(all.counts(), CallCounts { calls: 90, errors: 0, p50_ms: Some(10), p95_ms: Some(11) });
        all.add(&other, 9);
        let CallCounts { calls, p50_ms, p95_ms, .. } = all.counts();
        assert_eq!((calls, p50_ms), (100, Some(10)));
        assert!((900..=1100).contains(&p95_ms.unwrap()), "{p95_ms:?}");
        assert_eq!(Sum::default().counts(), CallCounts::default());
    }
}
