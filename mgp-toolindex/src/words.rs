//! From text to the words that are compared.

use std::sync::LazyLock;
use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, RemoveLongFilter, SimpleTokenizer, Stemmer, StopWordFilter,
    TextAnalyzer,
};

/// The longest word, in bytes.
const MAX_WORD: usize = 64;

/// Words that say nothing of what a tool does: those that only hold an English sentence together, and those by which
/// people ask. Verbs such as "find" and "show" are not among them; tools are named after them.
const STOP_WORDS: &str = "a about above after again against all also am an and any are as at be because been before being \
    below between both but by can could did do does doing don down during each few for from further had has have having \
    he help her here hers him his how i if in into is it its just like ll m me more most my need no nor not now of off on \
    once only or other ought our out over own please re s same she should so some such t than that the their them then \
    there these they this those through to too under until up ve very want was we were what when where which while who \
    whom why will with would you your yours let d";

/// Splits text into words, without stop words, each cut to its stem.
fn analyzer() -> TextAnalyzer {
    let stop_words = STOP_WORDS.split_whitespace().map(str::to_owned);
    TextAnalyzer::builder(SimpleTokenizer::default())
        .filter(RemoveLongFilter::limit(MAX_WORD))
        .filter(LowerCaser)
        .filter(AsciiFoldingFilter)
        .filter(StopWordFilter::remove(stop_words))
        .filter(Stemmer::new(Language::English))
        .build()
}

/// Splits text into words as they are, in lower case and without accents.
fn plain_analyzer() -> TextAnalyzer {
    TextAnalyzer::builder(SimpleTokenizer::default())
        .filter(RemoveLongFilter::limit(MAX_WORD))
        .filter(LowerCaser)
        .filter(AsciiFoldingFilter)
        .build()
}

/// Calls `each` with every word of a text as it is, in lower case and without accents.
pub(crate) fn each_plain_word(text: &str, each: impl FnMut(&str)) {
    static ANALYZER: LazyLock<TextAnalyzer> = LazyLock::new(plain_analyzer);
    analyze(&ANALYZER, text, each);
}

/// Calls `each` with every word of a text that is compared, in order.
pub(crate) fn each_word(text: &str, each: impl FnMut(&str)) {
    static ANALYZER: LazyLock<TextAnalyzer> = LazyLock::new(analyzer);
    analyze(&ANALYZER, text, each);
}

fn analyze(analyzer: &TextAnalyzer, text: &str, mut each: impl FnMut(&str)) {
    // A clone shares the list of stop words, which takes the time to make.
    let mut analyzer = analyzer.clone();
    let text = split_names(text);
    let mut stream = analyzer.token_stream(&text);
    while stream.advance() {
        each(&stream.token().text);
    }
}

/// The words of a text, each once, in order.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    each_word(text, |word| {
        if !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    });
    words
}

/// Puts a space where a name changes from one word to the next: `readTextFile`, `HTTPServer`; and around each character
/// of a script that is written without spaces.
///
/// Every other separator is one to the tokenizer already.
pub(crate) fn split_names(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut chars = text.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(c) = chars.next() {
        let hump = c.is_uppercase()
            && before.is_some_and(|before| {
                // The last letter of an acronym begins the next word.
                before.is_lowercase()
                    || (before.is_uppercase() && chars.peek().is_some_and(|after| after.is_lowercase()))
            });
        if hump || is_unspaced(c) || before.is_some_and(is_unspaced) {
            out.push(' ');
        }
        out.push(c);
        before = Some(c);
    }
    out
}

/// Whether a character belongs to Chinese or Japanese script, in which nothing stands between two words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}')
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
        assert_eq!(words("Could you please help me with the"), [""; 0]);
    }

    #[test]
    fn scripts_without_spaces_are_compared_character_by_character() {
        assert_eq!(words("修改密码 ok"), ["修", "改", "密", "码", "ok"]);
    }
}
