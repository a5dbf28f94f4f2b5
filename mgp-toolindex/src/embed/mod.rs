//! §16.4 Embeddings: vectors that represent the meaning of texts.
//!
//! [`Embedder`] is the interface that the index needs. [`StaticEmbedder`] is the built-in default: a table with one
//! vector for each piece of a word, which needs no download and no native library.

mod cache;
mod embedder;
mod error;
#[cfg(feature = "fastembed")]
pub mod onnx;
mod table;
mod text;
mod unrelated;

#[cfg(feature = "sqlite")]
pub use cache::{CacheError, MAX_CACHED, SqliteEmbeddingCache};
pub use cache::{EmbeddingCache, EmbeddingKey, embed_cached};
pub(crate) use cache::{kept, make};
pub use embedder::Embedder;
pub use error::EmbedError;
pub use table::{StaticEmbedder, Table, TableError, Vocabulary};
pub use text::passage;
pub(crate) use unrelated::unrelated_cosine;
