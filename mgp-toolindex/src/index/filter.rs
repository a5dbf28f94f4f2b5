//! The filter of a search.

use crate::tool::IndexedTool;
use mgp_types::context::RiskLevel;
use std::{collections::HashSet, sync::Arc};

/// A restriction of the tools of a search, in addition to what the caller may see.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchFilter {
    /// The categories, in lower case: a tool must be filed under one of them. Empty lets any tool through.
    pub categories: Vec<String>,
    /// The highest risk, as the kernel judges it.
    pub risk_level_max: Option<RiskLevel>,
    /// The ids of the servers that a tool may be on. `None` lets any tool through.
    pub servers: Option<HashSet<Arc<str>>>,
}

impl SearchFilter {
    pub(super) fn passes(&self, tool: &IndexedTool) -> bool {
        let filed = self.categories.is_empty()
            || self.categories.iter().any(|category| tool.is_filed_under(category));
        filed
            && self.risk_level_max.is_none_or(|most| tool.risk() <= most)
            && self.servers.as_ref().is_none_or(|servers| servers.contains(&tool.id().server_id))
    }
}
