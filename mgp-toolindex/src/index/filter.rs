//! The filter of a search.

use crate::tool::IndexedTool;
use mgp_types::context::RiskLevel;
use std::{collections::HashSet, sync::Arc};

/// A restriction of the tools of a search, in addition to the caller's visibility.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchFilter {
    /// The categories, in lower case: a tool must be filed under one of them. Empty accepts any tool.
    pub categories: Vec<String>,
    /// The highest risk, by the kernel's assessment.
    pub risk_level_max: Option<RiskLevel>,
    /// The ids of the servers that a tool may be on. `None` accepts any tool.
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
