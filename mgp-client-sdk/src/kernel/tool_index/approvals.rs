//! §3 The tools that wait for an operator's approval, for requests of tools.

use super::waiting::lacking;
use crate::kernel::core::Core;
use async_trait::async_trait;
use mgp_toolindex::request::Approvals;
use mgp_transport::seam::{ToolView, Visibility};
use mgp_types::{
    context::{Principal, ToolId},
    rpc::ErrorObject,
    tool_index::PendingPermission,
};
use std::{
    fmt,
    sync::{Arc, Weak},
};

/// The approvals of a kernel's operator.
#[derive(Clone)]
pub(in crate::kernel) struct OperatorApprovals {
    core: Weak<Core>,
}

impl OperatorApprovals {
    pub(in crate::kernel) fn new(core: Weak<Core>) -> Self {
        Self { core }
    }
}

#[async_trait]
impl Approvals for OperatorApprovals {
    fn waiting(&self, principal: &Principal) -> Arc<dyn ToolView> {
        let core = self.core.upgrade();
        let access = core.as_ref().map(|core| core.access.view(principal));
        Arc::new(PendingTools { core, access })
    }

    async fn open(&self, tool: &ToolId) -> Result<Vec<PendingPermission>, ErrorObject> {
        let Some(core) = self.core.upgrade() else { return Ok(Vec::new()) };
        let Some(entry) = core.tools.load().entry(tool).cloned() else { return Ok(Vec::new()) };
        let mut open = Vec::new();
        for permission in &entry.profile.permissions {
            if core.permissions.waits(&tool.server_id, permission) {
                let row = core.permissions.open_question(&tool.server_id, permission).await?;
                open.push(PendingPermission {
                    permission: permission.as_str().to_owned(),
                    request_id: row.request_id,
                    state: core.permissions.state(&tool.server_id, permission),
                });
            }
        }
        Ok(open)
    }
}

/// The tools that wait for an operator, among those that access control lets an agent call. Access comes first: an agent must not
/// even learn that somebody could approve a tool which the agent may not call.
struct PendingTools {
    core: Option<Arc<Core>>,
    access: Option<Arc<dyn ToolView>>,
}

impl ToolView for PendingTools {
    fn sees(&self, tool: &ToolId) -> bool {
        let (Some(core), Some(access)) = (&self.core, &self.access) else { return false };
        let waits = || core.tools.load().entry(tool).is_some_and(|entry| lacking(core, entry).is_some());
        access.sees(tool) && waits()
    }

    fn sees_server(&self, server_id: &str) -> bool {
        self.access.as_ref().is_some_and(|access| access.sees_server(server_id))
    }
}

impl fmt::Debug for OperatorApprovals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OperatorApprovals")
    }
}
