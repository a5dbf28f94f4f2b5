//! The thread that computes vectors with a slow embedder. A tool without a vector is found only by words.

use super::writer::{EmbeddedTool, Job, VectorSource};
use crate::{
    embed::{kept, make, passage},
    tool::IndexedTool,
};
use std::{
    io,
    sync::{Arc, Weak, mpsc},
    thread,
};
use tokio::sync::{mpsc::WeakSender, watch};

/// The number of texts that the embedder receives at once.
const BATCH: usize = 32;
/// The number of texts that are looked up in the cache at once.
const LOOKED_UP: usize = 512;

/// A tool's slot, and a weak reference to the tool: a removed tool is freed at once, even while it waits.
type QueuedTool = (usize, Weak<IndexedTool>);

/// The queue of tools that wait for their vectors. The writer owns it; when it is dropped, the thread ends.
pub(super) struct Background {
    waiting: mpsc::Sender<QueuedTool>,
    /// The number of tools that wait, are being worked on, or are not yet published.
    left: Arc<watch::Sender<usize>>,
}

impl Background {
    /// Starts the thread.
    pub(super) fn start(meanings: VectorSource, writer: WeakSender<Job>) -> io::Result<Self> {
        let (sender, waiting) = mpsc::channel();
        let left = Arc::new(watch::Sender::new(0));
        let ended = IdleGuard(Arc::clone(&left));
        let thread = thread::Builder::new().name("mgp-embed".to_owned());
        thread.spawn(move || {
            let _ended = ended;
            // Dropped before `_ended`: nothing can be queued after the end is reported.
            let waiting = waiting;
            run(&meanings, &waiting, &writer);
        })?;
        Ok(Self { waiting: sender, left })
    }

    pub(super) fn add(&self, tools: &[(usize, Arc<IndexedTool>)]) {
        self.left.send_modify(|left| *left += tools.len());
        for (slot, tool) in tools {
            if self.waiting.send((*slot, Arc::downgrade(tool))).is_err() {
                tracing::error!("the thread that computes vectors is gone: tools are found only by words");
                return self.left.send_modify(|left| *left = 0);
            }
        }
    }

    /// Records that tools are published with their vectors.
    pub(super) fn published(&self, tools: usize) {
        self.left.send_modify(|left| *left = left.saturating_sub(tools));
    }

    /// Returns a receiver of the number of tools that have no vector yet.
    pub(super) fn left(&self) -> watch::Receiver<usize> {
        self.left.subscribe()
    }
}

/// A guard that reports an empty queue when the thread ends, even if an embedder panicked.
struct IdleGuard(Arc<watch::Sender<usize>>);

impl Drop for IdleGuard {
    fn drop(&mut self) {
        if thread::panicking() {
            tracing::error!("an embedder has panicked: tools are found only by words");
        }
        self.0.send_replace(0);
    }
}

fn run(meanings: &VectorSource, waiting: &mpsc::Receiver<QueuedTool>, writer: &WeakSender<Job>) {
    while let Ok(first) = waiting.recv() {
        let mut batch = vec![first];
        batch.extend(waiting.try_iter().take(LOOKED_UP - 1));
        let count = batch.len();
        let batch: Vec<_> =
            batch.into_iter().filter_map(|(slot, tool)| Some((slot, tool.upgrade()?))).collect();
        let gone = count - batch.len();
        let (found, missing) = look_up(meanings, batch);
        if !send(writer, found.len() + gone, found) {
            return;
        }
        for batch in missing.chunks(BATCH) {
            let (tools, texts): (Vec<_>, Vec<_>) = batch.iter().cloned().unzip();
            let made = make(&*meanings.embedder, meanings.cache.as_deref(), &texts).unwrap_or_else(|error| {
                tracing::warn!(%error, tools = batch.len(), "tools are found only by words");
                Vec::new()
            });
            let made =
                tools.into_iter().zip(made).filter_map(|((slot, tool), vector)| Some((slot, tool, vector?)));
            if !send(writer, batch.len(), made.collect()) {
                return;
            }
        }
    }
}

/// A tool's slot, the tool, and the text that represents it.
type ToolPassage = ((usize, Arc<IndexedTool>), String);

/// Splits tools into those with a cached vector and the others.
fn look_up(
    meanings: &VectorSource,
    tools: Vec<(usize, Arc<IndexedTool>)>,
) -> (Vec<EmbeddedTool>, Vec<ToolPassage>) {
    let texts: Vec<_> = tools.iter().map(|(_, tool)| passage(tool)).collect();
    let kept = match &meanings.cache {
        Some(cache) => kept(&*meanings.embedder, &**cache, &texts),
        None => vec![None; texts.len()],
    };
    let (mut found, mut missing) = (Vec::with_capacity(tools.len()), Vec::new());
    for ((tool, text), vector) in tools.into_iter().zip(texts).zip(kept) {
        match vector {
            Some(vector) => found.push((tool.0, tool.1, vector)),
            None => missing.push((tool, text)),
        }
    }
    (found, missing)
}

/// Sends vectors to the writer, as the result for `count` tools. Returns `false` if the writer is gone.
fn send(writer: &WeakSender<Job>, count: usize, found: Vec<EmbeddedTool>) -> bool {
    count == 0
        || writer.upgrade().is_some_and(|writer| writer.blocking_send(Job::Vectors { found, count }).is_ok())
}
