//! The table of tools: the values that a search needs for each tool, by slot.

use crate::{tool::IndexedTool, vectors::QuantizedVector};
use rayon::prelude::*;
use std::sync::Arc;

/// The number of slots that are copied together when one of them changes.
const CHUNK: usize = 512;

/// The number of slots above which the work is shared with another core.
const PARALLEL_THRESHOLD: usize = 16 * CHUNK;

/// A tool, and the values that a search compares.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) tool: Arc<IndexedTool>,
    /// The number of the tool's words, each multiplied by its field's weight.
    pub(super) length: f32,
    /// The number of the tool's server in [`Table::servers`].
    pub(super) server: u32,
}

#[derive(Clone, Default)]
struct Chunk {
    entries: Vec<Option<Entry>>,
    /// The vectors, one after the other, by slot. Only those with a scale above 0 are in use.
    vectors: Vec<i8>,
    /// The scale of each vector: the value of one step of its numbers. 0 if the slot has no vector.
    scales: Vec<f32>,
}

/// All slots. A clone shares the chunks that neither of the two has changed.
#[derive(Clone, Default)]
pub(super) struct Table {
    chunks: Vec<Arc<Chunk>>,
    dimensions: usize,
    /// The number of slots with a tool.
    pub(super) count: usize,
    /// The number of tools that are deprecated.
    pub(super) deprecated: usize,
    /// The number of tools that have a vector.
    pub(super) embedded: usize,
    /// The number of words of all tools in total.
    pub(super) length: f64,
    /// The ids of servers, by number. The number of a removed server is reused.
    pub(super) servers: Arc<Vec<Option<Arc<str>>>>,
}

impl Table {
    pub(super) fn new(dimensions: usize) -> Self {
        Self { dimensions, ..Self::default() }
    }

    /// Returns the number of slots, free ones included.
    pub(super) fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.entries.len())
    }

    pub(super) fn get(&self, slot: usize) -> Option<&Entry> {
        self.chunks.get(slot / CHUNK)?.entries.get(slot % CHUNK)?.as_ref()
    }

    /// Returns every slot with a tool.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Entry)> {
        let slots = self.chunks.iter().flat_map(|chunk| &chunk.entries).enumerate();
        slots.filter_map(|(slot, entry)| Some((slot, entry.as_ref()?)))
    }

    /// Stores a tool in a slot: a free one, or the one after the last. The tool has no vector at first.
    pub(super) fn put(&mut self, slot: usize, entry: Entry) {
        if slot == self.len() && slot.is_multiple_of(CHUNK) {
            self.chunks.push(Arc::default());
        }
        self.count += 1;
        self.deprecated += usize::from(entry.tool.is_deprecated());
        self.length += f64::from(entry.length);
        let dimensions = self.dimensions;
        let chunk = Arc::make_mut(&mut self.chunks[slot / CHUNK]);
        let at = slot % CHUNK;
        if at == chunk.entries.len() {
            chunk.entries.push(None);
            chunk.scales.push(0.0);
            chunk.vectors.resize((at + 1) * dimensions, 0);
        }
        chunk.entries[at] = Some(entry);
        chunk.scales[at] = 0.0;
    }

    /// Empties a slot.
    pub(super) fn clear(&mut self, slot: usize) {
        let chunk = Arc::make_mut(&mut self.chunks[slot / CHUNK]);
        if let Some(entry) = chunk.entries[slot % CHUNK].take() {
            self.count -= 1;
            self.deprecated -= usize::from(entry.tool.is_deprecated());
            self.length -= f64::from(entry.length);
        }
        self.embedded -= usize::from(chunk.scales[slot % CHUNK] > 0.0);
        chunk.scales[slot % CHUNK] = 0.0;
    }

    /// Sets the vector of a slot.
    pub(super) fn set_vector(&mut self, slot: usize, vector: &QuantizedVector) {
        let dimensions = self.dimensions;
        let chunk = Arc::make_mut(&mut self.chunks[slot / CHUNK]);
        let at = slot % CHUNK;
        chunk.vectors[at * dimensions..(at + 1) * dimensions].copy_from_slice(vector.numbers());
        self.embedded -= usize::from(chunk.scales[at] > 0.0);
        chunk.scales[at] = vector.scale();
        self.embedded += usize::from(chunk.scales[at] > 0.0);
    }

    /// Returns the vector of a slot, in the form for comparison, or `None` if it has none.
    pub(super) fn vector(&self, slot: usize) -> Option<QuantizedVector> {
        self.known(slot).map(|(numbers, scale)| QuantizedVector::from_parts(numbers.into(), scale))
    }

    /// Returns the numbers and the scale of a slot's vector.
    fn known(&self, slot: usize) -> Option<(&[i8], f32)> {
        let chunk = self.chunks.get(slot / CHUNK)?;
        let (at, scale) = (slot % CHUNK, *chunk.scales.get(slot % CHUNK)?);
        (scale > 0.0).then(|| (&chunk.vectors[at * self.dimensions..(at + 1) * self.dimensions], scale))
    }

    /// Writes the cosine with `to` of every slot that has a vector and that `wanted` accepts into `out`. With many slots,
    /// all cores are used.
    pub(super) fn nearness(
        &self,
        to: &QuantizedVector,
        wanted: impl Fn(usize) -> bool + Sync,
        out: &mut [f32],
    ) {
        let compare = |(number, out): (usize, &mut [f32])| {
            let chunk = &self.chunks[number];
            let vectors = chunk.vectors.chunks_exact(self.dimensions.max(1)).zip(&chunk.scales);
            for (at, (out, (vector, scale))) in out.iter_mut().zip(vectors).enumerate() {
                if *scale > 0.0 && wanted(number * CHUNK + at) {
                    *out = to.cosine(vector, *scale);
                }
            }
        };
        if self.len() > PARALLEL_THRESHOLD {
            out.par_chunks_mut(CHUNK).enumerate().with_min_len(PARALLEL_THRESHOLD / CHUNK).for_each(compare);
        } else {
            out.chunks_mut(CHUNK).enumerate().for_each(compare);
        }
    }
}

impl Entry {
    pub(super) fn new(tool: Arc<IndexedTool>, server: u32, length: f32) -> Self {
        Self { tool, length, server }
    }
}
