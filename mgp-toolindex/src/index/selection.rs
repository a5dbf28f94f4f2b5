//! The tools that a search considers.

use super::{SearchFilter, slots::Table};
use mgp_transport::seam::ToolView;
use std::sync::Arc;

/// The tools that a principal sees, by slot, and the statistics over them.
pub(super) struct VisibleTools {
    /// True for each slot with a visible tool. `None` if all tools are visible.
    slots: Option<Vec<bool>>,
    pub(super) count: usize,
    /// The mean number of words of a visible tool.
    pub(super) mean_length: f32,
}

impl VisibleTools {
    pub(super) fn new(table: &Table, view: &dyn ToolView) -> Self {
        // A principal usually sees all tools of a server or none, and then no single tool has to be checked.
        let seen = |id: &Option<Arc<str>>| id.as_deref().map_or(Some(true), |id| view.sees_all_tools(id));
        let servers: Vec<Option<bool>> = table.servers.iter().map(seen).collect();
        if servers.iter().all(|seen| *seen == Some(true)) {
            return Self::counted(None, table.count, table.length);
        }
        let mut slots = vec![false; table.len()];
        let (mut count, mut length) = (0, 0.0);
        for (slot, entry) in table.iter() {
            let all = servers.get(entry.server as usize).copied().flatten();
            if all.unwrap_or_else(|| view.sees(entry.tool.id())) {
                slots[slot] = true;
                count += 1;
                length += f64::from(entry.length);
            }
        }
        Self::counted(Some(slots), count, length)
    }

    fn counted(slots: Option<Vec<bool>>, count: usize, length: f64) -> Self {
        // Never 0, because lengths are divided by the mean.
        let mean_length = if length > 0.0 { (length / count as f64) as f32 } else { 1.0 };
        Self { slots, count, mean_length }
    }

    /// Returns whether the tool in a slot is visible.
    pub(super) fn has(&self, slot: usize) -> bool {
        self.slots.as_ref().is_none_or(|slots| slots.get(slot).copied().unwrap_or(false))
    }

    /// Returns `true` for each visible slot that a filter accepts, or `None` if the filter is empty.
    pub(super) fn filtered(&self, table: &Table, filter: &SearchFilter) -> Option<Vec<bool>> {
        if *filter == SearchFilter::default() {
            return None;
        }
        let mut slots = vec![false; table.len()];
        for (slot, entry) in table.iter() {
            slots[slot] = self.has(slot) && filter.passes(&entry.tool);
        }
        Some(slots)
    }
}
