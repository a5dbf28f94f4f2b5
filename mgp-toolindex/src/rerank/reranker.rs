//! The interface of a reranker.

use crate::embed::EmbedError;
use std::fmt;

/// A model that rates how well texts answer a query, having read both together. Far slower than comparing vectors, and better.
pub trait Reranker: fmt::Debug + Send + Sync + 'static {
    /// Returns a rating for each text, in the order of the texts: the larger, the better.
    ///
    /// # Errors
    /// [`EmbedError`].
    fn rate(&self, query: &str, texts: &[String]) -> Result<Vec<f32>, EmbedError>;
}
