//! Searching by words: BM25 over all fields at once (BM25F), computed from what the asker may see, and from nothing else.
//!
//! How rare a word is and how long a tool is beside others are counted among the tools that are visible. So a score tells
//! nothing of tools that the asker may not know, and does not depend on what the engine still holds of the past.

use super::{
    Query,
    fields::{Field, IndexSchema},
    near,
    selection::Visible,
    snapshot::{GONE, Snapshot},
};
use tantivy::{DocSet, InvertedIndexReader, TERMINATED, Term, postings::Postings, schema::IndexRecordOption};

/// How soon the same word, said again, counts less. Words count up to four times (see [`Field::weight`]), and so does this.
const K1: f32 = 4.0;
/// How much the length of a tool's text counts.
const B: f32 = 0.75;
/// How much more a name counts that was given as a whole, as often as a rare word.
const WHOLE_NAME: f32 = 2.0;
/// The same for a name of a single word, which may just be a word of a sentence.
const ONE_WORD: f32 = 0.5;
/// How much a word counts that is only near to one in a name.
const NEAR: f32 = 0.5;

/// What a search by words found.
pub(super) struct Keyword {
    /// For each slot how well its tool fits; 0 where nothing does.
    pub(super) scores: Vec<f32>,
    /// The most that a tool could have, were each of the words that are known said in it over and over.
    pub(super) ideal: f32,
    /// How many words were searched for.
    pub(super) words: usize,
    /// How many of them no visible tool has.
    pub(super) unknown: usize,
}

/// Scores every visible tool.
pub(super) fn score(
    snapshot: &Snapshot,
    schema: &IndexSchema,
    query: &Query,
    visible: &Visible,
) -> tantivy::Result<Keyword> {
    let mut scoring = Scoring {
        snapshot,
        schema,
        visible,
        scores: vec![0.0; snapshot.table.len()],
        frequencies: vec![0.0; snapshot.table.len()],
        touched: Vec::new(),
    };
    let (mut ideal, mut unknown) = (0.0, Vec::new());
    for word in query.words() {
        scoring.count_word(word)?;
        if scoring.touched.is_empty() {
            unknown.push(word);
        } else {
            ideal += scoring.add(1.0) * (K1 + 1.0);
        }
    }
    for name in query.names() {
        scoring.count_name(name)?;
        let weight = if name.chars().all(char::is_alphanumeric) { ONE_WORD } else { WHOLE_NAME };
        scoring.add_flat(weight);
    }
    let in_name = f32::from(Field::Name.weight());
    if near::is_worth_it(query, unknown.len()) {
        for word in &unknown {
            near::each_near(snapshot, schema, word, |slot| scoring.touch(slot, in_name))?;
            scoring.add(NEAR);
        }
    }
    let Scoring { scores, .. } = scoring;
    Ok(Keyword { scores, ideal, words: query.words().len(), unknown: unknown.len() })
}

struct Scoring<'a> {
    snapshot: &'a Snapshot,
    schema: &'a IndexSchema,
    visible: &'a Visible,
    scores: Vec<f32>,
    /// How often the word at hand is said in each tool, by the weight of the fields; zero between two words.
    frequencies: Vec<f32>,
    /// The slots that have it.
    touched: Vec<u32>,
}

impl Scoring<'_> {
    /// Counts a word in all fields.
    fn count_word(&mut self, word: &str) -> tantivy::Result<()> {
        let term = Term::from_field_text(self.schema.words, word);
        let snapshot = self.snapshot;
        for segment in &snapshot.segments {
            self.count(&segment.words, &term, IndexRecordOption::WithFreqs, &segment.slots)?;
        }
        Ok(())
    }

    /// Counts the tools whose whole name it is.
    fn count_name(&mut self, name: &str) -> tantivy::Result<()> {
        let term = Term::from_field_text(self.schema.whole_name, name);
        let snapshot = self.snapshot;
        for segment in &snapshot.segments {
            self.count(&segment.whole_names, &term, IndexRecordOption::Basic, &segment.slots)?;
        }
        Ok(())
    }

    fn count(
        &mut self,
        index: &InvertedIndexReader,
        term: &Term,
        option: IndexRecordOption,
        slots: &[u32],
    ) -> tantivy::Result<()> {
        let Some(mut postings) = index.read_postings(term, option)? else { return Ok(()) };
        let mut doc = postings.doc();
        while doc != TERMINATED {
            let slot = slots[doc as usize];
            if slot != GONE {
                self.touch(slot, postings.term_freq() as f32);
            }
            doc = postings.advance();
        }
        Ok(())
    }

    fn touch(&mut self, slot: u32, frequency: f32) {
        if self.visible.has(slot as usize) {
            let sum = &mut self.frequencies[slot as usize];
            if *sum == 0.0 {
                self.touched.push(slot);
            }
            *sum += frequency;
        }
    }

    /// How rare the word at hand is among the visible tools.
    fn rarity(&self) -> f32 {
        let (all, with) = (self.visible.count as f32, self.touched.len() as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// Adds what the word at hand is worth, and forgets it. Returns how rare it is.
    fn add(&mut self, weight: f32) -> f32 {
        let rarity = self.rarity();
        for slot in self.touched.drain(..) {
            let frequency = std::mem::take(&mut self.frequencies[slot as usize]);
            let length = self.snapshot.table.get(slot as usize).map_or(0.0, |entry| entry.length);
            let norm = K1 * (1.0 - B + B * length / self.visible.mean_length);
            self.scores[slot as usize] += weight * rarity * frequency * (K1 + 1.0) / (frequency + norm);
        }
        rarity
    }

    /// The same, however often it is said.
    fn add_flat(&mut self, weight: f32) {
        let rarity = self.rarity();
        for slot in self.touched.drain(..) {
            self.frequencies[slot as usize] = 0.0;
            self.scores[slot as usize] += weight * rarity;
        }
    }
}
