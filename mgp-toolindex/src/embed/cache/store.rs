//! The interface of a cache of vectors.

use crate::vectors::QuantizedVector;
use sha2::{Digest, Sha256};
use std::fmt;

/// The key of a vector: its text, and its embedder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EmbeddingKey([u8; 32]);

impl EmbeddingKey {
    /// Creates the key of a text for the embedder with the given id.
    #[must_use]
    pub fn new(embedder_id: &str, text: &str) -> Self {
        let hash = Sha256::new().chain_update(embedder_id).chain_update([0]).chain_update(text);
        Self(hash.finalize().into())
    }

    /// Returns the SHA-256 of the embedder's id and the text.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A cache of vectors, by text and embedder. Vectors that cannot be read or written are computed again. A cache reports its
/// failures in the log.
pub trait EmbeddingCache: fmt::Debug + Send + Sync + 'static {
    /// Returns the cached vectors, in the order of the keys.
    fn get(&self, keys: &[EmbeddingKey]) -> Vec<Option<QuantizedVector>>;

    /// Stores vectors under their keys.
    fn put(&self, vectors: &[(EmbeddingKey, QuantizedVector)]);
}
