//! Checks that the chunks of one request come with dense indices from 0.

/// Where a chunk stands among those of its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkPlace {
    /// It is the one that was due.
    Next,
    /// Chunks before it are missing. The stream goes on behind it.
    AfterGap {
        /// How many are missing.
        missing: u64,
    },
    /// One with this index or a later one was there already: to be dropped.
    Late,
}

/// Follows the indices of one request's chunks. What is late is never taken back in: chunks are deltas, and text that
/// comes after its place would be put together wrongly.
///
/// ```
/// use mgp_stream::order::{ChunkOrder, ChunkPlace};
///
/// let mut order = ChunkOrder::new();
/// assert_eq!(order.see(0), ChunkPlace::Next);
/// assert_eq!(order.see(3), ChunkPlace::AfterGap { missing: 2 });
/// assert_eq!(order.see(1), ChunkPlace::Late);
/// assert_eq!((order.taken(), order.missing(), order.late()), (2, 2, 1));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChunkOrder {
    due: Due,
    taken: u64,
    gaps: u64,
    missing: u64,
    late: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    Index(u64),
    /// The last index that there is was used.
    None,
}

impl Default for Due {
    fn default() -> Self {
        Self::Index(0)
    }
}

impl ChunkOrder {
    /// An order in which the chunk with index 0 is due.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks at the index of the chunk that came.
    pub fn see(&mut self, index: u64) -> ChunkPlace {
        let missing = match self.due {
            Due::Index(due) if index >= due => index - due,
            _ => {
                self.late = self.late.saturating_add(1);
                return ChunkPlace::Late;
            }
        };
        self.due = index.checked_add(1).map_or(Due::None, Due::Index);
        self.taken = self.taken.saturating_add(1);
        if missing == 0 {
            return ChunkPlace::Next;
        }
        self.gaps = self.gaps.saturating_add(1);
        self.missing = self.missing.saturating_add(missing);
        ChunkPlace::AfterGap { missing }
    }

    /// How many chunks were taken.
    #[must_use]
    pub const fn taken(&self) -> u64 {
        self.taken
    }

    /// How many times chunks were missing.
    #[must_use]
    pub const fn gaps(&self) -> u64 {
        self.gaps
    }

    /// How many chunks are missing.
    #[must_use]
    pub const fn missing(&self) -> u64 {
        self.missing
    }

    /// How many chunks came late or twice.
    #[must_use]
    pub const fn late(&self) -> u64 {
        self.late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_indices_from_zero_are_all_due() {
        let mut order = ChunkOrder::new();
        assert!((0..1000).all(|index| order.see(index) == ChunkPlace::Next));
        assert_eq!((order.taken(), order.gaps(), order.late()), (1000, 0, 0));
    }

    #[test]
    fn a_stream_that_starts_past_zero_starts_with_a_gap() {
        assert_eq!(ChunkOrder::new().see(2), ChunkPlace::AfterGap { missing: 2 });
    }

    #[test]
    fn the_stream_goes_on_behind_a_gap_and_what_fills_it_is_late() {
        let mut order = ChunkOrder::new();
        let places = [0, 2, 1, 2, 3].map(|index| order.see(index));
        let gap = ChunkPlace::AfterGap { missing: 1 };
        assert_eq!(places, [ChunkPlace::Next, gap, ChunkPlace::Late, ChunkPlace::Late, ChunkPlace::Next]);
        assert_eq!((order.gaps(), order.missing(), order.late()), (1, 1, 2));
    }

    #[test]
    fn the_largest_index_ends_the_stream_without_overflow() {
        let mut order = ChunkOrder::new();
        assert_eq!(order.see(u64::MAX), ChunkPlace::AfterGap { missing: u64::MAX });
        assert_eq!(order.see(u64::MAX), ChunkPlace::Late);
        assert_eq!(order.see(0), ChunkPlace::Late);
    }
}
