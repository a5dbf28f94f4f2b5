//! `tools/list`: the tools that a host is shown, in its mode of exposure and within its agent's rights.

use super::{
    core::Core,
    page::page,
    tasks::say_support,
    tool_index::{ShownOfSession, shown_of_session},
};
use mgp_toolindex::exposure::{ListSettings, list};
use mgp_transport::seam::{Incoming, Reply, Visibility};
use mgp_types::context::Principal;

/// Answers `tools/list`, in one page.
pub(super) async fn list_tools(core: &Core, caller: &Principal, message: &Incoming) -> Reply {
    let ShownOfSession { cached, with_security, with_handles } =
        shown_of_session(core, caller, message).await;
    let listing = ListSettings {
        exposure: core.exposure,
        pinned: core.pinned.clone(),
        cached,
        with_security,
        with_handles,
    };
    let mut tools = list(&core.tools.load().names, &*core.offered.view(caller), &listing);
    say_support(core, message, &mut tools);
    page("tools", &tools)
}
