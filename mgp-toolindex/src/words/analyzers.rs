//! Normalizes a word with the engine's own filters.

use std::sync::LazyLock;
use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, RawTokenizer, Stemmer, StopWordFilter, TextAnalyzer,
};

/// Words that do not describe a tool: those that only structure an English sentence, and those that phrase a question. Verbs such
/// as "find" and "show" are not included, because tools are named after them.
const STOP_WORDS: &str = "a about above after again against all also am an and any are as at be because been before being \
    below between both but by can could did do does doing don down during each few for from further had has have having \
    he help her here hers him his how i if in into is it its just like ll m me more most my need no nor not now of off on \
    once only or other ought our out over own please re s same she should so some such t than that the their them then \
    there these they this those through to too under until up ve very want was we were what when where which while who \
    whom why will with would you your yours let d";

/// Returns a word in lower case and without accents.
pub(super) fn plain(token: &str) -> Box<str> {
    static ANALYZER: LazyLock<TextAnalyzer> = LazyLock::new(|| {
        TextAnalyzer::builder(RawTokenizer::default()).filter(LowerCaser).filter(AsciiFoldingFilter).build()
    });
    analyze(&ANALYZER, token).unwrap_or_default()
}

/// Returns the stem of a word, or `None` for a stop word.
pub(super) fn stem(token: &str) -> Option<Box<str>> {
    static ANALYZER: LazyLock<TextAnalyzer> = LazyLock::new(|| {
        TextAnalyzer::builder(RawTokenizer::default())
            .filter(LowerCaser)
            .filter(AsciiFoldingFilter)
            .filter(StopWordFilter::remove(STOP_WORDS.split_whitespace().map(str::to_owned)))
            .filter(Stemmer::new(Language::English))
            .build()
    });
    analyze(&ANALYZER, token)
}

fn analyze(analyzer: &TextAnalyzer, token: &str) -> Option<Box<str>> {
    // A clone shares the list of stop words, which takes time to build.
    let mut analyzer = analyzer.clone();
    let mut stream = analyzer.token_stream(token);
    let kept = stream.advance() && !stream.token().text.is_empty();
    kept.then(|| stream.token().text.as_str().into())
}
