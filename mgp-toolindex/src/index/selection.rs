//! Which tools a search looks at.

use super::{SearchFilter, slots::Table};
use mgp_transport::seam::ToolView;

/// The tools that a principal sees, by slot, and what is counted among them.
pub(super) struct Visible {
    slots: Vec<bool>,
    pub(super) count: usize,
    /// How many words one of them has.
    pub(super) mean_length: f32,
}

impl Visible {
    pub(super) fn new(table: &Table, view: &dyn ToolView) -> Self {
        // Mostly a principal sees all tools of a server or none, and then no tool has to be asked about.
        let servers: Vec<Option<bool>> =
            table.servers.iter().map(|id| id.as_deref().and_then(|id| view.sees_all_tools(id))).collect();
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
        // At least one, so that nothing is divided by nothing.
        let mean_length = if length > 0.0 { (length / f64::from(count)) as f32 } else { 1.0 };
        Self { slots, count: count as usize, mean_length }
    }

    pub(super) fn has(&self, slot: usize) -> bool {
        self.slots.get(slot).copied().unwrap_or(false)
    }

    /// For each slot whether its tool is visible.
    pub(super) fn slots(&self) -> &[bool] {
        &self.slots
    }

    /// The visible slots that a filter lets through; `None` where it lets through all.
    pub(super) fn filtered(&self, table: &Table, filter: &SearchFilter) -> Option<Vec<bool>> {
        if *filter == SearchFilter::default() {
            return None;
        }
        let mut slots = self.slots.clone();
        for (slot, entry) in table.iter() {
            slots[slot] = slots[slot] && filter.passes(&entry.tool);
        }
        Some(slots)
    }
}
