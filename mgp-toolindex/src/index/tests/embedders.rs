//! Embedders that do what a test needs.

use crate::embed::{EmbedError, Embedder};
use parking_lot::Mutex;
use std::sync::{
    atomic::{AtomicUsize, Ordering},
    mpsc::Receiver,
};

/// An embedder of a text as the number of times it has each of a few words. Counts passages, and fails and waits as told.
#[derive(Debug, Default)]
pub(super) struct CountingEmbedder {
    pub(super) passages: AtomicUsize,
    /// The number of batches whose reading has begun.
    pub(super) begun: AtomicUsize,
    pub(super) fails: bool,
    /// True if reading passages panics.
    pub(super) panics: bool,
    /// If present, the embedder is slow, and each batch waits for a message.
    pub(super) waits: Option<Mutex<Receiver<()>>>,
}

const WORDS: [&str; 3] = ["file", "page", "folder"];

impl CountingEmbedder {
    fn vector(text: &str) -> Vec<f32> {
        let text = text.to_lowercase();
        WORDS.iter().map(|word| text.matches(word).count() as f32).collect()
    }
}

impl Embedder for CountingEmbedder {
    fn id(&self) -> &str {
        "counting"
    }

    fn dimensions(&self) -> usize {
        WORDS.len()
    }

    fn is_slow(&self) -> bool {
        self.waits.is_some()
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        if self.fails { Err(EmbedError::Model("out of order".to_owned())) } else { Ok(Self::vector(text)) }
    }

    fn embed_passages(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        if let Some(waits) = &self.waits {
            // A test that is over lets go of everything.
            _ = waits.lock().recv();
        }
        assert!(!self.panics, "as it was told");
        self.passages.fetch_add(texts.len(), Ordering::Relaxed);
        if self.fails {
            return Err(EmbedError::Model("out of order".to_owned()));
        }
        Ok(texts.iter().map(|text| Self::vector(text)).collect())
    }
}
