//! The interface of a reranker.

use crate::embed::EmbedError;
use std::fmt;

/// A model that rates texts as answers to a query, reading both together. Much slower than comparing vectors, and more accurate.
pub trait Reranker: fmt::Debug + Send + Sync + 'static {
    /// Returns a rating for each text, in the order of the texts: the larger, the better.
    ///
    /// # Errors
    /// Returns an [`EmbedError`] if the model fails.
    fn rate(&self, query: &str, texts: &[String]) -> Result<Vec<f32>, EmbedError>;
}
