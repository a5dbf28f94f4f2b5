//! What reads.

use crate::embed::EmbedError;
use std::fmt;

/// Says how well texts answer a query, having read both together. Slower than vectors by far, and better.
pub trait Reranker: fmt::Debug + Send + Sync + 'static {
    /// A number for each text, in their order: the larger, the better.
    ///
    /// # Errors
    /// [`EmbedError`].
    fn rate(&self, query: &str, texts: &[String]) -> Result<Vec<f32>, EmbedError>;
}
