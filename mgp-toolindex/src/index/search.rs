//! Searching.

use super::{
    Hit, IndexError, Query,
    collector::Selected,
    fields::IndexSchema,
    fuzzy,
    snapshot::Snapshot,
    writer::{self, Change, Writer},
};
use crate::tool::IndexedTool;
use arc_swap::ArcSwap;
use mgp_transport::seam::ToolView;
use mgp_types::context::RiskLevel;
use std::{collections::HashSet, fmt, sync::Arc};
use tantivy::query::Query as Engine;

/// The index of all tools. A clone is the same index.
#[derive(Clone)]
pub struct ToolIndex {
    snapshot: Arc<ArcSwap<Snapshot>>,
    schema: Arc<IndexSchema>,
    writer: Writer,
}

/// Which tools to look at, beside what the caller may see.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchFilter {
    /// Filed under one of these; any where empty. In lower case.
    pub categories: Vec<String>,
    /// At most this dangerous, as the kernel judges.
    pub risk_level_max: Option<RiskLevel>,
    /// On one of these servers; on any where absent.
    pub servers: Option<HashSet<Arc<str>>>,
}

/// What a search gave.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// The tools, the best first; where two fit the same, by server and name.
    pub hits: Vec<Hit>,
    /// How many tools the caller may see, whatever was searched for.
    pub total_available: usize,
}

impl SearchFilter {
    fn passes(&self, tool: &IndexedTool) -> bool {
        let filed = self.categories.is_empty()
            || self.categories.iter().any(|category| tool.is_filed_under(category));
        filed
            && self.risk_level_max.is_none_or(|most| tool.risk() <= most)
            && self.servers.as_ref().is_none_or(|servers| servers.contains(&tool.id().server_id))
    }
}

impl ToolIndex {
    /// An empty index, and the thread that writes it. The thread ends with the last clone.
    ///
    /// # Errors
    /// [`IndexError::Engine`] where the thread or its memory cannot be had.
    pub fn new() -> Result<Self, IndexError> {
        let schema = Arc::new(IndexSchema::new());
        let (writer, snapshot) = writer::start(Arc::clone(&schema))?;
        Ok(Self { snapshot, schema, writer })
    }

    /// Puts a server's tools in the place of those that it had. When the future ends, searches see them.
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
        self.writer.apply(Change { server_id: server_id.into(), tools }).await
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
    /// Where none fits, names that are one letter away from a word are tried.
    ///
    /// # Errors
    /// [`IndexError::Engine`].
    pub fn search(
        &self,
        query: &Query,
        filter: &SearchFilter,
        view: &dyn ToolView,
        limit: usize,
    ) -> Result<SearchResult, IndexError> {
        let snapshot = self.snapshot.load();
        let visible = snapshot.select(|tool| view.sees(tool.id()));
        let total_available = visible.iter().filter(|visible| **visible).count();
        let mut selection = visible;
        for (selected, tool) in selection.iter_mut().zip(&snapshot.slots) {
            *selected = *selected && tool.as_deref().is_some_and(|tool| filter.passes(tool));
        }
        let selection = Arc::new(selection);
        let exact = query.to_engine(&self.schema);
        let mut found = collect(&snapshot, &*exact, &selection)?;
        if found.is_empty()
            && let Some(near) = fuzzy::to_engine(query, &self.schema)
        {
            found = collect(&snapshot, &*near, &selection)?;
        }
        found.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.id().cmp(other.id())));
        let best = found.into_iter().take(limit);
        let hits = best.map(|(score, tool)| Hit::new(Arc::clone(tool), score, query)).collect();
        Ok(SearchResult { hits, total_available })
    }

    /// Every tool that a view shows and a filter lets through, by server and name; and how many the view shows.
    #[must_use]
    pub fn browse(&self, filter: &SearchFilter, view: &dyn ToolView) -> (Vec<Arc<IndexedTool>>, usize) {
        let snapshot = self.snapshot.load();
        let visible = snapshot.select(|tool| view.sees(tool.id()));
        let mut tools: Vec<_> =
            snapshot.selected(&visible).filter(|tool| filter.passes(tool)).map(Arc::clone).collect();
        tools.sort_by(|one, other| one.id().cmp(other.id()));
        (tools, visible.iter().filter(|visible| **visible).count())
    }
}

type Found<'a> = Vec<(f32, &'a Arc<IndexedTool>)>;

fn collect<'a>(
    snapshot: &'a Snapshot,
    query: &dyn Engine,
    selection: &Arc<Vec<bool>>,
) -> Result<Found<'a>, IndexError> {
    let found = snapshot.searcher.search(query, &Selected(Arc::clone(selection)))?;
    let tool = |slot: usize| snapshot.slots.get(slot).and_then(Option::as_ref);
    Ok(found.into_iter().filter_map(|(score, slot)| Some((score, tool(slot)?))).collect())
}

impl fmt::Debug for ToolIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools = self.snapshot.load().slots.iter().flatten().count();
        f.debug_struct("ToolIndex").field("tools", &tools).finish_non_exhaustive()
    }
}
