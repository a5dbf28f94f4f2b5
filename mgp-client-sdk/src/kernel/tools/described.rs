//! The tools that a document describes, within its bounds.

use super::{ToolEntry, Tools};
use mgp_toolindex::catalogue::NamedTool;
use mgp_transport::seam::Visibility;
use mgp_types::context::Principal;
use std::sync::Arc;

/// The most tools in a document.
const MAX_TOOLS: usize = 1_000;
/// The most bytes of definitions in a document.
const MAX_BYTES: usize = 16 << 20;

/// The tools that a document describes.
pub(in crate::kernel) struct DescribedTools {
    /// The tools, in the order of the configuration and of the servers' lists.
    pub(in crate::kernel) tools: Vec<(NamedTool, Arc<ToolEntry>)>,
    /// The number of tools that are past the bounds.
    pub(in crate::kernel) left_out: usize,
}

impl DescribedTools {
    /// Returns the tools that are offered to a principal.
    pub(in crate::kernel) fn of(tools: &Tools, principal: &Principal) -> Self {
        let (view, table) = (tools.offered.view(principal), tools.load());
        let (mut kept, mut left_out, mut bytes) = (Vec::new(), 0, 0_usize);
        for named in table.names.iter().filter(|named| view.sees(named.tool.id())) {
            let Some(entry) = table.entry(named.tool.id()) else { continue };
            bytes = bytes.saturating_add(entry.definition.as_bytes().len());
            if kept.len() < MAX_TOOLS && bytes <= MAX_BYTES {
                kept.push((named, entry.clone()));
            } else {
                left_out += 1;
            }
        }
        Self { tools: kept, left_out }
    }
}
