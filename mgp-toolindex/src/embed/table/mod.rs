//! The embedded default: a vector for each piece of a word, trained once (`cargo xtask distill`) and shipped with the crate.

mod embedder;
mod file;
mod pieces;

pub use embedder::StaticEmbedder;
pub use file::{Table, TableError};
pub use pieces::Vocabulary;
