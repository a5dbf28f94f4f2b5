//! What is searched for: plain words, never a query language.

use super::{
    fields::{Field, IndexSchema},
    words::words,
};
use tantivy::{
    Term,
    query::{BooleanQuery, BoostQuery, DisjunctionMaxQuery, Query as Engine, TermQuery},
    schema::IndexRecordOption,
};
use thiserror::Error;

/// The longest query, in bytes.
pub const MAX_QUERY: usize = 4 * 1024;

/// How many different words of a query count.
const MAX_WORDS: usize = 64;

/// How much the other fields count where the best one has the word too.
const TIE_BREAKER: f32 = 0.2;

/// How much a whole name counts that is a single word.
const ONE_WORD: f32 = 2.0;

/// The words that are searched for. Nothing in them has a meaning of its own: no operators, no fields, no errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The stems.
    words: Vec<String>,
    /// What may be the whole name of a tool.
    names: Vec<String>,
}

/// Why a text cannot be searched for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// It is longer than [`MAX_QUERY`].
    #[error("{length} bytes: expected at most {MAX_QUERY}")]
    TooLong {
        /// How many bytes it has.
        length: usize,
    },
    /// There is nothing in it.
    #[error("empty: expected words that say what the tool is needed for")]
    Empty,
}

impl Query {
    /// Takes the words out of a text.
    ///
    /// # Errors
    /// [`QueryError`].
    pub fn new(text: &str) -> Result<Self, QueryError> {
        if text.len() > MAX_QUERY {
            return Err(QueryError::TooLong { length: text.len() });
        }
        if text.trim().is_empty() {
            return Err(QueryError::Empty);
        }
        let mut words = words(text);
        words.truncate(MAX_WORDS);
        let names = text.split_whitespace().map(whole_name).filter(|name| !name.is_empty());
        Ok(Self { words, names: names.take(MAX_WORDS).collect() })
    }

    pub(super) fn words(&self) -> &[String] {
        &self.words
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// For each word the field that it counts most in; a tool with more of the words stands above one with fewer.
    pub(super) fn to_engine(&self, schema: &IndexSchema) -> Box<dyn Engine> {
        let name = schema.text(Field::WholeName);
        let whole = self.names.iter().map(|text| {
            // A word of a sentence that happens to be a tool's whole name says less than a name that is no word.
            let weight =
                if text.chars().all(char::is_alphanumeric) { ONE_WORD } else { Field::WholeName.weight() };
            Box::new(BoostQuery::new(term(name, text), weight)) as Box<dyn Engine>
        });
        let words = self.words.iter().map(|word| {
            let fields = Field::ALL.into_iter().filter(|field| *field != Field::WholeName);
            let each = fields.map(|field| weighted(term(schema.text(field), word), field));
            let best = DisjunctionMaxQuery::with_tie_breaker(each.collect(), TIE_BREAKER);
            Box::new(best) as Box<dyn Engine>
        });
        Box::new(BooleanQuery::union(whole.chain(words).collect()))
    }
}

/// A name as the field for whole names holds it.
pub(super) fn whole_name(text: &str) -> String {
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

fn term(field: tantivy::schema::Field, word: &str) -> Box<dyn Engine> {
    Box::new(TermQuery::new(Term::from_field_text(field, word), IndexRecordOption::WithFreqs))
}

fn weighted(query: Box<dyn Engine>, field: Field) -> Box<dyn Engine> {
    Box::new(BoostQuery::new(query, field.weight()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_within_bounds_is_words() {
        for text in ["name:x AND (", "\"open", "a^2~ [1 TO *]", "日本語", "\u{0}\u{1}", "/regex/"] {
            assert!(Query::new(text).is_ok(), "{text:?}");
        }
        assert_eq!(Query::new(" \n"), Err(QueryError::Empty));
        assert_eq!(Query::new(&"x".repeat(5000)), Err(QueryError::TooLong { length: 5000 }));
        let many: String = (0..500).map(|i| format!("w{i} ")).collect();
        assert_eq!(Query::new(&many).unwrap().words().len(), MAX_WORDS);
    }
}
