//! A histogram of times with a constant size.

use mgp_types::tool_metadata::MeasuredLatency;
use std::{
    array,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// The power of two below which all times share one bucket, in microseconds: 64 µs.
const FIRST: u32 = 6;

/// The power of two above which all times share the last bucket, in microseconds: 71 minutes.
const LAST: u32 = 32;

/// The number of buckets between two powers of two, itself a power of two. A bucket is at most a quarter wider than its lower bound.
const PARTS: u32 = 4;

const BUCKETS: usize = 1 + ((LAST - FIRST) * PARTS) as usize;

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
        self.0[bucket(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))].fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the times so far; `None` if there are none.
    pub(super) fn read(&self) -> Option<MeasuredLatency> {
        // The sum of the counts that were read, so that concurrent calls do not matter.
        let counts: [u64; BUCKETS] = array::from_fn(|at| self.0[at].load(Ordering::Relaxed));
        let calls: u64 = counts.iter().sum();
        let ms = |hundredths| quantile(&counts, calls, hundredths).div_ceil(1000);
        (calls > 0).then(|| MeasuredLatency { calls, p50_ms: ms(50), p95_ms: ms(95) })
    }
}

/// Returns the bucket of a time in microseconds.
fn bucket(micros: u64) -> usize {
    let power = micros.checked_ilog2().unwrap_or(0);
    if power < FIRST {
        return 0;
    }
    if power >= LAST {
        return BUCKETS - 1;
    }
    let part = (micros >> (power - PARTS.ilog2())) & u64::from(PARTS - 1);
    1 + ((power - FIRST) * PARTS) as usize + usize::try_from(part).unwrap_or_default()
}

/// Returns the lower bound and the width of a bucket, in microseconds.
fn bounds(bucket: usize) -> (u64, u64) {
    let Some(at) = bucket.checked_sub(1) else { return (0, 1 << FIRST) };
    let at = u32::try_from(at).unwrap_or_default();
    let width = 1_u64 << (FIRST + at / PARTS - PARTS.ilog2());
    (u64::from(PARTS + at % PARTS) * width, width)
}

/// Returns the time within which a percentage of the calls ended, in microseconds. Calls are assumed to be spread evenly within a bucket.
fn quantile(counts: &[u64; BUCKETS], calls: u64, hundredths: u64) -> u64 {
    let mut rank = (calls * hundredths).div_ceil(100).max(1);
    for (at, count) in counts.iter().enumerate() {
        if rank <= *count {
            let (begin, width) = bounds(at);
            return begin + width.saturating_mul(rank) / count;
        }
        rank -= count;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_ends_where_the_next_one_begins() {
        let mut end = 0;
        for at in 0..BUCKETS {
            let (begin, width) = bounds(at);
            assert_eq!(begin, end, "{at}");
            end = begin + width;
            assert_eq!([begin, end - 1].map(bucket), [at, at]);
            assert!(at == 0 || width * 4 <= begin, "{at}");
        }
        assert_eq!([end, u64::MAX].map(bucket), [BUCKETS - 1; 2]);
    }

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
