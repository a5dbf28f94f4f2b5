//! The tools that are offered to each principal: those that access control lets an agent see. Tools are left out if they wait for a permission,
//! are withheld because their definition changed, are only for the pages of apps, or belong to a stopped server.

use super::ToolTable;
use crate::rights::rights::Rights;
use arc_swap::ArcSwap;
use mgp_transport::seam::{FullVisibility, ToolView, Visibility};
use mgp_types::context::{Principal, ToolId};
use std::sync::Arc;

/// The tools that are offered to each principal. Lists and searches show no others.
#[derive(Debug, Clone)]
pub(crate) struct OfferedTools {
    pub(crate) rights: Arc<Rights>,
    pub(crate) table: Arc<ArcSwap<ToolTable>>,
}

impl Visibility for OfferedTools {
    fn view(&self, principal: &Principal) -> Arc<dyn ToolView> {
        self.allowed_by(self.rights.access.view(principal), false)
    }
}

impl OfferedTools {
    /// Returns the view of a principal with every grant: the tools that are not withheld.
    pub(crate) fn full_view(&self) -> Arc<dyn ToolView> {
        self.allowed_by(Arc::new(FullVisibility), false)
    }

    /// Returns the view of a principal for the pages of MCP Apps: with the tools that are only for pages.
    pub(crate) fn view_for_pages(&self, principal: &Principal) -> Arc<dyn ToolView> {
        self.allowed_by(self.rights.access.view(principal), true)
    }

    fn allowed_by(&self, access: Arc<dyn ToolView>, is_for_pages: bool) -> Arc<dyn ToolView> {
        Arc::new(OfferedView { access, is_for_pages, tools: self.table.load_full(), offered: self.clone() })
    }
}

struct OfferedView {
    access: Arc<dyn ToolView>,
    /// True if tools that are only for the pages of apps are seen, too.
    is_for_pages: bool,
    /// One table for a whole list or search.
    tools: Arc<ToolTable>,
    offered: OfferedTools,
}

impl OfferedView {
    /// Returns whether a tool is not withheld, both in this view's table and in the current one, because the searched index may be newer.
    fn is_open(&self, tool: &ToolId) -> bool {
        let pins = &self.offered.rights.definitions;
        if !pins.may_hold(&tool.server_id) {
            return true;
        }
        let is_open = |table: &ToolTable| {
            table.entry(tool).is_none_or(|entry| pins.is_open(tool, entry.profile.definition))
        };
        is_open(&self.tools) && is_open(&self.offered.table.load())
    }
}

impl ToolView for OfferedView {
    fn sees(&self, tool: &ToolId) -> bool {
        self.access.sees(tool)
            && !self.offered.rights.stopped.has(&tool.server_id)
            && self.tools.entry(tool).is_some_and(|entry| {
                !entry.is_disabled()
                    && (!entry.is_for_pages_only() || self.is_for_pages && entry.passes_apps())
                    && entry.profile.invalid_permissions.is_empty()
                    && self.offered.rights.permissions.has_all(&tool.server_id, &entry.profile.permissions)
            })
            && self.is_open(tool)
    }

    fn sees_server(&self, server_id: &str) -> bool {
        self.access.sees_server(server_id)
    }

    fn sees_all_tools(&self, server_id: &str) -> Option<bool> {
        if !self.access.sees_all_tools(server_id)? {
            return Some(false);
        }
        // The searched index may be newer than this view, and have tools with other needs.
        if !Arc::ptr_eq(&self.tools, &self.offered.table.load()) {
            return None;
        }
        let rights = &self.offered.rights;
        if rights.definitions.may_hold(server_id) || rights.stopped.has(server_id) {
            return None;
        }
        let permissions = self.tools.needs(server_id)?.permissions()?;
        self.offered.rights.permissions.has_all(server_id, permissions).then_some(true)
    }
}
