//! The last committed state of the index, which searches read.

use super::{
    fields::{IndexSchema, SLOT},
    slots::Table,
};
use std::sync::Arc;
use tantivy::{InvertedIndexReader, Searcher, SegmentReader, index::SegmentId};

/// A committed index, and the tool at each of its slots.
#[derive(Clone)]
pub(super) struct Snapshot {
    pub(super) segments: Vec<Segment>,
    pub(super) table: Table,
}

/// A part of the engine's index.
#[derive(Clone)]
pub(super) struct Segment {
    /// The identity of the segment when it was read. Removing a document changes the second part.
    key: (SegmentId, Option<u64>),
    pub(super) reader: SegmentReader,
    pub(super) whole_names: Arc<InvertedIndexReader>,
    pub(super) words: Arc<InvertedIndexReader>,
    /// The slot of each document; [`GONE`] for a removed one.
    pub(super) slots: Arc<[u32]>,
    /// The number of words of each document's tool ([`Entry::length`](super::slots::Entry)), in the order in which words
    /// are read.
    pub(super) lengths: Arc<[f32]>,
}

/// The slot value for a removed document.
pub(super) const GONE: u32 = u32::MAX;

impl Snapshot {
    pub(super) fn empty(dimensions: usize) -> Self {
        Self { segments: Vec::new(), table: Table::new(dimensions) }
    }

    /// Returns the current segments. Those that did not change are reused.
    pub(super) fn segments(
        &self,
        searcher: &Searcher,
        schema: &IndexSchema,
    ) -> tantivy::Result<Vec<Segment>> {
        let segment = |reader: &SegmentReader| {
            let key = (reader.segment_id(), reader.delete_opstamp());
            match self.segments.iter().find(|segment| segment.key == key) {
                Some(known) => Ok(known.clone()),
                None => Segment::read(key, reader, schema, &self.table),
            }
        };
        searcher.segment_readers().iter().map(segment).collect()
    }
}

impl Segment {
    fn read(
        key: (SegmentId, Option<u64>),
        reader: &SegmentReader,
        schema: &IndexSchema,
        table: &Table,
    ) -> tantivy::Result<Self> {
        let column = reader.fast_fields().u64(SLOT)?;
        let slot = |doc| {
            let alive = reader.alive_bitset().is_none_or(|alive| alive.is_alive(doc));
            let slot = column.first(doc).filter(|_| alive);
            slot.and_then(|slot| u32::try_from(slot).ok()).unwrap_or(GONE)
        };
        let slots: Arc<[u32]> = (0..reader.max_doc()).map(slot).collect();
        let length = |slot: &u32| table.get(*slot as usize).map_or(0.0, |entry| entry.length);
        let lengths = slots.iter().map(length).collect();
        let [whole_names, words] =
            [schema.whole_name, schema.words].map(|field| reader.inverted_index(field));
        Ok(Self { key, reader: reader.clone(), whole_names: whole_names?, words: words?, slots, lengths })
    }
}
