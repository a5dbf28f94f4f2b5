//! Cuts words into the pieces that a table has vectors for.

use crate::words::each_plain_word;
use hashbrown::HashMap;

/// The pieces of a vocabulary, each with its number.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// Pieces that begin a word.
    first: HashMap<Box<str>, u32>,
    /// Pieces that continue a word.
    inner: HashMap<Box<str>, u32>,
    /// The longest piece, in bytes.
    longest: usize,
}

impl Vocabulary {
    /// Creates a vocabulary of pieces in the order of their numbers. Pieces that continue a word begin with `##`.
    pub fn new<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Self {
        let mut vocabulary = Self::default();
        for (number, piece) in (0..).zip(pieces) {
            let (pieces, text) = match piece.strip_prefix("##") {
                Some(text) if !text.is_empty() => (&mut vocabulary.inner, text),
                _ => (&mut vocabulary.first, piece),
            };
            vocabulary.longest = vocabulary.longest.max(text.len());
            pieces.insert(text.into(), number);
        }
        vocabulary
    }

    /// Returns the number of pieces.
    #[must_use]
    pub fn len(&self) -> usize {
        self.first.len() + self.inner.len()
    }

    /// Returns `true` if there are no pieces.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `each` with the number of every piece of a text, in order. Of each word, these are the longest piece that begins it,
    /// then the longest that continues it, and so on. A word that cannot be composed of pieces is left out.
    pub fn each_piece(&self, text: &str, mut each: impl FnMut(u32)) {
        let mut found = Vec::with_capacity(text.len() / 4);
        each_plain_word(text, |word| {
            let whole = found.len();
            if !self.cut(word, &mut found) {
                found.truncate(whole);
            }
        });
        // Only after all words are read, because `each` may read words itself.
        found.into_iter().for_each(&mut each);
    }

    fn cut(&self, word: &str, found: &mut Vec<u32>) -> bool {
        let mut rest = word;
        while !rest.is_empty() {
            let pieces = if rest.len() == word.len() { &self.first } else { &self.inner };
            let ends = (1..=rest.len().min(self.longest)).rev().filter(|end| rest.is_char_boundary(*end));
            let longest = ends.filter_map(|end| Some((end, *pieces.get(&rest[..end])?))).next();
            let Some((end, piece)) = longest else { return false };
            found.push(piece);
            rest = &rest[end..];
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_cut_into_its_longest_pieces() {
        let vocabulary = Vocabulary::new(["read", "##ing", "re", "##a", "a", "é", "e", "file", "##s", "雨"]);
        let pieces = |text| {
            let mut found = Vec::new();
            vocabulary.each_piece(text, |piece| found.push(piece));
            found
        };
        assert_eq!(pieces("Reading"), [0, 1]);
        assert_eq!(pieces("rea, FILES"), [2, 3, 7, 8]);
        assert_eq!(
            pieces("É readingx a"),
            [6, 4],
            "accents are taken off, and what cannot be cut is left out"
        );
        assert_eq!(pieces("雨雨"), [9, 9]);
        assert_eq!((vocabulary.len(), vocabulary.is_empty()), (10, false));
    }
}
