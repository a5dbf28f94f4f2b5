//! The query of a search: plain words, never a query language.

use crate::words::words;
use thiserror::Error;

/// The longest query, in bytes.
pub const MAX_QUERY: usize = 4 * 1024;

/// The most different words of a query that count.
const MAX_WORDS: usize = 64;

/// A text to search for. The text has no syntax: no operators, no fields, no errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    text: String,
    /// The stems of the words in the text.
    words: Vec<String>,
    /// The parts of the text that may be the whole name of a tool.
    names: Vec<String>,
}

/// The reason why a text cannot be searched for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The text is longer than [`MAX_QUERY`].
    #[error("{length} bytes: expected at most {MAX_QUERY}")]
    TooLong {
        /// The length of the text, in bytes.
        length: usize,
    },
    /// The text is empty or blank.
    #[error("empty: expected words that say what the tool is needed for")]
    Empty,
}

impl Query {
    /// Creates a query from the words of a text.
    ///
    /// # Errors
    /// Returns a [`QueryError`] if the text is too long, or empty.
    pub fn new(text: &str) -> Result<Self, QueryError> {
        if text.len() > MAX_QUERY {
            return Err(QueryError::TooLong { length: text.len() });
        }
        if text.trim().is_empty() {
            return Err(QueryError::Empty);
        }
        let mut words = words(text);
        words.truncate(MAX_WORDS);
        let mut names: Vec<String> = Vec::new();
        for name in text.split_whitespace().map(whole_name).filter(|name| !name.is_empty()) {
            if names.len() < MAX_WORDS && !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(Self { text: text.to_owned(), words, names })
    }

    /// Returns the original text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn words(&self) -> &[String] {
        &self.words
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }
}

/// Returns a name in the form of the field for whole names.
pub(super) fn whole_name(text: &str) -> String {
    text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
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
        let query = Query::new(&many).unwrap();
        assert_eq!((query.words().len(), query.names().len()), (MAX_WORDS, MAX_WORDS));
    }
}
