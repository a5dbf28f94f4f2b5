//! Browsing the index without words.

use super::{SearchFilter, selection::VisibleTools, snapshot::Snapshot};
use crate::tool::IndexedTool;
use mgp_transport::seam::ToolView;
use std::sync::Arc;

/// Returns every tool that a view shows and a filter accepts, sorted by server and name, and the number of tools that the view
/// shows.
pub(super) fn browse(
    snapshot: &Snapshot,
    filter: &SearchFilter,
    view: &dyn ToolView,
) -> (Vec<Arc<IndexedTool>>, usize) {
    let visible = VisibleTools::new(&snapshot.table, view);
    let wanted =
        snapshot.table.iter().filter(|(slot, entry)| visible.has(*slot) && filter.passes(&entry.tool));
    let mut tools: Vec<_> = wanted.map(|(_, entry)| Arc::clone(&entry.tool)).collect();
    tools.sort_by(|one, other| one.id().cmp(other.id()));
    (tools, visible.count)
}
