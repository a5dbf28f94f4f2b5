//! §11.3 The kernel's health, as its callers are shown it.

use super::{rights::Rights, tools::Tools};
use mgp_lifecycle::health::{Health, ToolCounts};
use mgp_transport::seam::Visibility;
use mgp_types::context::Principal;
use std::sync::Arc;

/// Returns the kernel's health as a caller is shown it, with the number of tools that the caller may use; an operator may use all.
pub(super) fn health_for(
    health: Health,
    rights: Arc<Rights>,
    tools: Arc<Tools>,
    caller: Principal,
) -> Health {
    health.tools(move || {
        let (access, offered) = (rights.access.view(&caller), tools.offered.view(&caller));
        let tools = tools.load();
        let mut counts = ToolCounts { available: 0, total: 0 };
        for entry in tools.entries() {
            let is_up = entry.server.link().is_some();
            counts.total += u64::from(caller.is_admin() || access.sees(&entry.id));
            counts.available += u64::from(is_up && (caller.is_admin() || offered.sees(&entry.id)));
        }
        counts
    })
}
