//! §3 The tools that wait for an operator's approval, for requests for tools.

use crate::{
    catalog::{tools::ToolTable, unavailable::lacking},
    rights::rights::Rights,
};
use arc_swap::ArcSwap;
use async_trait::async_trait;
use mgp_toolindex::request::Approvals;
use mgp_transport::seam::{ToolView, Visibility};
use mgp_types::{
    context::{Principal, ToolId},
    rpc::ErrorObject,
    tool_index::PendingPermission,
};
use std::sync::Arc;

/// The approvals of a kernel's operator.
#[derive(Debug, Clone)]
pub(crate) struct OperatorApprovals {
    pub(crate) rights: Arc<Rights>,
    pub(crate) table: Arc<ArcSwap<ToolTable>>,
}

#[async_trait]
impl Approvals for OperatorApprovals {
    fn waiting(&self, principal: &Principal) -> Arc<dyn ToolView> {
        Arc::new(PendingTools { access: self.rights.access.view(principal), approvals: self.clone() })
    }

    async fn open(&self, tool: &ToolId) -> Result<Vec<PendingPermission>, ErrorObject> {
        let permissions = &self.rights.permissions;
        let Some(entry) = self.table.load().entry(tool).cloned() else { return Ok(Vec::new()) };
        let mut open = Vec::new();
        for permission in &entry.profile.permissions {
            if permissions.waits(&tool.server_id, permission) {
                let row = permissions.open_question(&tool.server_id, permission).await?;
                open.push(PendingPermission {
                    permission: permission.as_str().to_owned(),
                    request_id: row.request_id,
                    state: permissions.state(&tool.server_id, permission),
                });
            }
        }
        Ok(open)
    }
}

/// The tools that wait for an operator, among those that access control lets an agent call. Access is checked first: an agent
/// must not even learn that somebody could approve a tool which the agent may not call.
struct PendingTools {
    access: Arc<dyn ToolView>,
    approvals: OperatorApprovals,
}

impl ToolView for PendingTools {
    fn sees(&self, tool: &ToolId) -> bool {
        let OperatorApprovals { rights, table } = &self.approvals;
        let waits = || {
            table
                .load()
                .entry(tool)
                .is_some_and(|entry| !entry.is_disabled() && lacking(&rights.permissions, entry).is_some())
        };
        self.access.sees(tool) && waits()
    }

    fn sees_server(&self, server_id: &str) -> bool {
        self.access.sees_server(server_id)
    }
}
