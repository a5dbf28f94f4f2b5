//! From text to the words that are compared.

mod analyzers;
mod known;
mod read;
mod tokens;

pub(crate) use read::{each_plain_word, each_word, words};
pub(crate) use tokens::split_names;
