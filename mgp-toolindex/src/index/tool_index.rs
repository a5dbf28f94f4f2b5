//! The index of all tools.

use super::{
    IndexError, Search, SearchFilter, SearchMode, SearchResult, ToolIndexBuilder,
    blocking::blocking,
    browse,
    fields::IndexSchema,
    search::{self, Scale},
    snapshot::Snapshot,
    writer::Writer,
};
use crate::{
    embed::Embedder,
    rerank::{self, RERANKED, Reranker},
    tool::IndexedTool,
    vectors::{Clusters, Quantized},
};
use arc_swap::ArcSwap;
use mgp_transport::seam::ToolView;
use std::{fmt, sync::Arc};
use tokio::sync::watch;

/// The index of all tools. A clone is the same index.
#[derive(Clone)]
pub struct ToolIndex {
    pub(super) snapshot: Arc<ArcSwap<Snapshot>>,
    pub(super) schema: Arc<IndexSchema>,
    pub(super) writer: Writer,
    pub(super) embedder: Option<Arc<dyn Embedder>>,
    pub(super) scale: Scale,
    pub(super) reranker: Option<Arc<dyn Reranker>>,
    /// How many tools wait for their vectors.
    pub(super) left: watch::Receiver<usize>,
}

/// What is in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexStats {
    /// How many tools.
    pub tools: usize,
    /// Of how many servers.
    pub servers: usize,
    /// How many tools have a vector. Others are found by words alone.
    pub embedded: usize,
    /// How many tools wait for their vectors.
    pub waiting: usize,
    /// How many clusters the vectors are in; 0 where each tool is compared.
    pub clusters: usize,
    /// What makes the vectors; none where only words are looked for.
    pub embedder: Option<String>,
    /// How many numbers a vector has.
    pub dimensions: usize,
}

impl ToolIndex {
    /// An empty index that searches by words and by the meaning that the embedded table finds.
    ///
    /// # Errors
    /// [`IndexError::Engine`] where the thread that writes, or its memory, cannot be had.
    pub fn new() -> Result<Self, IndexError> {
        Self::builder().build()
    }

    /// An index with another embedder.
    #[must_use]
    pub fn builder() -> ToolIndexBuilder {
        ToolIndexBuilder::default()
    }

    /// Puts a server's tools in the place of those that it had. When the future ends, searches see them; with an embedder
    /// that takes its time, by words first ([`embedded`](Self::embedded)).
    ///
    /// The change is made even where the future is dropped before it ends.
    ///
    /// # Errors
    /// [`IndexError`]; the index is then as it was.
    pub async fn update_server(
        &self,
        server_id: impl Into<Arc<str>>,
        tools: Vec<Arc<IndexedTool>>,
    ) -> Result<(), IndexError> {
        self.writer.update(server_id.into(), tools).await
    }

    /// Takes a server's tools out. When the future ends, no search finds them.
    ///
    /// # Errors
    /// [`IndexError`]; the index is then as it was.
    pub async fn remove_server(&self, server_id: &str) -> Result<(), IndexError> {
        self.update_server(server_id, Vec::new()).await
    }

    /// Finds the tools that fit a query best, among those that a view shows and a filter lets through.
    ///
    /// Where the embedder or the reranker takes its time ([`is_slow`](Self::is_slow)), so does this. On a runtime of several threads
    /// the others go on meanwhile; elsewhere, call it on a thread that may block.
    ///
    /// # Errors
    /// [`IndexError::Engine`].
    pub fn search(&self, search: &Search, view: &dyn ToolView) -> Result<SearchResult, IndexError> {
        if search.mode != SearchMode::Keyword && self.is_slow() {
            blocking(|| self.search_here(search, view))
        } else {
            self.search_here(search, view)
        }
    }

    fn search_here(&self, search: &Search, view: &dyn ToolView) -> Result<SearchResult, IndexError> {
        let vector = self.embedder.as_ref().filter(|_| search.mode != SearchMode::Keyword);
        let vector = vector.and_then(|embedder| match embedder.embed_query(search.query.text()) {
            Ok(vector) => Quantized::new(&vector).filter(|_| vector.len() == embedder.dimensions()),
            Err(error) => {
                tracing::warn!(%error, "searched by words alone");
                None
            }
        });
        let reranker = self.reranker.as_deref().filter(|_| search.mode != SearchMode::Keyword);
        let Some(reranker) = reranker else {
            return search::search(
                &self.snapshot.load(),
                &self.schema,
                search,
                vector.as_ref(),
                &self.scale,
                view,
            );
        };
        let wider = Search { limit: search.limit.max(RERANKED), ..search.clone() };
        let mut found =
            search::search(&self.snapshot.load(), &self.schema, &wider, vector.as_ref(), &self.scale, view)?;
        rerank::reorder(reranker, search.query.text(), &mut found.hits);
        found.hits.truncate(search.limit);
        Ok(found)
    }

    /// Whether a search blocks for longer than a thread that serves others should.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        self.reranker.is_some() || self.embedder.as_ref().is_some_and(|embedder| embedder.is_slow())
    }

    /// Every tool that a view shows and a filter lets through, by server and name; and how many the view shows.
    #[must_use]
    pub fn browse(&self, filter: &SearchFilter, view: &dyn ToolView) -> (Vec<Arc<IndexedTool>>, usize) {
        browse::browse(&self.snapshot.load(), filter, view)
    }

    /// How many tools wait for their vectors, as it changes.
    #[must_use]
    pub fn waiting(&self) -> watch::Receiver<usize> {
        self.left.clone()
    }

    /// Ends when every tool has been given its vector.
    pub async fn embedded(&self) {
        // Where the index is gone, nothing will be given any more.
        _ = self.left.clone().wait_for(|left| *left == 0).await;
    }

    /// What is in it.
    #[must_use]
    pub fn stats(&self) -> IndexStats {
        let snapshot = self.snapshot.load();
        let table = &snapshot.table;
        IndexStats {
            tools: table.count,
            servers: table.servers.iter().flatten().count(),
            embedded: table.embedded,
            waiting: *self.left.borrow(),
            clusters: snapshot.clusters.as_ref().map_or(0, Clusters::len),
            embedder: self.embedder.as_ref().map(|embedder| embedder.id().to_owned()),
            dimensions: self.embedder.as_ref().map_or(0, |embedder| embedder.dimensions()),
        }
    }
}

impl fmt::Debug for ToolIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolIndex").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
