//! The tools, as rights need them.

use mgp_types::{
    context::ToolId,
    permission::{GrantScope, Permission},
    tool_security::ToolProfile,
};
use std::sync::Arc;

/// The current tools of all servers, as rights need them.
pub(crate) trait CurrentTools: Send + Sync {
    /// Returns whether there is a tool with this id and this profile.
    fn has_profile(&self, tool: &ToolId, profile: &Arc<ToolProfile>) -> bool;

    /// Checks that the server of a tool enforces the limits of an approval. An unknown tool has no server, and passes.
    ///
    /// # Errors
    /// The second half of a sentence with the reason why the limits are not enforced.
    fn enforces_limits(
        &self,
        tool: &ToolId,
        permission: &Permission,
        limits: &GrantScope,
    ) -> Result<(), &'static str>;
}
