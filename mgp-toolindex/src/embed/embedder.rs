//! What makes vectors.

use super::EmbedError;
use std::fmt;

/// Makes vectors of texts: near to each other where the texts mean the like.
///
/// The functions may take their time on the processor, and block while they do.
pub trait Embedder: fmt::Debug + Send + Sync + 'static {
    /// Names the model and its version. Vectors of two names are not comparable.
    fn id(&self) -> &str;

    /// How many numbers a vector has.
    fn dimensions(&self) -> usize;

    /// Whether a text takes so long (more than about 100 µs) that nobody should wait for it on a thread that serves others.
    fn is_slow(&self) -> bool;

    /// The vector of what somebody searches for.
    ///
    /// # Errors
    /// [`EmbedError`].
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// The vectors of what tools say of themselves, in their order.
    ///
    /// # Errors
    /// [`EmbedError`].
    fn embed_passages(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError>;
}
