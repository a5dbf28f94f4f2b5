//! What a search reads: the last committed state.

use crate::tool::IndexedTool;
use std::sync::Arc;
use tantivy::Searcher;

/// A committed index, and the tool at each of its slots.
pub(super) struct Snapshot {
    pub(super) searcher: Searcher,
    pub(super) slots: Vec<Option<Arc<IndexedTool>>>,
}

impl Snapshot {
    /// For each slot whether its tool passes.
    pub(super) fn select(&self, passes: impl Fn(&IndexedTool) -> bool) -> Vec<bool> {
        self.slots.iter().map(|tool| tool.as_deref().is_some_and(&passes)).collect()
    }

    /// Every tool that a selection lets through.
    pub(super) fn selected<'a>(
        &'a self,
        selection: &'a [bool],
    ) -> impl Iterator<Item = &'a Arc<IndexedTool>> {
        self.slots
            .iter()
            .zip(selection)
            .filter(|(_, selected)| **selected)
            .filter_map(|(tool, _)| tool.as_ref())
    }
}
