//! Collects what is found, and of it only what may be shown.

use super::fields::SLOT;
use std::sync::Arc;
use tantivy::{
    DocId, Score, SegmentOrdinal, SegmentReader,
    collector::{Collector, SegmentCollector},
    columnar::Column,
};

/// Collects score and slot of every match that a selection lets through.
///
/// What it does not let through is dropped while it is collected: it takes no place among the results.
pub(super) struct Selected(pub(super) Arc<Vec<bool>>);

pub(super) struct SelectedInSegment {
    selection: Arc<Vec<bool>>,
    slots: Column<u64>,
    found: Vec<(Score, usize)>,
}

impl Collector for Selected {
    type Fruit = Vec<(Score, usize)>;
    type Child = SelectedInSegment;

    fn for_segment(&self, _: SegmentOrdinal, segment: &SegmentReader) -> tantivy::Result<SelectedInSegment> {
        let slots = segment.fast_fields().u64(SLOT)?;
        Ok(SelectedInSegment { selection: Arc::clone(&self.0), slots, found: Vec::new() })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, segments: Vec<Self::Fruit>) -> tantivy::Result<Self::Fruit> {
        Ok(segments.into_iter().flatten().collect())
    }
}

impl SegmentCollector for SelectedInSegment {
    type Fruit = Vec<(Score, usize)>;

    fn collect(&mut self, doc: DocId, score: Score) {
        let slot = self.slots.first(doc).and_then(|slot| usize::try_from(slot).ok());
        if let Some(slot) = slot.filter(|slot| self.selection.get(*slot) == Some(&true)) {
            self.found.push((score, slot));
        }
    }

    fn harvest(self) -> Self::Fruit {
        self.found
    }
}
