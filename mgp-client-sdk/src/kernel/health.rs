//! §11.3 The kernel's health, as its callers are shown it.

use super::core::Core;
use mgp_lifecycle::health::{Health, ToolCounts};
use mgp_transport::seam::{Routes, Visibility};
use mgp_types::context::Principal;
use std::sync::Arc;

/// Returns the methods that report the kernel's health.
pub(super) fn routes() -> Routes<Arc<Core>> {
    Health::routes().map_state(|core, message| Ok(health_for(core, message.caller()?)))
}

/// Returns the kernel's health as a caller is shown it, with the number of tools that the caller may use; an operator may use all.
fn health_for(core: &Arc<Core>, caller: Principal) -> Health {
    let core = core.clone();
    core.health.clone().tools(move || {
        let (access, offered) = (core.access.view(&caller), core.offered.view(&caller));
        let tools = core.tools.load();
        let mut counts = ToolCounts { available: 0, total: 0 };
        for entry in tools.entries() {
            let is_up = entry.server.link().is_some();
            counts.total += u64::from(caller.is_admin() || access.sees(&entry.id));
            counts.available += u64::from(is_up && (caller.is_admin() || offered.sees(&entry.id)));
        }
        counts
    })
}
