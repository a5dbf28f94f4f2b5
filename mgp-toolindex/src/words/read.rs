//! Reads the words of a text.

use super::{
    known::{Word, with_word},
    tokens::tokens,
};
use std::collections::BTreeSet;

/// The most plain words that are taken from one text.
const MAX_PLAIN: usize = 2_000;

/// Calls `each` with every word of a text, unstemmed, in lower case and without accents.
pub(crate) fn each_plain_word(text: &str, mut each: impl FnMut(&str)) {
    tokens(text).for_each(|token| with_word(token, |word| each(word.plain.of(token))));
}

/// Returns the words of a text, unstemmed, in lower case and without accents, in order; at most 2,000.
pub(crate) fn plain_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_plain_word(text, |word| {
        if words.len() < MAX_PLAIN {
            words.push(word.to_owned());
        }
    });
    words
}

/// Returns the words of a text, unstemmed, in lower case and without accents, each once.
pub(crate) fn plain_word_set(text: &str) -> BTreeSet<String> {
    plain_words(text).into_iter().collect()
}

/// Calls `each` with every word of a text that is compared, in order: without stop words, each reduced to its stem.
pub(crate) fn each_word(text: &str, mut each: impl FnMut(&str)) {
    let mut compare = |token, word: &Word| word.stem.iter().for_each(|stem| each(stem.of(token)));
    tokens(text).for_each(|token| with_word(token, |word| compare(token, word)));
}

/// Returns the words of a text that are compared, each once, in order.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    each_word(text, |word| {
        if !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    });
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_between_their_words() {
        assert_eq!(words("readTextFile"), words("read_text_file"));
        assert_eq!(words("read.text-file"), words("read text file"));
    }

    #[test]
    fn words_are_stems_without_stop_words_and_accents() {
        assert_eq!(words("Reading the files of a café"), ["read", "file", "cafe"]);
        assert_eq!(words("Could you please help me with the"), [""; 0]);
    }

    #[test]
    fn plain_words_are_whole_and_none_is_left_out() {
        for (text, words) in [
            ("data_analysis", "data analysis"),
            ("dataAnalysis", "data analysis"),
            ("text/csv", "text csv"),
            ("filesystem.read-only", "filesystem read only"),
            ("HTTPServer", "http server"),
            ("reading the Café", "reading the cafe"),
            ("__", ""),
        ] {
            assert_eq!(plain_words(text).join(" "), words);
        }
        assert_eq!(plain_word_set("b a b").into_iter().collect::<String>(), "ab");
        assert_eq!(plain_words(&"x ".repeat(MAX_PLAIN + 1)).len(), MAX_PLAIN);
    }

    #[test]
    fn scripts_without_spaces_are_compared_character_by_character() {
        assert_eq!(words("修改密码 ok"), ["修", "改", "密", "码", "ok"]);
    }
}
