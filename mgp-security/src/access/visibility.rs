//! What an agent sees of lists and searches.

use super::{AccessControl, snapshot::Snapshot};
use mgp_transport::seam::{ToolView, Visibility};
use mgp_types::{
    access::AccessSource,
    context::{Principal, ToolId},
};
use std::sync::Arc;

impl Visibility for AccessControl {
    fn view(&self, principal: &Principal) -> Arc<dyn ToolView> {
        Arc::new(View { snapshot: self.snapshot(), principal: principal.clone() })
    }
}

/// What one agent sees, by the rules of one moment.
struct View {
    snapshot: Arc<Snapshot>,
    principal: Principal,
}

impl ToolView for View {
    fn sees(&self, tool: &ToolId) -> bool {
        self.snapshot.judge_tool(self.principal.id(), tool).allows()
    }

    /// Resources, prompts and completions need a rule for the server: a default policy does not open them.
    fn sees_server(&self, server_id: &str) -> bool {
        let judgement = self.snapshot.judge(self.principal.id(), server_id, None, jiff::Timestamp::now);
        judgement.allows() && judgement.source == AccessSource::ServerGrant
    }

    fn sees_all_tools(&self, server_id: &str) -> Option<bool> {
        Some(self.snapshot.judge_all_tools(self.principal.id(), server_id)?.allows())
    }
}
