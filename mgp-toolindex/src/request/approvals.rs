//! What waits for a permission, which another section knows (§3).

use async_trait::async_trait;
use mgp_transport::seam::{Nothing, ToolView};
use mgp_types::{
    context::{Principal, ToolId},
    rpc::ErrorObject,
    tool_index::PendingPermission,
};
use std::{fmt, sync::Arc};

/// Knows which tools wait for a permission, and has somebody asked. The kernel's permissions do.
#[async_trait]
pub trait Approvals: fmt::Debug + Send + Sync + 'static {
    /// The tools that a principal could call if somebody approved what they need. It shows none that access control keeps from the
    /// principal: to who asks, those do not exist.
    fn waiting(&self, principal: &Principal) -> Arc<dyn ToolView>;

    /// Opens a question for every permission that a tool needs and nobody has decided, so that the operator sees it; and returns
    /// them. Opening one twice is opening it once.
    ///
    /// # Errors
    /// -32603 where it cannot be kept.
    async fn open(&self, tool: &ToolId) -> Result<Vec<PendingPermission>, ErrorObject>;
}

/// For programs without permissions: nothing waits.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoApprovals;

#[async_trait]
impl Approvals for NoApprovals {
    fn waiting(&self, _: &Principal) -> Arc<dyn ToolView> {
        Arc::new(Nothing)
    }

    async fn open(&self, _: &ToolId) -> Result<Vec<PendingPermission>, ErrorObject> {
        Ok(Vec::new())
    }
}
