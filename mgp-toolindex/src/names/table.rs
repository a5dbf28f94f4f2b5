//! The table of names, for lookups in both directions.

use super::assign::full_name;
use hashbrown::HashMap;
use mgp_types::{context::ToolId, error::ErrorCode, rpc::ErrorObject};
use std::sync::Arc;

/// The names by which hosts call tools. A clone is cheap.
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
    /// The reason why the tool is hidden.
    pub reason: &'static str,
}

impl NameConflict {
    /// Returns the conflict as an error.
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

    /// Returns the tool that a host names: by the name it is shown under, or by `server__tool`.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&ToolId> {
        let at = self.0.by_full_name.get(name).or_else(|| self.0.by_name.get(name))?;
        Some(&self.0.in_order[*at].1)
    }

    /// Returns the name that a tool is shown under, or `None` if the tool is hidden or unknown.
    #[must_use]
    pub fn name(&self, tool: &ToolId) -> Option<&Arc<str>> {
        Some(&self.0.in_order[*self.0.by_tool.get(tool)?].0)
    }

    /// Returns every shown tool with its name, in the order of servers and of their lists.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &ToolId)> {
        self.0.in_order.iter().map(|(name, tool)| (name, tool))
    }

    /// Returns the tools that are hidden.
    #[must_use]
    pub fn conflicts(&self) -> &[NameConflict] {
        &self.0.conflicts
    }
}
