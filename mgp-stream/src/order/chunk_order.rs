//! Checks that the chunks of one request come with dense indices from 0.

/// The place of a chunk among the chunks of its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkPlace {
    /// The chunk is the one that was due.
    Next,
    /// Chunks before this one are missing. The stream continues after the gap.
    AfterGap {
        /// The number of missing chunks.
        missing: u64,
    },
    /// A chunk with this index or a later one has come already. Drop the chunk.
    Late,
}

/// The order of one request's chunks, by their indices. A late chunk is never accepted: chunks are deltas, and text that comes
/// after its place would be put together wrongly.
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
    due: NextIndex,
    taken: u64,
    gaps: u64,
    missing: u64,
    late: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextIndex {
    Index(u64),
    /// The last possible index was used.
    None,
}

impl Default for NextIndex {
    fn default() -> Self {
        Self::Index(0)
    }
}

impl ChunkOrder {
    /// Creates an order in which the chunk with index 0 is due.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Classifies the chunk that came by its index, and counts it.
    pub fn see(&mut self, index: u64) -> ChunkPlace {
        let missing = match self.due {
            NextIndex::Index(due) if index >= due => index - due,
            _ => {
                self.late = self.late.saturating_add(1);
                return ChunkPlace::Late;
            }
        };
        self.due = index.checked_add(1).map_or(NextIndex::None, NextIndex::Index);
        self.taken = self.taken.saturating_add(1);
        if missing == 0 {
            return ChunkPlace::Next;
        }
        self.gaps = self.gaps.saturating_add(1);
        self.missing = self.missing.saturating_add(missing);
        ChunkPlace::AfterGap { missing }
    }

    /// Returns the number of chunks that were accepted.
    #[must_use]
    pub const fn taken(&self) -> u64 {
        self.taken
    }

    /// Returns the number of gaps.
    #[must_use]
    pub const fn gaps(&self) -> u64 {
        self.gaps
    }

    /// Returns the number of missing chunks.
    #[must_use]
    pub const fn missing(&self) -> u64 {
        self.missing
    }

    /// Returns the number of chunks that came late or twice.
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
    fn the_stream_continues_after_a_gap_and_late_chunks_are_dropped() {
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
