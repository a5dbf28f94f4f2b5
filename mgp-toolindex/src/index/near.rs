//! Names with a spelling mistake, and incomplete names.

use super::{
    Query,
    fields::IndexSchema,
    snapshot::{GONE, Snapshot},
};
use tantivy::{
    DocSet, TERMINATED, Term,
    query::{EnableScoring, FuzzyTermQuery, Query as _},
};

/// Shorter words would match too many others with one letter changed.
const MIN_LENGTH: usize = 4;
/// In words at least this long, two letters may be wrong.
const LONG: usize = 8;
/// Longer queries are sentences: a word in them that no tool has is a name or a number, not a spelling mistake.
const MAX_WORDS: usize = 3;

/// Returns whether to look for names that are similar to the words that no tool has.
pub(super) fn is_worth_it(query: &Query) -> bool {
    query.words().len() <= MAX_WORDS
}

/// Calls `each` with the slots of the tools that have a word similar to `word` in their names.
pub(super) fn each_near(
    snapshot: &Snapshot,
    schema: &IndexSchema,
    word: &str,
    mut each: impl FnMut(u32),
) -> tantivy::Result<()> {
    let length = word.chars().count();
    if length < MIN_LENGTH {
        return Ok(());
    }
    let distance = if length >= LONG { 2 } else { 1 };
    for field in [schema.name, schema.whole_name] {
        let term = || Term::from_field_text(field, word);
        for query in
            [FuzzyTermQuery::new(term(), distance, true), FuzzyTermQuery::new_prefix(term(), 0, true)]
        {
            let weight = query.weight(EnableScoring::disabled_from_schema(&schema.schema))?;
            for segment in &snapshot.segments {
                let mut found = weight.scorer(&segment.reader, 1.0)?;
                let mut doc = found.doc();
                while doc != TERMINATED {
                    let slot = segment.slots[doc as usize];
                    if slot != GONE {
                        each(slot);
                    }
                    doc = found.advance();
                }
            }
        }
    }
    Ok(())
}
