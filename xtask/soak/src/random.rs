//! Pseudorandom numbers from a seed (SplitMix64): the same seed, the same faults.

use std::{ops::Range, time::Duration};

/// Pseudorandom numbers from a seed.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// Returns one stream of numbers of a seed: each host has a separate stream.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut mixed = Self(seed);
        let start = mixed.next() ^ stream.wrapping_mul(0xd134_2543_de82_ef95);
        Self(start)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number within a range; the start of an empty one.
    pub(crate) fn within(&mut self, range: Range<u64>) -> u64 {
        range.start + self.next() % range.end.saturating_sub(range.start).max(1)
    }

    /// Returns a duration within a range of milliseconds.
    pub(crate) fn millis(&mut self, range: Range<u64>) -> Duration {
        Duration::from_millis(self.within(range))
    }

    /// Returns an index below a count.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.within(0..count as u64)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_and_its_streams_differ() {
        let numbers = |seed, stream| {
            let mut random = Random::new(seed, stream);
            [(); 4].map(|()| random.within(5..9))
        };
        assert_eq!(numbers(1, 2), numbers(1, 2));
        assert_ne!(numbers(1, 2), numbers(1, 3));
        assert!(numbers(3, 4).iter().all(|number| (5..9).contains(number)));
        assert_eq!(Random::new(1, 1).within(7..7), 7);
    }
}
