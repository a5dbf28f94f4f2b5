//! Errors of embedders.

use thiserror::Error;

/// The error of an embedder.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The model failed.
    #[error("the model failed: {0}")]
    Model(String),
}
