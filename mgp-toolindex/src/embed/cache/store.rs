//! Where vectors are kept.

use crate::vectors::Quantized;
use sha2::{Digest, Sha256};
use std::fmt;

/// Names a text and what made its vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EmbeddingKey([u8; 32]);

impl EmbeddingKey {
    /// The key of a text, for the embedder of some id.
    #[must_use]
    pub fn new(embedder_id: &str, text: &str) -> Self {
        let hash = Sha256::new().chain_update(embedder_id).chain_update([0]).chain_update(text);
        Self(hash.finalize().into())
    }

    /// The SHA-256 that it is.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Keeps vectors by what they were made of. What cannot be read or written is made anew: a cache reports its failures in
/// the log.
pub trait EmbeddingCache: fmt::Debug + Send + Sync + 'static {
    /// The vectors that are kept, in the order of the keys.
    fn get(&self, keys: &[EmbeddingKey]) -> Vec<Option<Quantized>>;

    /// Keeps vectors.
    fn put(&self, vectors: &[(EmbeddingKey, Quantized)]);
}
