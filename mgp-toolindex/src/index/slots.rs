//! The table of tools: what a search needs to know of each, by its slot.

use crate::{tool::IndexedTool, vectors::Quantized};
use rayon::prelude::*;
use std::sync::Arc;

/// How many slots are copied together when one of them changes.
const CHUNK: usize = 512;

/// How many slots are worth asking another core for.
const MANY: usize = 16 * CHUNK;

/// A tool and what a search compares.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) tool: Arc<IndexedTool>,
    /// How many words it has, each as often as its field counts.
    pub(super) length: f32,
    /// Which server it belongs to, in [`Table::servers`].
    pub(super) server: u32,
}

#[derive(Clone, Default)]
struct Chunk {
    entries: Vec<Option<Entry>>,
    /// Where the meaning of each lies; all zero where it is not known.
    vectors: Vec<i8>,
    /// What one step of a vector's numbers is worth.
    scales: Vec<f32>,
}

/// All slots. A clone shares what neither of the two changes.
#[derive(Clone, Default)]
pub(super) struct Table {
    chunks: Vec<Arc<Chunk>>,
    dimensions: usize,
    /// How many slots are taken.
    pub(super) count: usize,
    /// How many of their tools say that they are deprecated.
    pub(super) deprecated: usize,
    /// How many of them have a vector.
    pub(super) embedded: usize,
    /// How many words all tools together have.
    pub(super) length: f64,
    /// The ids of servers; the number of a server that went away is used again.
    pub(super) servers: Arc<Vec<Option<Arc<str>>>>,
}

impl Table {
    pub(super) fn new(dimensions: usize) -> Self {
        Self { dimensions, ..Self::default() }
    }

    /// How many slots there are, free ones included.
    pub(super) fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.entries.len())
    }

    pub(super) fn get(&self, slot: usize) -> Option<&Entry> {
        self.chunks.get(slot / CHUNK)?.entries.get(slot % CHUNK)?.as_ref()
    }

    /// Every slot that is taken.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Entry)> {
        let slots = self.chunks.iter().flat_map(|chunk| &chunk.entries).enumerate();
        slots.filter_map(|(slot, entry)| Some((slot, entry.as_ref()?)))
    }

    /// Puts a tool into a slot: a free one, or the one behind the last. Its meaning is not known then.
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

    /// Notes where the meaning of a slot's tool lies.
    pub(super) fn set_vector(&mut self, slot: usize, vector: &Quantized) {
        let dimensions = self.dimensions;
        let chunk = Arc::make_mut(&mut self.chunks[slot / CHUNK]);
        let at = slot % CHUNK;
        chunk.vectors[at * dimensions..(at + 1) * dimensions].copy_from_slice(vector.numbers());
        self.embedded -= usize::from(chunk.scales[at] > 0.0);
        chunk.scales[at] = vector.scale();
        self.embedded += usize::from(chunk.scales[at] > 0.0);
    }

    /// The vector of a slot, as it is compared; none where it is not known.
    pub(super) fn vector(&self, slot: usize) -> Option<Quantized> {
        self.known(slot).map(|(numbers, scale)| Quantized::from_parts(numbers.into(), scale))
    }

    /// Whether it is known where the meaning of a slot's tool lies.
    pub(super) fn has_vector(&self, slot: usize) -> bool {
        self.known(slot).is_some()
    }

    /// How near the meaning of a slot's tool is to another vector; none where it is not known.
    pub(super) fn cosine(&self, slot: usize, to: &Quantized) -> Option<f32> {
        self.known(slot).map(|(numbers, scale)| to.cosine(numbers, scale))
    }

    /// The numbers of a slot's vector, and what one step of them is worth.
    fn known(&self, slot: usize) -> Option<(&[i8], f32)> {
        let chunk = self.chunks.get(slot / CHUNK)?;
        let (at, scale) = (slot % CHUNK, *chunk.scales.get(slot % CHUNK)?);
        (scale > 0.0).then(|| (&chunk.vectors[at * self.dimensions..(at + 1) * self.dimensions], scale))
    }

    /// Writes, for every slot with a vector that `wanted` names, how near it is to another vector. Of many, on all cores.
    pub(super) fn nearness(&self, to: &Quantized, wanted: impl Fn(usize) -> bool + Sync, out: &mut [f32]) {
        let compare = |(number, out): (usize, &mut [f32])| {
            let chunk = &self.chunks[number];
            let vectors = chunk.vectors.chunks_exact(self.dimensions.max(1)).zip(&chunk.scales);
            for (at, (out, (vector, scale))) in out.iter_mut().zip(vectors).enumerate() {
                if *scale > 0.0 && wanted(number * CHUNK + at) {
                    *out = to.cosine(vector, *scale);
                }
            }
        };
        if self.len() > MANY {
            out.par_chunks_mut(CHUNK).enumerate().with_min_len(MANY / CHUNK).for_each(compare);
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
