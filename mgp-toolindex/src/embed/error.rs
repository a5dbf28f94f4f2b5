//! Why a text has no vector.

use thiserror::Error;

/// Why an embedder failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The model failed.
    #[error("the model failed: {0}")]
    Model(String),
}
