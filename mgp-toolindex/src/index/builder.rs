//! The builder of an index.

use super::{
    Fusion, IndexError, ToolIndex,
    blocking::blocking,
    fields::IndexSchema,
    search::Scale,
    snapshot::Snapshot,
    writer::{self, VectorSource},
};
use crate::{
    embed::{Embedder, EmbeddingCache, StaticEmbedder, unrelated_cosine},
    rerank::Reranker,
};
use arc_swap::ArcSwap;
use std::sync::Arc;

/// A builder of a [`ToolIndex`].
#[derive(Debug, Clone)]
pub struct ToolIndexBuilder {
    embedder: Option<Arc<dyn Embedder>>,
    cache: Option<Arc<dyn EmbeddingCache>>,
    fusion: Fusion,
    reranker: Option<Arc<dyn Reranker>>,
}

impl Default for ToolIndexBuilder {
    fn default() -> Self {
        Self {
            embedder: Some(Arc::new(StaticEmbedder::embedded())),
            cache: None,
            fusion: Fusion::default(),
            reranker: None,
        }
    }
}

impl ToolIndexBuilder {
    /// Sets the embedder for searches by meaning. The default is the embedded table.
    #[must_use]
    pub fn embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.embedder = Some(embedder);
        self
    }

    /// Searches only by words.
    #[must_use]
    pub fn without_embedder(mut self) -> Self {
        self.embedder = None;
        self
    }

    /// Caches the vectors of tools, so that they are computed only once. Worthwhile with a slow embedder.
    #[must_use]
    pub fn cache(mut self, cache: Arc<dyn EmbeddingCache>) -> Self {
        self.cache = Some(cache);
        self
    }

    /// Sets the weights that mix words and meaning.
    #[must_use]
    pub fn fusion(mut self, fusion: Fusion) -> Self {
        self.fusion = fusion;
        self
    }

    /// Reranks the first results of searches by meaning. This takes additional time with each search.
    #[must_use]
    pub fn reranker(mut self, reranker: Arc<dyn Reranker>) -> Self {
        self.reranker = Some(reranker);
        self
    }

    /// Creates an empty index, and starts the thread that writes it. The thread ends with the last clone of the index. The
    /// embedder computes eight vectors, to measure the similarity that it gives to unrelated texts.
    ///
    /// # Errors
    /// Returns [`IndexError::Engine`] if the thread or its memory is not available.
    pub fn build(self) -> Result<ToolIndex, IndexError> {
        let schema = Arc::new(IndexSchema::new());
        let dimensions = self.embedder.as_ref().map_or(0, |embedder| embedder.dimensions());
        let snapshot = Arc::new(ArcSwap::from_pointee(Snapshot::empty(dimensions)));
        let unrelated = match &self.embedder {
            Some(embedder) if embedder.is_slow() => blocking(|| unrelated_cosine(&**embedder)),
            Some(embedder) => unrelated_cosine(&**embedder),
            None => Ok(0.0),
        };
        let unrelated = unrelated.unwrap_or_else(|error| {
            tracing::warn!(%error, "the embedder does not work: tools will be found only by words");
            0.0
        });
        let scale = Scale { fusion: self.fusion, unrelated };
        let cache = self.cache;
        let meanings = self.embedder.clone().map(|embedder| VectorSource { embedder, cache });
        let (writer, left) = writer::start(Arc::clone(&schema), meanings, Arc::clone(&snapshot))?;
        Ok(ToolIndex {
            snapshot,
            schema,
            writer,
            embedder: self.embedder,
            scale,
            reranker: self.reranker,
            left,
        })
    }
}
