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
    vectors::QuantizedVector,
};
use arc_swap::ArcSwap;
use mgp_transport::seam::ToolView;
use std::{fmt, sync::Arc};
use tokio::sync::watch;

/// The index of all tools. A clone refers to the same index.
#[derive(Clone)]
pub struct ToolIndex {
    pub(super) snapshot: Arc<ArcSwap<Snapshot>>,
    pub(super) schema: Arc<IndexSchema>,
    pub(super) writer: Writer,
    pub(super) embedder: Option<Arc<dyn Embedder>>,
    pub(super) scale: Scale,
    pub(super) reranker: Option<Arc<dyn Reranker>>,
    /// The number of tools that wait for their vectors.
    pub(super) left: watch::Receiver<usize>,
}

/// Statistics of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexStats {
    /// The number of tools.
    pub tools: usize,
    /// The number of servers that have tools.
    pub servers: usize,
    /// The number of tools that have a vector. Other tools are found only by words.
    pub embedded: usize,
    /// The number of tools that wait for their vectors.
    pub waiting: usize,
    /// The id of the embedder. `None` if only words are searched.
    pub embedder: Option<String>,
    /// The number of dimensions of a vector; 0 without an embedder.
    pub dimensions: usize,
}

impl ToolIndex {
    /// Creates an empty index that searches by words, and by meaning with the embedded table.
    ///
    /// # Errors
    /// Returns [`IndexError::Engine`] if the thread that writes, or its memory, is not available.
    pub fn new() -> Result<Self, IndexError> {
        Self::builder().build()
    }

    /// Returns a builder, for an index with other settings.
    #[must_use]
    pub fn builder() -> ToolIndexBuilder {
        ToolIndexBuilder::default()
    }

    /// Replaces a server's tools. When the future completes, searches see the new tools. With a slow embedder, they are first
    /// found by words ([`embedded`](Self::embedded)).
    ///
    /// The change is made even if the future is dropped before it completes.
    ///
    /// # Errors
    /// Returns an [`IndexError`]; the index is then unchanged.
    pub async fn update_server(
        &self,
        server_id: impl Into<Arc<str>>,
        tools: Vec<Arc<IndexedTool>>,
    ) -> Result<(), IndexError> {
        self.writer.update(server_id.into(), tools).await
    }

    /// Removes a server's tools. When the future completes, no search finds them.
    ///
    /// # Errors
    /// Returns an [`IndexError`]; the index is then unchanged.
    pub async fn remove_server(&self, server_id: &str) -> Result<(), IndexError> {
        self.update_server(server_id, Vec::new()).await
    }

    /// Finds the tools that match a query best, among those that a view shows and a filter accepts.
    ///
    /// If the embedder or the reranker is slow ([`is_slow`](Self::is_slow)), a search blocks for a while. On a runtime of several
    /// threads, the other threads take over the tasks. Otherwise, call `search` on a thread that may block.
    ///
    /// # Errors
    /// Returns [`IndexError::Engine`] if the index cannot be read.
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
            Ok(vector) => QuantizedVector::new(&vector).filter(|_| vector.len() == embedder.dimensions()),
            Err(error) => {
                tracing::warn!(%error, "searched only by words");
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

    /// Returns whether a search blocks for longer than a thread that serves others should.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        self.reranker.is_some() || self.embedder.as_ref().is_some_and(|embedder| embedder.is_slow())
    }

    /// Returns every tool that a view shows and a filter accepts, sorted by server and name, and the number of tools that the
    /// view shows.
    #[must_use]
    pub fn browse(&self, filter: &SearchFilter, view: &dyn ToolView) -> (Vec<Arc<IndexedTool>>, usize) {
        browse::browse(&self.snapshot.load(), filter, view)
    }

    /// Returns a receiver of the number of tools that wait for their vectors.
    #[must_use]
    pub fn waiting(&self) -> watch::Receiver<usize> {
        self.left.clone()
    }

    /// Completes when no tool waits for its vector any more.
    pub async fn embedded(&self) {
        // If the index is gone, no more vectors are added.
        _ = self.left.clone().wait_for(|left| *left == 0).await;
    }

    /// Returns statistics of the index.
    #[must_use]
    pub fn stats(&self) -> IndexStats {
        let snapshot = self.snapshot.load();
        let table = &snapshot.table;
        IndexStats {
            tools: table.count,
            servers: table.servers.iter().flatten().count(),
            embedded: table.embedded,
            waiting: *self.left.borrow(),
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
