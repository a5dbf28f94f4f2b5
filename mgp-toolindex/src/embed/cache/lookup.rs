//! From texts to vectors, by way of the cache.

use super::{EmbeddingCache, EmbeddingKey};
use crate::{
    embed::{EmbedError, Embedder},
    vectors::Quantized,
};

/// The vectors of texts that are kept, in their order.
pub(crate) fn kept(
    embedder: &dyn Embedder,
    cache: &dyn EmbeddingCache,
    texts: &[String],
) -> Vec<Option<Quantized>> {
    let keys: Vec<_> = texts.iter().map(|text| EmbeddingKey::new(embedder.id(), text)).collect();
    believed(embedder, cache.get(&keys), texts.len())
}

/// One of another length was not made by this embedder, whatever the cache says.
fn believed(
    embedder: &dyn Embedder,
    mut found: Vec<Option<Quantized>>,
    count: usize,
) -> Vec<Option<Quantized>> {
    for vector in &mut found {
        vector.take_if(|vector| vector.numbers().len() != embedder.dimensions());
    }
    found.resize(count, None);
    found
}

/// The vectors of what tools say of themselves: those that are kept, and the others made and kept. A text without any
/// meaning to the embedder has none.
///
/// # Errors
/// [`EmbedError`].
pub fn embed_cached(
    embedder: &dyn Embedder,
    cache: Option<&dyn EmbeddingCache>,
    mut texts: Vec<String>,
) -> Result<Vec<Option<Quantized>>, EmbedError> {
    let Some(cache) = cache else {
        let vectors = embedder.embed_passages(&texts)?;
        let mut found: Vec<_> = vectors.iter().map(|vector| checked(embedder, vector)).collect();
        found.resize(texts.len(), None);
        return Ok(found);
    };
    let keys: Vec<_> = texts.iter().map(|text| EmbeddingKey::new(embedder.id(), text)).collect();
    let mut found = believed(embedder, cache.get(&keys), texts.len());
    let missing: Vec<usize> = (0..texts.len()).filter(|i| found[*i].is_none()).collect();
    let unknown: Vec<String> = missing.iter().map(|i| std::mem::take(&mut texts[*i])).collect();
    if unknown.is_empty() {
        return Ok(found);
    }
    let mut made = Vec::with_capacity(missing.len());
    for (i, vector) in missing.into_iter().zip(embedder.embed_passages(&unknown)?) {
        found[i] = checked(embedder, &vector);
        made.extend(found[i].clone().map(|vector| (keys[i], vector)));
    }
    cache.put(&made);
    Ok(found)
}

fn checked(embedder: &dyn Embedder, vector: &[f32]) -> Option<Quantized> {
    (vector.len() == embedder.dimensions()).then(|| Quantized::new(vector)).flatten()
}
