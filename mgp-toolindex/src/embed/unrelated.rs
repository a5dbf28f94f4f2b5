//! Measures the similarity that an embedder gives to unrelated texts.

use super::{EmbedError, Embedder};
use crate::vectors::QuantizedVector;

/// Sentences about unrelated subjects.
const UNRELATED: [&str; 8] = [
    "bake a loaf of rye bread",
    "translate a contract into Portuguese",
    "measure the orbit of a comet",
    "restart the database server",
    "book a train to Vienna",
    "tune the strings of a violin",
    "file a tax return",
    "draw the outline of a bird",
];

/// Returns the mean cosine of unrelated sentences. For some models it is near 0, for others above 0.5.
///
/// # Errors
/// Returns an [`EmbedError`] if the model fails.
pub(crate) fn unrelated_cosine(embedder: &dyn Embedder) -> Result<f32, EmbedError> {
    let mut vectors = Vec::with_capacity(UNRELATED.len());
    for text in UNRELATED {
        vectors.extend(QuantizedVector::new(&embedder.embed_query(text)?));
    }
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (i, one) in vectors.iter().enumerate() {
        for other in &vectors[i + 1..] {
            sum += one.cosine(other.numbers(), other.scale());
            pairs += 1.0;
        }
    }
    Ok(if pairs > 0.0 { (sum / pairs).clamp(0.0, 0.95) } else { 0.0 })
}
