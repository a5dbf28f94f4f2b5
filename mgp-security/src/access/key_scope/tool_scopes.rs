//! The parsed scopes of one API key.

use super::ToolScope;
use mgp_types::context::{KeyScopes, ToolId};

/// The scopes of one API key. Unreadable scopes are left out, so that they allow nothing.
#[derive(Debug)]
pub(in crate::access) struct ToolScopes(Vec<ToolScope>);

impl ToolScopes {
    pub(in crate::access) fn of(key: &KeyScopes) -> Self {
        Self(key.iter().filter_map(|scope| scope.parse().ok()).collect())
    }

    /// Returns whether a scope allows a tool. `reads_only` returns whether the tool is known to change nothing.
    pub(in crate::access) fn allow(&self, tool: &ToolId, reads_only: impl FnOnce() -> bool) -> bool {
        let mut about = self.0.iter().filter(|scope| scope.is_about(tool)).peekable();
        about.peek().is_some() && (about.any(|scope| !scope.is_for_reading()) || reads_only())
    }

    /// Returns whether a scope is about a tool, for reading or for writing.
    pub(in crate::access) fn mentions(&self, tool: &ToolId) -> bool {
        self.0.iter().any(|scope| scope.is_about(tool))
    }

    /// Returns whether a scope allows the resources, prompts and completions of a server, which change nothing.
    pub(in crate::access) fn allow_server(&self, server_id: &str) -> bool {
        self.0.iter().any(|scope| scope.is_about_server(server_id))
    }

    /// Returns the answer of [`allow`](Self::allow) for all tools of a server, if it is the same for each.
    pub(in crate::access) fn allow_all_tools(&self, server_id: &str) -> Option<bool> {
        let mut about = self.0.iter().filter(|scope| scope.is_about_tools_of(server_id)).peekable();
        match about.peek() {
            None => Some(false),
            Some(_) => {
                about.any(|scope| scope.is_about_server(server_id) && !scope.is_for_reading()).then_some(true)
            }
        }
    }
}
