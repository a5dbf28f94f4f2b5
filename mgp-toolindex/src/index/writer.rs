//! The thread that writes the index, so that a search never waits for it.

use super::{
    IndexError, background::Background, document::document, fields::IndexSchema, slots::Entry,
    snapshot::Snapshot,
};
use crate::{
    embed::{EmbedError, Embedder, EmbeddingCache, embed_cached, passage},
    tool::IndexedTool,
    vectors::QuantizedVector,
};
use arc_swap::ArcSwap;
use rayon::prelude::*;
use std::{collections::HashMap, sync::Arc, thread};
use tantivy::{
    Index, IndexReader, IndexWriter, ReloadPolicy, TantivyError, Term, merge_policy::LogMergePolicy,
};
use tokio::sync::{mpsc, oneshot, watch};

/// The most tools that the index holds.
pub const MAX_TOOLS: usize = 1_000_000;

/// The memory that the engine may use before it writes, in bytes: the least that it accepts.
const MEMORY: usize = 15_000_000;

/// The most changes that wait for the thread; later ones wait in their callers.
const QUEUE: usize = 256;

/// The fewest tools that one thread reads: for fewer, another thread is not worthwhile.
const AT_ONCE: usize = 8;

/// The share of removed documents at which a segment is rewritten.
const MAX_REMOVED_SHARE: f32 = 0.3;

/// A job for the thread.
pub(super) enum Job {
    /// Replaces a server's tools.
    Tools { server_id: Arc<str>, tools: Vec<Arc<IndexedTool>>, done: oneshot::Sender<Result<(), IndexError>> },
    /// Sets the vectors of some of `count` tools.
    Vectors { found: Vec<EmbeddedTool>, count: usize },
}

/// A slot, its tool, and the tool's vector.
pub(super) type EmbeddedTool = (usize, Arc<IndexedTool>, QuantizedVector);

/// The sender of changes to the thread.
#[derive(Clone)]
pub(super) struct Writer(mpsc::Sender<Job>);

impl Writer {
    pub(super) async fn update(
        &self,
        server_id: Arc<str>,
        tools: Vec<Arc<IndexedTool>>,
    ) -> Result<(), IndexError> {
        let (done, outcome) = oneshot::channel();
        self.0.send(Job::Tools { server_id, tools, done }).await.map_err(|_| IndexError::Closed)?;
        outcome.await.unwrap_or(Err(IndexError::Closed))
    }
}

/// The embedder that computes vectors, and the cache that stores them.
#[derive(Clone)]
pub(super) struct VectorSource {
    pub(super) embedder: Arc<dyn Embedder>,
    pub(super) cache: Option<Arc<dyn EmbeddingCache>>,
}

/// Starts the thread. The thread ends when the last [`Writer`] is dropped.
pub(super) fn start(
    schema: Arc<IndexSchema>,
    meanings: Option<VectorSource>,
    published: Arc<ArcSwap<Snapshot>>,
) -> Result<(Writer, watch::Receiver<usize>), IndexError> {
    let (sender, jobs) = mpsc::channel(QUEUE);
    let io = |error| TantivyError::IoError(Arc::new(error));
    let background = match &meanings {
        Some(meanings) if meanings.embedder.is_slow() => {
            Some(Background::start(meanings.clone(), sender.downgrade()).map_err(io)?)
        }
        _ => None,
    };
    let left = background.as_ref().map_or_else(|| watch::channel(0).1, Background::left);
    let state = State::new(schema, meanings, background, published)?;
    let thread = thread::Builder::new().name("mgp-toolindex".to_owned());
    thread.spawn(move || state.run(jobs)).map_err(io)?;
    Ok((Writer(sender), left))
}

struct State {
    schema: Arc<IndexSchema>,
    engine: IndexWriter,
    reader: IndexReader,
    meanings: Option<VectorSource>,
    /// The thread that computes vectors with a slow embedder. `None` with a fast one, and without any.
    background: Option<Background>,
    published: Arc<ArcSwap<Snapshot>>,
    /// The snapshot that is published next.
    next: Snapshot,
    /// The number and the slots of each server.
    servers: HashMap<Arc<str>, (u32, Vec<usize>)>,
    free: Vec<usize>,
    count: usize,
}

impl State {
    fn new(
        schema: Arc<IndexSchema>,
        meanings: Option<VectorSource>,
        background: Option<Background>,
        published: Arc<ArcSwap<Snapshot>>,
    ) -> Result<Self, IndexError> {
        let index = Index::create_in_ram(schema.schema.clone());
        let engine: IndexWriter = index.writer_with_num_threads(1, MEMORY)?;
        let mut merging = LogMergePolicy::default();
        merging.set_del_docs_ratio_before_merge(MAX_REMOVED_SHARE);
        engine.set_merge_policy(Box::new(merging));
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let next = Snapshot::clone(&published.load());
        Ok(Self {
            schema,
            engine,
            reader,
            meanings,
            background,
            published,
            next,
            servers: HashMap::new(),
            free: Vec::new(),
            count: 0,
        })
    }

    fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        let mut batch = Vec::with_capacity(QUEUE);
        // Changes that arrived during the last commit are committed together.
        while jobs.blocking_recv_many(&mut batch, QUEUE) > 0 {
            let (mut applied, mut embedded, mut failed) = (Vec::with_capacity(batch.len()), 0, None);
            for job in batch.drain(..) {
                match job {
                    Job::Tools { server_id, tools, done } => match self.apply(server_id, tools) {
                        Ok(()) => applied.push(done),
                        Err(error) => {
                            failed = failed
                                .or_else(|| matches!(error, IndexError::Engine(_)).then(|| error.clone()));
                            _ = done.send(Err(error));
                        }
                    },
                    Job::Vectors { found, count } => {
                        self.take_vectors(&found);
                        embedded += count;
                    }
                }
            }
            let outcome = failed.map_or_else(|| self.publish(!applied.is_empty()), Err);
            if let Err(error) = &outcome {
                // The state is no longer consistent. Searches see the last published snapshot.
                tracing::error!(%error, "the index accepts no more changes");
                applied.into_iter().for_each(|done| _ = done.send(outcome.clone()));
                return;
            }
            if let Some(background) = &self.background {
                background.published(embedded);
            }
            // A caller may be gone.
            applied.into_iter().for_each(|done| _ = done.send(outcome.clone()));
        }
    }

    fn apply(&mut self, server_id: Arc<str>, tools: Vec<Arc<IndexedTool>>) -> Result<(), IndexError> {
        let old = self.servers.get(&server_id).map_or(0, |(_, slots)| slots.len());
        let wanted = self.count - old + tools.len();
        if wanted > MAX_TOOLS {
            return Err(IndexError::Full { wanted });
        }
        let known = self.take_out(&server_id);
        self.count = wanted;
        if tools.is_empty() {
            return Ok(());
        }
        let server = self.number_of(&server_id);
        let mut taken = Vec::with_capacity(tools.len());
        // Reading the words takes longer than everything else.
        let schema = &self.schema;
        let documents: Vec<_> =
            tools.par_iter().with_min_len(AT_ONCE).map(|tool| document(schema, tool)).collect();
        for (tool, (mut document, length)) in tools.into_iter().zip(documents) {
            let slot = self.free.pop().unwrap_or_else(|| self.next.table.len());
            document.add_u64(self.schema.slot, slot as u64);
            self.next.table.put(slot, Entry::new(tool, server, length));
            taken.push(slot);
            self.engine.add_document(document)?;
        }
        self.find_vectors(&taken, &known);
        self.servers.insert(server_id, (server, taken));
        Ok(())
    }

    /// Removes a server's tools. Returns those that had a vector, with the vector.
    fn take_out(&mut self, server_id: &str) -> Vec<(Arc<IndexedTool>, QuantizedVector)> {
        let Some((number, slots)) = self.servers.remove(server_id) else { return Vec::new() };
        let mut known = Vec::new();
        for slot in slots {
            self.engine.delete_term(Term::from_field_u64(self.schema.slot, slot as u64));
            if let (Some(entry), Some(vector)) = (self.next.table.get(slot), self.next.table.vector(slot)) {
                known.push((Arc::clone(&entry.tool), vector));
            }
            self.next.table.clear(slot);
            self.free.push(slot);
        }
        Arc::make_mut(&mut self.next.table.servers)[number as usize] = None;
        known
    }

    fn number_of(&mut self, server_id: &Arc<str>) -> u32 {
        let servers = Arc::make_mut(&mut self.next.table.servers);
        let number = servers.iter().position(Option::is_none).unwrap_or(servers.len());
        if number == servers.len() {
            servers.push(None);
        }
        servers[number] = Some(Arc::clone(server_id));
        number as u32
    }

    /// Sets the vectors of tools: existing and new ones.
    fn find_vectors(&mut self, slots: &[usize], known: &[(Arc<IndexedTool>, QuantizedVector)]) {
        let Some(meanings) = self.meanings.clone() else { return };
        let known: HashMap<_, _> =
            known.iter().map(|(tool, vector)| (&*tool.id().tool_name, (tool, vector))).collect();
        let mut missing = Vec::new();
        for &slot in slots {
            let Some(entry) = self.next.table.get(slot) else { continue };
            match known.get(&*entry.tool.id().tool_name) {
                Some((tool, vector)) if tool.text() == entry.tool.text() => {
                    self.next.table.set_vector(slot, vector);
                }
                _ => missing.push((slot, Arc::clone(&entry.tool))),
            }
        }
        match &self.background {
            Some(background) => background.add(&missing),
            None => match embed_all(&meanings, &missing) {
                Ok(vectors) => self.take_vectors(&vectors),
                Err(error) => tracing::warn!(%error, "tools are found only by words"),
            },
        }
    }

    fn take_vectors(&mut self, vectors: &[EmbeddedTool]) {
        for (slot, tool, vector) in vectors {
            // The tool may be gone, and its slot taken by another one.
            if self.next.table.get(*slot).is_some_and(|entry| Arc::ptr_eq(&entry.tool, tool)) {
                self.next.table.set_vector(*slot, vector);
            }
        }
    }

    fn publish(&mut self, commit: bool) -> Result<(), IndexError> {
        if commit {
            self.engine.commit()?;
            self.reader.reload()?;
            self.next.segments = self.next.segments(&self.reader.searcher(), &self.schema)?;
        }
        self.published.store(Arc::new(self.next.clone()));
        Ok(())
    }
}

/// Returns the vectors of tools from a fast embedder. A tool whose text has no meaning at all gets none.
fn embed_all(
    meanings: &VectorSource,
    tools: &[(usize, Arc<IndexedTool>)],
) -> Result<Vec<EmbeddedTool>, EmbedError> {
    let embed = |tools: &[(usize, Arc<IndexedTool>)]| {
        let texts = tools.iter().map(|(_, tool)| passage(tool)).collect();
        embed_cached(&*meanings.embedder, meanings.cache.as_deref(), texts)
    };
    let parts: Result<Vec<_>, _> = tools.par_chunks(AT_ONCE).map(embed).collect();
    let found = tools.iter().zip(parts?.into_iter().flatten());
    Ok(found.filter_map(|((slot, tool), vector)| Some((*slot, Arc::clone(tool), vector?))).collect())
}
