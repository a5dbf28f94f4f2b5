//! An embedder that measures its time for a query separately.

use mgp_toolindex::embed::{EmbedError, Embedder};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// An embedder that measures the time that another embedder takes for a query.
#[derive(Debug)]
pub(super) struct TimedEmbedder {
    embedder: Arc<dyn Embedder>,
    /// The time of the last query, in nanoseconds.
    last: AtomicU64,
}

impl TimedEmbedder {
    pub(super) fn new(embedder: Arc<dyn Embedder>) -> Self {
        Self { embedder, last: AtomicU64::new(0) }
    }

    /// Returns the time of the last query.
    pub(super) fn last(&self) -> Duration {
        Duration::from_nanos(self.last.load(Ordering::Relaxed))
    }
}

impl Embedder for TimedEmbedder {
    fn id(&self) -> &str {
        self.embedder.id()
    }

    fn dimensions(&self) -> usize {
        self.embedder.dimensions()
    }

    fn is_slow(&self) -> bool {
        self.embedder.is_slow()
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let start = Instant::now();
        let vector = self.embedder.embed_query(text);
        let took = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.last.store(took, Ordering::Relaxed);
        vector
    }

    fn embed_passages(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embedder.embed_passages(texts)
    }
}
