//! From text to the words that are compared.

use std::sync::LazyLock;
use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, RemoveLongFilter, SimpleTokenizer, Stemmer, StopWordFilter,
    TextAnalyzer,
};

/// The longest word, in bytes.
const MAX_WORD: usize = 64;

/// Splits text into words, without stop words, each cut to its stem.
pub(super) fn analyzer() -> TextAnalyzer {
    let plain = TextAnalyzer::builder(SimpleTokenizer::default())
        .filter(RemoveLongFilter::limit(MAX_WORD))
        .filter(LowerCaser)
        .filter(AsciiFoldingFilter);
    match StopWordFilter::new(Language::English) {
        Some(stop_words) => plain.filter(stop_words).filter(Stemmer::new(Language::English)).build(),
        None => plain.filter(Stemmer::new(Language::English)).build(),
    }
}

/// The words of a text, each once, in order.
pub(super) fn words(text: &str) -> Vec<String> {
    static ANALYZER: LazyLock<TextAnalyzer> = LazyLock::new(analyzer);
    // A clone shares the list of stop words, which takes the time to make.
    let mut analyzer = ANALYZER.clone();
    let text = split_names(text);
    let mut stream = analyzer.token_stream(&text);
    let mut words: Vec<String> = Vec::new();
    while stream.advance() {
        let word = &stream.token().text;
        if !words.contains(word) {
            words.push(word.clone());
        }
    }
    words
}

/// Puts a space where a name changes from one word to the next: `readTextFile`, `HTTPServer`, `utf8`.
///
/// Every other separator is one to the tokenizer already.
pub(super) fn split_names(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let chars: Vec<char> = text.chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| chars[i]);
        let after = chars.get(i + 1);
        let hump = before.is_some_and(|before| before.is_lowercase() && c.is_uppercase());
        // The last letter of an acronym begins the next word.
        let acronym = before.is_some_and(char::is_uppercase)
            && c.is_uppercase()
            && after.is_some_and(|after| after.is_lowercase());
        if hump || acronym {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_split_where_their_words_meet() {
        assert_eq!(words("readTextFile"), words("read_text_file"));
        assert_eq!(words("read.text-file"), words("read text file"));
        assert_eq!(split_names("HTTPServer getURL x2"), "HTTP Server get URL x2");
    }

    #[test]
    fn words_are_stems_without_stop_words_and_accents() {
        assert_eq!(words("Reading the files of a café"), ["read", "file", "cafe"]);
        assert_eq!(words("the of and"), [""; 0]);
    }
}
