//! The buckets of a histogram of times, and the percentiles of their counts.

use std::time::Duration;

/// The power of two below which all times share one bucket, in microseconds: 64 µs.
const FIRST: u32 = 6;

/// The power of two above which all times share the last bucket, in microseconds: 71 minutes.
const LAST: u32 = 32;

/// The number of buckets between two powers of two, itself a power of two. A bucket is at most a quarter wider than its lower bound.
const PARTS: u32 = 4;

/// The number of buckets.
pub(crate) const BUCKETS: usize = 1 + ((LAST - FIRST) * PARTS) as usize;

/// Returns the bucket of a time.
pub(crate) fn bucket_of(time: Duration) -> usize {
    bucket(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}

/// Returns the time within which a percentage of the calls ended, in milliseconds, rounded up; `None` if there are no calls.
pub(crate) fn percentile_ms(counts: &[u64; BUCKETS], hundredths: u64) -> Option<u64> {
    let calls: u64 = counts.iter().sum();
    (calls > 0).then(|| quantile(counts, calls, hundredths).div_ceil(1000))
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
}
