//! Which tools are wanted, beside what the asker may see.

use crate::tool::IndexedTool;
use mgp_types::context::RiskLevel;
use std::{collections::HashSet, sync::Arc};

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

impl SearchFilter {
    pub(super) fn passes(&self, tool: &IndexedTool) -> bool {
        let filed = self.categories.is_empty()
            || self.categories.iter().any(|category| tool.is_filed_under(category));
        filed
            && self.risk_level_max.is_none_or(|most| tool.risk() <= most)
            && self.servers.as_ref().is_none_or(|servers| servers.contains(&tool.id().server_id))
    }
}
