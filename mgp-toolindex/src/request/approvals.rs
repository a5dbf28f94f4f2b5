//! Tools that wait for a permission (§3), which is decided outside this crate.

use async_trait::async_trait;
use mgp_transport::seam::{EmptyView, ToolView};
use mgp_types::{
    context::{Principal, ToolId},
    rpc::ErrorObject,
    tool_index::PendingPermission,
};
use std::{fmt, sync::Arc};

/// The tools that wait for a permission, and the way to ask for its approval. The kernel's permissions implement this trait.
#[async_trait]
pub trait Approvals: fmt::Debug + Send + Sync + 'static {
    /// Returns the tools that a principal could call if the permissions they need were approved. The view shows no tool that
    /// access control keeps from the principal: for the principal, such a tool does not exist.
    fn waiting(&self, principal: &Principal) -> Arc<dyn ToolView>;

    /// Opens a request for every permission that a tool needs and that is not decided yet, so that the operator sees it, and
    /// returns these permissions. Opening a request twice has the effect of opening it once.
    ///
    /// # Errors
    /// -32603 if a request cannot be stored.
    async fn open(&self, tool: &ToolId) -> Result<Vec<PendingPermission>, ErrorObject>;
}

/// Approvals without waiting tools, for programs without permissions.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoApprovals;

#[async_trait]
impl Approvals for NoApprovals {
    fn waiting(&self, _: &Principal) -> Arc<dyn ToolView> {
        Arc::new(EmptyView)
    }

    async fn open(&self, _: &ToolId) -> Result<Vec<PendingPermission>, ErrorObject> {
        Ok(Vec::new())
    }
}
