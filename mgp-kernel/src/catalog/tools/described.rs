//! The tools in a document, within its limits.

use super::{ToolEntry, Tools};
use mgp_toolindex::catalogue::NamedTool;
use mgp_transport::seam::Visibility;
use mgp_types::context::Principal;
use std::sync::Arc;

/// The maximum number of tools in a document.
const MAX_TOOLS: usize = 1_000;
/// The maximum size of definitions in a document, in bytes.
const MAX_BYTES: usize = 16 << 20;

/// The tools in a document.
pub(crate) struct DescribedTools {
    /// The tools, in configuration order and in the order of the servers' lists.
    pub(crate) tools: Vec<(NamedTool, Arc<ToolEntry>)>,
    /// The number of tools that exceed the limits.
    pub(crate) left_out: usize,
}

impl DescribedTools {
    /// Returns the tools that are offered to a principal.
    pub(crate) fn of(tools: &Tools, principal: &Principal) -> Self {
        let (view, table) = (tools.offered.view(principal), tools.load());
        let (mut kept, mut left_out, mut bytes) = (Vec::new(), 0, 0_usize);
        for named in table.names.iter().filter(|named| view.sees(named.tool.id())) {
            let Some(entry) = table.entry(named.tool.id()) else { continue };
            bytes = bytes.saturating_add(entry.shown_definition().as_bytes().len());
            if kept.len() < MAX_TOOLS && bytes <= MAX_BYTES {
                kept.push((named, entry.clone()));
            } else {
                left_out += 1;
            }
        }
        Self { tools: kept, left_out }
    }
}
