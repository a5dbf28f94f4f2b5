//! The tools that are offered to each principal: those that access control lets an agent see, except those that wait for a permission.

use super::{core::Core, tools::ToolTable};
use mgp_security::{access::AccessControl, permission::Permissions};
use mgp_transport::seam::{EmptyView, ToolView, Visibility};
use mgp_types::context::{Principal, ToolId};
use std::{
    fmt,
    sync::{Arc, Weak},
};

/// The tools that are offered to each principal. Lists and searches show no others.
#[derive(Clone)]
pub(crate) struct OfferedTools {
    core: Weak<Core>,
}

impl OfferedTools {
    pub(crate) fn new(core: Weak<Core>) -> Self {
        Self { core }
    }
}

/// Has the hosts told whenever rules or decisions have changed what is offered, until the kernel is gone.
pub(crate) async fn tell_of_new_rights(core: Weak<Core>, access: AccessControl, permissions: Permissions) {
    let (mut rules, mut decisions) = (access.changes(), permissions.decisions());
    drop((access, permissions));
    loop {
        let (changed, by_rule) = tokio::select! {
            changed = rules.changed() => (changed, true),
            changed = decisions.changed() => (changed, false),
        };
        match core.upgrade() {
            Some(core) if changed.is_ok() => {
                core.shown_tools_changed();
                // Resources and prompts need no permission, only a rule for their server.
                if by_rule {
                    core.shown_offers_changed();
                }
            }
            _ => return,
        }
    }
}

impl fmt::Debug for OfferedTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Offered")
    }
}

impl Visibility for OfferedTools {
    fn view(&self, principal: &Principal) -> Arc<dyn ToolView> {
        match self.core.upgrade() {
            Some(core) => {
                let access = core.access.view(principal);
                let tools = core.tools.load_full();
                Arc::new(OfferedView { access, tools, core })
            }
            // Nothing is seen of a kernel that is gone.
            None => Arc::new(EmptyView),
        }
    }
}

struct OfferedView {
    access: Arc<dyn ToolView>,
    /// One table for a whole list or search.
    tools: Arc<ToolTable>,
    core: Arc<Core>,
}

impl ToolView for OfferedView {
    fn sees(&self, tool: &ToolId) -> bool {
        self.access.sees(tool)
            && self.tools.entry(tool).is_some_and(|entry| {
                entry.profile.invalid_permissions.is_empty()
                    && self.core.permissions.has_all(&tool.server_id, &entry.profile.permissions)
            })
    }

    fn sees_server(&self, server_id: &str) -> bool {
        self.access.sees_server(server_id)
    }

    fn sees_all_tools(&self, server_id: &str) -> Option<bool> {
        if !self.access.sees_all_tools(server_id)? {
            return Some(false);
        }
        // What is searched may be newer than this view, and have tools that need more than is known here.
        if !Arc::ptr_eq(&self.tools, &self.core.tools.load()) {
            return None;
        }
        let permissions = self.tools.needs(server_id)?.permissions()?;
        self.core.permissions.has_all(server_id, permissions).then_some(true)
    }
}
