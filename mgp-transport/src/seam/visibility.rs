//! The visibility of tools to principals.

use mgp_types::context::{Principal, ToolId};
use std::{fmt, sync::Arc};

/// The right to see tools: which tools a principal may see. Access control implements this trait; lists and the tool index filter by it.
pub trait Visibility: fmt::Debug + Send + Sync + 'static {
    /// Returns the tools that a principal sees at this moment: one consistent view for a whole list or search.
    fn view(&self, principal: &Principal) -> Arc<dyn ToolView>;
}

/// The tools and servers that one principal sees.
pub trait ToolView: Send + Sync {
    /// Returns `true` if the principal may see, and so call, a tool.
    fn sees(&self, tool: &ToolId) -> bool;

    /// Returns `true` if the principal may use the other features of a server: resources, prompts, completions.
    fn sees_server(&self, server_id: &str) -> bool;

    /// Returns the answer of [`sees`](Self::sees) for all tools of a server, if it is the same for each; `None` if each tool has
    /// to be checked. For searches over very many tools.
    fn sees_all_tools(&self, server_id: &str) -> Option<bool> {
        let _ = server_id;
        None
    }
}

/// A visibility that shows everything to everybody, for a client of one server, which has no access control.
#[derive(Debug, Clone, Copy, Default)]
pub struct FullVisibility;

impl Visibility for FullVisibility {
    fn view(&self, _: &Principal) -> Arc<dyn ToolView> {
        Arc::new(Self)
    }
}

impl ToolView for FullVisibility {
    fn sees(&self, _: &ToolId) -> bool {
        true
    }
    fn sees_server(&self, _: &str) -> bool {
        true
    }
    fn sees_all_tools(&self, _: &str) -> Option<bool> {
        Some(true)
    }
}

/// The view of a principal that may see nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct EmptyView;

impl ToolView for EmptyView {
    fn sees(&self, _: &ToolId) -> bool {
        false
    }
    fn sees_server(&self, _: &str) -> bool {
        false
    }
    fn sees_all_tools(&self, _: &str) -> Option<bool> {
        Some(false)
    }
}
