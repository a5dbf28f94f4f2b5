//! All words of the console, from one file for each language in `texts/`.

mod language;
mod words;

pub(crate) use language::texts_for;
pub(crate) use words::{Texts, number, words};
