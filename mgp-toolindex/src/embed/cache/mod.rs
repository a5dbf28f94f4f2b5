//! A cache of vectors, so that each is computed only once.

mod lookup;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;

pub use lookup::embed_cached;
pub(crate) use lookup::{kept, make};
#[cfg(feature = "sqlite")]
pub use sqlite::{CacheError, MAX_CACHED, SqliteEmbeddingCache};
pub use store::{EmbeddingCache, EmbeddingKey};
