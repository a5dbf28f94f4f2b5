//! Splits text into the words that are compared.

mod analyzers;
mod known;
mod read;
mod tokens;

pub(crate) use read::{each_plain_word, each_word, plain_word_set, plain_words, words};
pub(crate) use tokens::split_names;
