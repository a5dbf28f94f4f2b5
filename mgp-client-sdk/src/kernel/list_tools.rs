//! `tools/list`: the tools that a host is shown, in its mode of exposure and within its agent's rights.

use super::{
    core::Core,
    page::page,
    tasks::say_support,
    tool_index::{ShownOfSession, shown_of_session},
};
use mgp_toolindex::exposure::{ListSettings, list};
use mgp_transport::seam::{Incoming, Reply, Role, RouteError, Routes, Visibility};
use mgp_types::mcp::ListTools;
use std::sync::Arc;

/// Returns `tools/list`.
pub(super) fn routes() -> Routes<Arc<Core>> {
    Routes::new().route(ListTools, Role::Anyone, list_tools)
}

/// Answers `tools/list`, in one page.
async fn list_tools(core: Arc<Core>, message: Incoming) -> Result<Reply, RouteError> {
    core.first_starts().await;
    let caller = message.caller()?;
    let ShownOfSession { cached, with_security, with_handles } =
        shown_of_session(&core, &caller, &message).await;
    let listing = ListSettings {
        exposure: core.exposure,
        pinned: core.pinned.clone(),
        cached,
        with_security,
        with_handles,
    };
    let mut tools = list(&core.tools.load().names, &*core.offered.view(&caller), &listing);
    say_support(&core, &message, &mut tools);
    Ok(page("tools", &tools))
}
