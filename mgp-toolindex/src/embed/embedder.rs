//! The interface of an embedder.

use super::EmbedError;
use std::fmt;

/// A model that converts texts into vectors, which are near each other if the texts mean similar things.
///
/// The functions may use the processor for a long time, and block while they do.
pub trait Embedder: fmt::Debug + Send + Sync + 'static {
    /// Returns the name of the model and its version. Vectors of different names are not comparable.
    fn id(&self) -> &str;

    /// Returns the number of dimensions of a vector.
    fn dimensions(&self) -> usize;

    /// Returns `true` if embedding a text takes so long (more than about 100 µs) that it must not run on a thread that serves
    /// others.
    fn is_slow(&self) -> bool;

    /// Returns the vector of a search query.
    ///
    /// # Errors
    /// Returns an [`EmbedError`] if the model fails.
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// Returns the vectors of passages (the texts of tools), in their order.
    ///
    /// # Errors
    /// Returns an [`EmbedError`] if the model fails.
    fn embed_passages(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError>;
}
