//! The names, both ways.

use super::assign::full_name;
use mgp_types::{context::ToolId, error::ErrorCode, rpc::ErrorObject};
use std::{collections::HashMap, sync::Arc};

/// Under which name hosts call which tool. A clone is cheap.
#[derive(Debug, Clone, Default)]
pub struct Names(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    in_order: Vec<(Arc<str>, ToolId)>,
    by_name: HashMap<Arc<str>, usize>,
    by_full_name: HashMap<String, usize>,
    by_tool: HashMap<ToolId, usize>,
    conflicts: Vec<NameConflict>,
}

/// A tool that is hidden because of its name (4003).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameConflict {
    /// The tool.
    pub tool: ToolId,
    /// Why.
    pub reason: &'static str,
}

impl NameConflict {
    /// The error that says so.
    #[must_use]
    pub fn to_error(&self) -> ErrorObject {
        ErrorCode::ToolNameConflict.error(format!("tool {:?} is hidden: {}", self.tool, self.reason))
    }
}

impl Names {
    pub(super) fn new(in_order: Vec<(Arc<str>, ToolId)>, conflicts: Vec<NameConflict>) -> Self {
        let each = || in_order.iter().enumerate();
        let by_name = each().map(|(i, (name, _))| (Arc::clone(name), i)).collect();
        let by_full_name = each().map(|(i, (_, tool))| (full_name(tool), i)).collect();
        let by_tool = each().map(|(i, (_, tool))| (tool.clone(), i)).collect();
        Self(Arc::new(Inner { by_name, by_full_name, by_tool, in_order, conflicts }))
    }

    /// The tool that a host means: by the name it is shown under, or by `server__tool`.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&ToolId> {
        let at = self.0.by_full_name.get(name).or_else(|| self.0.by_name.get(name))?;
        Some(&self.0.in_order[*at].1)
    }

    /// The name that a tool is shown under; none where it is hidden or not known.
    #[must_use]
    pub fn name(&self, tool: &ToolId) -> Option<&Arc<str>> {
        Some(&self.0.in_order[*self.0.by_tool.get(tool)?].0)
    }

    /// Every shown tool with its name, in the order of servers and of their lists.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &ToolId)> {
        self.0.in_order.iter().map(|(name, tool)| (name, tool))
    }

    /// The tools that are hidden.
    #[must_use]
    pub fn conflicts(&self) -> &[NameConflict] {
        &self.0.conflicts
    }
}
