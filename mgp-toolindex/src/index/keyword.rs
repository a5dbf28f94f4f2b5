//! Searching by words: BM25 over all fields at once (BM25F), computed only from the tools that the caller may see.
//!
//! The rarity of a word and the average length of a tool are those among the visible tools. So a score reveals nothing about
//! tools that the caller may not see, and does not depend on removed tools that the engine still holds.

use super::{
    Query,
    fields::{Field, IndexSchema},
    near,
    selection::VisibleTools,
    snapshot::{GONE, Segment, Snapshot},
};
use tantivy::{InvertedIndexReader, Term, schema::IndexRecordOption};

/// BM25's k1: the larger, the later repetitions of a word lose weight. It is scaled like words, which count up to four times (see
/// [`Field::weight`]).
const K1: f32 = 4.0;
/// BM25's b: the weight of the length of a tool's text, 0 to 1.
const B: f32 = 0.75;
/// The additional weight of a name that the query contains as a whole, compared with a word of the same rarity.
const WHOLE_NAME: f32 = 2.0;
/// The same weight for a name of a single word, which may just be a word of a sentence.
const ONE_WORD: f32 = 0.5;
/// The weight of a word that is only similar to a word of a name.
const NEAR: f32 = 0.5;

/// The result of a search by words.
pub(super) struct KeywordScores {
    /// The score of the tool in each slot; 0 if nothing matches.
    pub(super) scores: Vec<f32>,
    /// The slots of the tools that match at all, each once.
    pub(super) found: Vec<u32>,
    /// The slots of the tools that the query names by their whole name, unless that name may just be a word of a sentence.
    pub(super) named: Vec<u32>,
    /// The highest score that a tool could have, if it repeated each known word of the query over and over.
    pub(super) ideal: f32,
    /// The number of words in the query.
    pub(super) words: usize,
    /// The number of those words that no visible tool has, not even approximately.
    pub(super) unknown: usize,
}

/// Scores every visible tool.
pub(super) fn score(
    snapshot: &Snapshot,
    schema: &IndexSchema,
    query: &Query,
    visible: &VisibleTools,
) -> tantivy::Result<KeywordScores> {
    let mut scoring = KeywordScorer {
        snapshot,
        visible,
        scores: vec![0.0; snapshot.table.len()],
        found: Vec::new(),
        said: Vec::new(),
    };
    let (mut ideal, mut unknown) = (0.0, Vec::new());
    for word in query.words() {
        scoring.read_word(&Term::from_field_text(schema.words, word))?;
        if scoring.said.is_empty() {
            unknown.push(word);
        } else {
            ideal += scoring.add(1.0) * (K1 + 1.0);
        }
    }
    let mut named = Vec::new();
    for name in query.names() {
        scoring.read_name(&Term::from_field_text(schema.whole_name, name))?;
        let is_one_word = name.chars().all(char::is_alphanumeric);
        if !is_one_word || query.names().len() == 1 {
            named.extend(scoring.said.iter().map(|(slot, _)| *slot));
        }
        scoring.add(if is_one_word { ONE_WORD } else { WHOLE_NAME });
    }
    let mut unknown_count = unknown.len();
    if near::is_worth_it(query) {
        for word in &unknown {
            let mut near = Vec::new();
            near::each_near(snapshot, schema, word, |slot| near.push(slot))?;
            scoring.read_near(near);
            if !scoring.said.is_empty() {
                unknown_count -= 1;
                // A word that matched only approximately adds less to the highest score.
                ideal += scoring.add(NEAR) * (K1 + 1.0);
            }
        }
    }
    let KeywordScorer { scores, found, .. } = scoring;
    Ok(KeywordScores { scores, found, named, ideal, words: query.words().len(), unknown: unknown_count })
}

struct KeywordScorer<'a> {
    snapshot: &'a Snapshot,
    visible: &'a VisibleTools,
    scores: Vec<f32>,
    found: Vec<u32>,
    /// The visible tools that have the current word, each once, with the worth of the word before its rarity is applied.
    said: Vec<(u32, f32)>,
}

impl KeywordScorer<'_> {
    /// Reads the tools that have a word, in any field.
    fn read_word(&mut self, word: &Term) -> tantivy::Result<()> {
        let (snapshot, norm) = (self.snapshot, Norm::new(self.visible));
        for segment in &snapshot.segments {
            let worth =
                |doc: u32, frequency: u32| norm.worth(frequency as f32, segment.lengths[doc as usize]);
            self.read(segment, &segment.words, word, IndexRecordOption::WithFreqs, worth)?;
        }
        Ok(())
    }

    /// Reads the tools that have this whole name.
    fn read_name(&mut self, name: &Term) -> tantivy::Result<()> {
        let snapshot = self.snapshot;
        for segment in &snapshot.segments {
            self.read(segment, &segment.whole_names, name, IndexRecordOption::Basic, |_, _| 1.0)?;
        }
        Ok(())
    }

    fn read(
        &mut self,
        segment: &Segment,
        index: &InvertedIndexReader,
        term: &Term,
        option: IndexRecordOption,
        worth: impl Fn(u32, u32) -> f32,
    ) -> tantivy::Result<()> {
        let Some(mut blocks) = index.read_block_postings(term, option)? else { return Ok(()) };
        while !blocks.docs().is_empty() {
            for (at, doc) in blocks.docs().iter().enumerate() {
                let slot = segment.slots[*doc as usize];
                if slot != GONE && self.visible.has(slot as usize) {
                    self.said.push((slot, worth(*doc, blocks.freq(at))));
                }
            }
            blocks.advance();
        }
        Ok(())
    }

    /// Adds the slots of tools with a name that is similar to a word; a slot may occur several times.
    fn read_near(&mut self, mut slots: Vec<u32>) {
        let (norm, in_name) = (Norm::new(self.visible), f32::from(Field::Name.weight()));
        slots.retain(|slot| self.visible.has(*slot as usize));
        slots.sort_unstable();
        for same in slots.chunk_by(|a, b| a == b) {
            let length = self.snapshot.table.get(same[0] as usize).map_or(0.0, |entry| entry.length);
            self.said.push((same[0], norm.worth(in_name * same.len() as f32, length)));
        }
    }

    /// Adds the worth of the current word to the scores, and clears it. Returns the rarity of the word among the visible
    /// tools.
    fn add(&mut self, weight: f32) -> f32 {
        let (all, with) = (self.visible.count as f32, self.said.len() as f32);
        let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        for (slot, worth) in self.said.drain(..) {
            let score = &mut self.scores[slot as usize];
            if *score == 0.0 {
                self.found.push(slot);
            }
            *score += weight * rarity * worth;
        }
        rarity
    }
}

/// The part of BM25 that is the same for all words of a query.
#[derive(Debug, Clone, Copy)]
struct Norm {
    least: f32,
    for_length: f32,
}

impl Norm {
    fn new(visible: &VisibleTools) -> Self {
        Self { least: K1 * (1.0 - B), for_length: K1 * B / visible.mean_length }
    }

    /// Returns the worth of a word that occurs `frequency` times in a tool of some length.
    fn worth(self, frequency: f32, length: f32) -> f32 {
        frequency * (K1 + 1.0) / (frequency + self.least + self.for_length * length)
    }
}
