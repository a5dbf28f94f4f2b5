//! The catalogue at one moment.

use crate::{
    names::{NameConflict, Names, assign},
    tool::IndexedTool,
};
use mgp_types::context::ToolId;
use std::{collections::HashMap, sync::Arc};

/// A tool and the name that hosts call it by.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedTool {
    /// The name that hosts call it by.
    pub name: Arc<str>,
    /// The tool.
    pub tool: Arc<IndexedTool>,
}

/// The catalogue at one moment. A clone is cheap.
#[derive(Debug, Clone, Default)]
pub struct CatalogueView {
    names: Names,
    tools: Arc<HashMap<ToolId, Arc<IndexedTool>>>,
}

impl CatalogueView {
    /// Creates a view over servers in order, each with its tools. Tools without a name are left out.
    pub(super) fn new<'a>(servers: impl Iterator<Item = (&'a str, &'a [Arc<IndexedTool>])> + Clone) -> Self {
        let listed = servers.clone();
        let names = assign(listed.map(|(id, tools)| (id, tools.iter().map(|tool| &*tool.id().tool_name))));
        let mut tools = HashMap::new();
        for tool in servers.flat_map(|(_, tools)| tools) {
            if names.name(tool.id()).is_some() {
                // If a server lists two tools with one name, the first counts.
                tools.entry(tool.id().clone()).or_insert_with(|| Arc::clone(tool));
            }
        }
        Self { names, tools: Arc::new(tools) }
    }

    /// Returns the tool that a host names: by the name it is shown under, or by `server__tool`.
    #[must_use]
    pub fn resolve(&self, name: &str) -> Option<&ToolId> {
        self.names.tool(name)
    }

    /// Returns a tool with the name that hosts call it by.
    #[must_use]
    pub fn named(&self, id: &ToolId) -> Option<NamedTool> {
        let name = Arc::clone(self.names.name(id)?);
        Some(NamedTool { name, tool: Arc::clone(self.tools.get(id)?) })
    }

    /// Returns every tool, in the order of the configuration and of the servers' lists.
    pub fn iter(&self) -> impl Iterator<Item = NamedTool> {
        self.names.iter().filter_map(|(_, id)| self.named(id))
    }

    /// Returns the tools that are hidden because of their names.
    #[must_use]
    pub fn conflicts(&self) -> &[NameConflict] {
        self.names.conflicts()
    }

    /// Returns a server's tools that are not hidden.
    pub(super) fn of_server(&self, server_id: &str) -> Vec<Arc<IndexedTool>> {
        let of_server = self.names.iter().filter(|(_, id)| &*id.server_id == server_id);
        of_server.filter_map(|(_, id)| self.tools.get(id).cloned()).collect()
    }
}
