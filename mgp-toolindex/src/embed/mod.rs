//! §16.4 From a text to a vector that says where its meaning lies.
//!
//! [`Embedder`] is what the index needs. [`StaticEmbedder`] is the embedded default: a table of vectors, one a piece of a
//! word, which needs no download and no native library.

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
