//! The thread that makes vectors with an embedder that takes its time. Until it is done with a tool, words find it.

use super::writer::{Job, Meanings, embed_all};
use crate::tool::IndexedTool;
use std::{
    io,
    sync::{Arc, mpsc},
    thread,
};
use tokio::sync::{mpsc::WeakSender, watch};

/// How many texts the embedder gets at once.
const BATCH: usize = 32;

type Waiting = (usize, Arc<IndexedTool>);

/// The tools that wait for their vectors. The writer has it; with it, the thread ends.
pub(super) struct Background {
    waiting: mpsc::Sender<Waiting>,
    /// How many tools wait, are at hand, or are not yet published.
    left: watch::Sender<usize>,
}

impl Background {
    /// Starts the thread.
    pub(super) fn start(meanings: Meanings, writer: WeakSender<Job>) -> io::Result<Self> {
        let (sender, waiting) = mpsc::channel();
        let thread = thread::Builder::new().name("mgp-embed".to_owned());
        thread.spawn(move || run(&meanings, &waiting, &writer))?;
        Ok(Self { waiting: sender, left: watch::Sender::new(0) })
    }

    pub(super) fn add(&self, tools: Vec<Waiting>) {
        self.left.send_modify(|left| *left += tools.len());
        for tool in tools {
            if self.waiting.send(tool).is_err() {
                tracing::error!("the thread that makes vectors is gone: tools are found by words alone");
                return self.left.send_modify(|left| *left = 0);
            }
        }
    }

    /// Notes that tools are published with their vectors.
    pub(super) fn published(&self, tools: usize) {
        self.left.send_modify(|left| *left = left.saturating_sub(tools));
    }

    /// How many tools have no vector yet, as it changes.
    pub(super) fn left(&self) -> watch::Receiver<usize> {
        self.left.subscribe()
    }
}

fn run(meanings: &Meanings, waiting: &mpsc::Receiver<Waiting>, writer: &WeakSender<Job>) {
    while let Ok(first) = waiting.recv() {
        let mut batch = vec![first];
        batch.extend(waiting.try_iter().take(BATCH - 1));
        let count = batch.len();
        // What only waits here any more has left the index.
        batch.retain(|(_, tool)| Arc::strong_count(tool) > 1);
        let found = embed_all(meanings, &batch).unwrap_or_else(|error| {
            tracing::warn!(%error, tools = batch.len(), "tools are found by words alone");
            Vec::new()
        });
        let Some(writer) = writer.upgrade() else { return };
        if writer.blocking_send(Job::Vectors { found, count }).is_err() {
            return;
        }
    }
}
