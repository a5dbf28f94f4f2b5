//! The thread that writes the index, so that a search never waits for it.

use super::{
    IndexError,
    fields::{Field, IndexSchema, TOKENIZER},
    query::whole_name,
    snapshot::Snapshot,
    words::{analyzer, split_names},
};
use crate::tool::IndexedTool;
use arc_swap::ArcSwap;
use std::{collections::HashMap, sync::Arc, thread};
use tantivy::{
    Index, IndexReader, IndexWriter, ReloadPolicy, SegmentMeta, TantivyDocument, TantivyError, Term,
    merge_policy::NoMergePolicy,
};
use tokio::sync::{mpsc, oneshot};

/// The most tools that the index holds.
pub const MAX_TOOLS: usize = 100_000;

/// The memory that the engine may use before it writes, in bytes: the least that it accepts.
const MEMORY: usize = 15_000_000;

/// How many changes wait for the thread; more wait with their callers.
const QUEUE: usize = 64;

/// A server's tools, in the place of those that it had.
pub(super) struct Change {
    pub(super) server_id: Arc<str>,
    pub(super) tools: Vec<Arc<IndexedTool>>,
}

type Job = (Change, oneshot::Sender<Result<(), IndexError>>);

/// Sends changes to the thread.
#[derive(Clone)]
pub(super) struct Writer(mpsc::Sender<Job>);

impl Writer {
    pub(super) async fn apply(&self, change: Change) -> Result<(), IndexError> {
        let (done, outcome) = oneshot::channel();
        self.0.send((change, done)).await.map_err(|_| IndexError::Closed)?;
        outcome.await.unwrap_or(Err(IndexError::Closed))
    }
}

/// Starts the thread. It ends when the last [`Writer`] is dropped.
pub(super) fn start(schema: Arc<IndexSchema>) -> Result<(Writer, Arc<ArcSwap<Snapshot>>), IndexError> {
    let state = State::new(schema)?;
    let snapshot = Arc::clone(&state.published);
    let (sender, jobs) = mpsc::channel(QUEUE);
    let thread = thread::Builder::new().name("mgp-toolindex".to_owned());
    thread.spawn(move || state.run(jobs)).map_err(|error| TantivyError::IoError(Arc::new(error)))?;
    Ok((Writer(sender), snapshot))
}
struct State {
    schema: Arc<IndexSchema>,
    index: Index,
    engine: IndexWriter,
    reader: IndexReader,
    published: Arc<ArcSwap<Snapshot>>,
    /// The slots of each server's tools.
    servers: HashMap<Arc<str>, Vec<usize>>,
    slots: Vec<Option<Arc<IndexedTool>>>,
}

impl State {
    fn new(schema: Arc<IndexSchema>) -> Result<Self, IndexError> {
        let index = Index::create_in_ram(schema.schema.clone());
        index.tokenizers().register(TOKENIZER, analyzer());
        let engine: IndexWriter = index.writer_with_num_threads(1, MEMORY)?;
        engine.set_merge_policy(Box::new(NoMergePolicy));
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let published =
            Arc::new(ArcSwap::from_pointee(Snapshot { searcher: reader.searcher(), slots: Vec::new() }));
        Ok(Self { schema, index, engine, reader, published, servers: HashMap::new(), slots: Vec::new() })
    }

    fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        let mut batch = Vec::with_capacity(QUEUE);
        // What came while the last commit was made is committed together.
        while jobs.blocking_recv_many(&mut batch, QUEUE) > 0 {
            let mut applied = Vec::with_capacity(batch.len());
            for (change, done) in batch.drain(..) {
                match self.apply(change) {
                    Ok(()) => applied.push(done),
                    Err(error) => _ = done.send(Err(error)),
                }
            }
            let outcome = self.commit();
            if let Err(error) = &outcome {
                tracing::error!(%error, "the index could not be committed");
            }
            // A caller that is gone does not want to know.
            applied.into_iter().for_each(|done| _ = done.send(outcome.clone()));
        }
    }

    fn apply(&mut self, change: Change) -> Result<(), IndexError> {
        let Change { server_id, tools } = change;
        let old = self.servers.get(&server_id).map_or(0, Vec::len);
        let wanted = self.slots.iter().flatten().count() - old + tools.len();
        if wanted > MAX_TOOLS {
            return Err(IndexError::Full { wanted });
        }
        self.engine.delete_term(Term::from_field_text(self.schema.owner, &server_id));
        for slot in self.servers.remove(&server_id).unwrap_or_default() {
            self.slots[slot] = None;
        }
        let mut free: Vec<usize> = (0..self.slots.len()).filter(|slot| self.slots[*slot].is_none()).collect();
        let mut taken = Vec::with_capacity(tools.len());
        for tool in tools {
            let slot = free.pop().unwrap_or_else(|| {
                self.slots.push(None);
                self.slots.len() - 1
            });
            self.engine.add_document(self.document(&server_id, &tool, slot))?;
            self.slots[slot] = Some(tool);
            taken.push(slot);
        }
        if !taken.is_empty() {
            self.servers.insert(server_id, taken);
        }
        Ok(())
    }

    fn document(&self, server_id: &str, tool: &IndexedTool, slot: usize) -> TantivyDocument {
        let mut document = TantivyDocument::new();
        for field in Field::ALL {
            let text = field.text(tool);
            let text = if field == Field::WholeName { whole_name(text) } else { split_names(text) };
            document.add_text(self.schema.text(field), text);
        }
        document.add_text(self.schema.owner, server_id);
        document.add_u64(self.schema.slot, slot as u64);
        document
    }

    /// Commits, leaves one segment without deleted documents, and publishes it.
    fn commit(&mut self) -> Result<(), IndexError> {
        self.engine.commit()?;
        let segments = self.index.searchable_segment_metas()?;
        if segments.len() > 1 || segments.iter().any(SegmentMeta::has_deletes) {
            let ids: Vec<_> = segments.iter().map(SegmentMeta::id).collect();
            self.engine.merge(&ids).wait()?;
        }
        self.reader.reload()?;
        let snapshot = Snapshot { searcher: self.reader.searcher(), slots: self.slots.clone() };
        self.published.store(Arc::new(snapshot));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{FILES, WEB, tools};
    use mgp_types::context::RiskLevel;

    #[test]
    fn what_was_taken_out_of_a_shared_segment_leaves_no_trace_in_the_statistics() {
        let mut state = State::new(Arc::new(IndexSchema::new())).unwrap();
        let change = |server: &str, definitions| Change {
            server_id: server.into(),
            tools: tools(server, definitions, RiskLevel::Safe),
        };
        // Two changes in one commit share a segment; the next one takes half of it out.
        state.apply(change("files", FILES)).unwrap();
        state.apply(change("web", WEB)).unwrap();
        state.commit().unwrap();
        state.apply(change("files", &[])).unwrap();
        state.commit().unwrap();
        let searcher = &state.published.load().searcher;
        let segments = searcher.segment_readers();
        assert_eq!(segments.len(), 1);
        assert_eq!((segments[0].max_doc(), searcher.num_docs()), (2, 2));
    }
}
