//! Cuts words into the pieces that a table has vectors for.

use crate::words::each_plain_word;
use hashbrown::{DefaultHashBuilder, HashTable, hash_table::Entry};
use std::hash::BuildHasher;

/// The pieces of a vocabulary, each with its number.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// The pieces that begin a word.
    first: Pieces,
    /// The pieces that continue a word.
    inner: Pieces,
}

/// Pieces, found by their text. One string has all of them, because each would be an allocation at the start of a program otherwise.
#[derive(Debug, Clone, Default)]
struct Pieces {
    texts: String,
    /// The end of each piece in `texts`, and the piece's number.
    ends: Vec<(usize, u32)>,
    /// The places in `ends`.
    table: HashTable<usize>,
    hasher: DefaultHashBuilder,
    /// The longest piece, in bytes.
    longest: usize,
}

impl Pieces {
    fn with_capacity(count: usize) -> Self {
        Self { ends: Vec::with_capacity(count), table: HashTable::with_capacity(count), ..Self::default() }
    }

    /// Adds a piece. The last number of a text counts.
    fn add(&mut self, text: &str, number: u32) {
        let (texts, ends, hasher) = (&self.texts, &self.ends, &self.hasher);
        let place = ends.len();
        let hash = |text: &str| hasher.hash_one(text);
        let is_same = |place: &usize| piece(texts, ends, *place) == text;
        match self.table.entry(hash(text), is_same, |place| hash(piece(texts, ends, *place))) {
            Entry::Occupied(mut known) => *known.get_mut() = place,
            Entry::Vacant(free) => _ = free.insert(place),
        }
        self.texts.push_str(text);
        self.ends.push((self.texts.len(), number));
        self.longest = self.longest.max(text.len());
    }

    fn number(&self, text: &str) -> Option<u32> {
        let is_same = |place: &usize| piece(&self.texts, &self.ends, *place) == text;
        let place = *self.table.find(self.hasher.hash_one(text), is_same)?;
        self.ends.get(place).map(|(_, number)| *number)
    }
}

/// Returns the piece at a place.
fn piece<'a>(texts: &'a str, ends: &[(usize, u32)], place: usize) -> &'a str {
    let end = |place: usize| ends.get(place).map_or(0, |(end, _)| *end);
    let start = place.checked_sub(1).map_or(0, end);
    texts.get(start..end(place)).unwrap_or_default()
}

impl Vocabulary {
    /// Creates a vocabulary of pieces in the order of their numbers. Pieces that continue a word begin with `##`.
    pub fn new<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Self {
        let inner = |piece: &'a str| piece.strip_prefix("##").filter(|text| !text.is_empty());
        let pieces: Vec<_> = pieces.into_iter().collect();
        let continue_words = pieces.iter().filter(|piece| inner(piece).is_some()).count();
        let mut vocabulary = Self {
            first: Pieces::with_capacity(pieces.len() - continue_words),
            inner: Pieces::with_capacity(continue_words),
        };
        for (number, piece) in (0..).zip(pieces) {
            match inner(piece) {
                Some(text) => vocabulary.inner.add(text, number),
                None => vocabulary.first.add(piece, number),
            }
        }
        vocabulary
    }

    /// Returns the number of pieces.
    #[must_use]
    pub fn len(&self) -> usize {
        self.first.table.len() + self.inner.table.len()
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
            let ends = (1..=rest.len().min(pieces.longest)).rev().filter(|end| rest.is_char_boundary(*end));
            let longest = ends.filter_map(|end| Some((end, pieces.number(&rest[..end])?))).next();
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
        assert_eq!(Vocabulary::new(["a", "b", "a"]).first.number("a"), Some(2), "the last number counts");
    }
}
