//! The servers and tools that a principal sees in lists and searches.

use super::{AccessControl, key_scope::ToolScopes, policy::ToolUse, snapshot::Snapshot};
use mgp_transport::seam::{ToolView, Visibility};
use mgp_types::{
    access::AccessSource,
    context::{Principal, ToolId},
};
use std::sync::Arc;

impl Visibility for AccessControl {
    fn view(&self, principal: &Principal) -> Arc<dyn ToolView> {
        let scopes = principal.key_scopes().map(ToolScopes::of);
        Arc::new(View { snapshot: self.snapshot(), principal: principal.clone(), scopes })
    }
}

/// The view of one principal, by the rules at one moment.
struct View {
    snapshot: Arc<Snapshot>,
    principal: Principal,
    /// The scopes of the principal's API key; `None` if the view is not narrowed.
    scopes: Option<ToolScopes>,
}

impl ToolView for View {
    fn sees(&self, tool: &ToolId) -> bool {
        let allows = |scopes: &ToolScopes| scopes.allow(tool, || self.snapshot.reads_only(tool, None));
        self.scopes.as_ref().is_none_or(allows)
            && self
                .snapshot
                .authorize(&self.principal, &tool.server_id, ToolUse::any(&tool.tool_name))
                .is_ok()
    }

    /// Returns whether a rule allows the server: neither a policy nor a default policy allows resources, prompts and completions.
    fn sees_server(&self, server_id: &str) -> bool {
        let allows = |agent| {
            let judgement = self.snapshot.judge(agent, server_id, None, jiff::Timestamp::now);
            judgement.allows() && judgement.source == AccessSource::ServerGrant
        };
        self.scopes.as_ref().is_none_or(|scopes| scopes.allow_server(server_id))
            && self.principal.parties().all(allows)
    }

    fn sees_all_tools(&self, server_id: &str) -> Option<bool> {
        if self.snapshot.session_of(server_id).is_some() {
            return None;
        }
        let mut all = self.scopes.as_ref().map_or(Some(true), |scopes| scopes.allow_all_tools(server_id));
        if all == Some(false) {
            return all;
        }
        for agent in self.principal.parties() {
            match self.snapshot.judge_all_tools(agent, server_id) {
                Some(judgement) if judgement.allows() => {}
                // If one of the agents may use no tool of the server, the principal may use none.
                Some(_) => return Some(false),
                None => all = None,
            }
        }
        all
    }
}
