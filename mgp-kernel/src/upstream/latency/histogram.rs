//! A histogram of times with a constant size.

use crate::ground::time_buckets::{BUCKETS, bucket_of, percentile_ms};
use mgp_types::tool_metadata::MeasuredLatency;
use std::{
    array,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// The times of a tool's calls. Counting a time neither locks nor allocates.
#[derive(Debug)]
pub(super) struct LatencyHistogram([AtomicU64; BUCKETS]);

impl Default for LatencyHistogram {
    fn default() -> Self {
        Self(array::from_fn(|_| AtomicU64::new(0)))
    }
}

impl LatencyHistogram {
    pub(super) fn count(&self, time: Duration) {
        self.0[bucket_of(time)].fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the times so far; `None` if there are none.
    pub(super) fn read(&self) -> Option<MeasuredLatency> {
        // The sum of the counts that were read, so that concurrent calls do not matter.
        let counts: [u64; BUCKETS] = array::from_fn(|at| self.0[at].load(Ordering::Relaxed));
        let calls: u64 = counts.iter().sum();
        let ms = |hundredths| percentile_ms(&counts, hundredths);
        Some(MeasuredLatency { calls, p50_ms: ms(50)?, p95_ms: ms(95)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_and_the_95th_percentile_bound_their_calls() {
        let histogram = LatencyHistogram::default();
        assert_eq!(histogram.read(), None);
        // From 10 ms to 10 s.
        for ms in (10..10_010).step_by(10) {
            histogram.count(Duration::from_millis(ms));
        }
        let MeasuredLatency { calls, p50_ms, p95_ms } = histogram.read().unwrap();
        assert_eq!(calls, 1000);
        assert!((4_500..=5_500).contains(&p50_ms), "{p50_ms}");
        assert!((9_000..=10_500).contains(&p95_ms), "{p95_ms}");
    }

    #[test]
    fn one_slow_call_among_many_changes_no_percentile() {
        let histogram = LatencyHistogram::default();
        for _ in 0..99 {
            histogram.count(Duration::from_micros(300));
        }
        histogram.count(Duration::from_secs(600));
        assert_eq!(histogram.read(), Some(MeasuredLatency { calls: 100, p50_ms: 1, p95_ms: 1 }));
        for _ in 0..10 {
            histogram.count(Duration::MAX);
        }
        assert!(histogram.read().unwrap().p95_ms > 3_600_000);
    }
}
