//! The interface of an embedder.

use super::EmbedError;
use std::fmt;

/// A model that turns texts into vectors, which lie near each other if the texts mean similar things.
///
/// The functions may use the processor for a long time, and block meanwhile.
pub trait Embedder: fmt::Debug + Send + Sync + 'static {
    /// Returns the name of the model and its version. Vectors of different names are not comparable.
    fn id(&self) -> &str;

    /// Returns the number of dimensions of a vector.
    fn dimensions(&self) -> usize;

    /// Returns `true` if a text takes so long (more than about 100 µs) that it must not be embedded on a thread that serves
    /// others.
    fn is_slow(&self) -> bool;

    /// Returns the vector of a search query.
    ///
    /// # Errors
    /// [`EmbedError`].
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// Returns the vectors of passages (the texts of tools), in their order.
    ///
    /// # Errors
    /// [`EmbedError`].
    fn embed_passages(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError>;
}
