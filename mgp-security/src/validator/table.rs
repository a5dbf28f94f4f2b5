//! Tables of words: data files in the folder of the code that reads them.

use serde::{Deserialize, de::DeserializeOwned};
use std::ops::Deref;

/// A list of words in a table: a text with white space between the words, or an array if a word holds white space itself.
#[derive(Debug, Deserialize)]
#[serde(from = "WordsForm")]
pub(super) struct Words(Vec<&'static str>);

/// The two forms of a list in a file.
#[derive(Deserialize)]
#[serde(untagged)]
enum WordsForm {
    Text(String),
    Array(Vec<String>),
}

impl From<WordsForm> for Words {
    /// Keeps the words for the rest of the program, as tables are kept.
    fn from(form: WordsForm) -> Self {
        Self(match form {
            WordsForm::Text(text) => text.leak().split_whitespace().collect(),
            WordsForm::Array(words) => words.into_iter().map(|word| &*word.leak()).collect(),
        })
    }
}

impl Deref for Words {
    type Target = [&'static str];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// Parses a table that is compiled in.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> T {
    toml::from_str(text).expect("a table that is compiled in is valid")
}
