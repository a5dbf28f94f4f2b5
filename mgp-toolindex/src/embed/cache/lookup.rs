//! Looks up vectors in the cache, and computes the missing ones.

use super::{EmbeddingCache, EmbeddingKey};
use crate::{
    embed::{EmbedError, Embedder},
    vectors::QuantizedVector,
};

/// Returns the vectors of passages (the texts of tools). Missing vectors are computed and cached. A text without any meaning to
/// the embedder has none.
///
/// # Errors
/// Returns an [`EmbedError`] if the model fails.
pub fn embed_cached(
    embedder: &dyn Embedder,
    cache: Option<&dyn EmbeddingCache>,
    mut texts: Vec<String>,
) -> Result<Vec<Option<QuantizedVector>>, EmbedError> {
    let Some(cache) = cache else { return make(embedder, None, &texts) };
    let mut found = kept(embedder, cache, &texts);
    let missing: Vec<usize> = (0..texts.len()).filter(|i| found[*i].is_none()).collect();
    let unknown: Vec<String> = missing.iter().map(|i| std::mem::take(&mut texts[*i])).collect();
    for (i, vector) in missing.into_iter().zip(make(embedder, Some(cache), &unknown)?) {
        found[i] = vector;
    }
    Ok(found)
}

/// Returns the cached vectors of texts, in the order of the texts.
pub(crate) fn kept(
    embedder: &dyn Embedder,
    cache: &dyn EmbeddingCache,
    texts: &[String],
) -> Vec<Option<QuantizedVector>> {
    let keys: Vec<_> = texts.iter().map(|text| EmbeddingKey::new(embedder.id(), text)).collect();
    let mut found = cache.get(&keys);
    // A vector of another length is not from this embedder, even if the cache has it.
    for vector in &mut found {
        vector.take_if(|vector| vector.numbers().len() != embedder.dimensions());
    }
    found.resize(texts.len(), None);
    found
}

/// Computes the vectors of texts, and caches them.
///
/// # Errors
/// Returns an [`EmbedError`] if the model fails.
pub(crate) fn make(
    embedder: &dyn Embedder,
    cache: Option<&dyn EmbeddingCache>,
    texts: &[String],
) -> Result<Vec<Option<QuantizedVector>>, EmbedError> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let vectors = embedder.embed_passages(texts)?;
    let checked =
        |vector: &Vec<f32>| (vector.len() == embedder.dimensions()).then(|| QuantizedVector::new(vector));
    let mut made: Vec<_> = vectors.iter().map(|vector| checked(vector).flatten()).collect();
    made.resize(texts.len(), None);
    if let Some(cache) = cache {
        let named = texts.iter().zip(&made);
        let kept =
            named.filter_map(|(text, made)| Some((EmbeddingKey::new(embedder.id(), text), made.clone()?)));
        cache.put(&kept.collect::<Vec<_>>());
    }
    Ok(made)
}
