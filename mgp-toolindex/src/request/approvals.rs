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
    /// Returns the tools that a principal could call if the permissions they need were approved. Tools that access control hides
    /// from the principal are not included: for the principal, they do not exist.
    fn waiting(&self, principal: &Principal) -> Arc<dyn ToolView>;

    /// Opens a request for every undecided permission that a tool needs, so that the operator sees it. Returns these permissions.
    /// Opening a request twice has the same effect as opening it once.
    ///
    /// # Errors
    /// Returns -32603 if a request cannot be stored.
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
