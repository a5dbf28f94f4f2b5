//! MCP Apps in lists of tools: hosts with apps also get the tools that only pages call, other hosts no settings for apps.

use super::tools::{ToolEntry, ToolTable, Tools, may_have_app_settings, strip_app_settings};
use mgp_transport::seam::Session;
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    mcp::ClientCapabilities,
};

/// Returns whether the host of a session shows the pages of MCP Apps.
pub(crate) fn shows_apps(session: &Session) -> bool {
    session.read(ClientCapabilities::shows_apps).unwrap_or(false)
}

/// Adds the tools that only pages call to a list for a host with apps, which keeps them from its model. Removes the settings for apps from
/// a list for another host, and from tools of servers whose apps do not pass.
pub(super) fn fit_to_apps(
    tools: &Tools,
    table: &ToolTable,
    (principal, session): (&Principal, Option<&Session>),
    with_security: bool,
    shown: &mut Vec<RawJson>,
) {
    if !table.has_apps() {
        return;
    }
    let shows = session.is_some_and(shows_apps);
    let passes = |tool: &RawJson| {
        let name = RawObject::from_json(tool).ok().and_then(|tool| tool.text("name"));
        name.and_then(|name| table.resolve(&name)).is_some_and(|entry| entry.passes_apps())
    };
    for tool in shown.iter_mut().filter(|tool| may_have_app_settings(tool)) {
        if !shows || !passes(tool) {
            strip_app_settings(tool);
        }
    }
    if !shows {
        return;
    }
    let view = tools.offered.view_for_pages(principal);
    let of_pages = |entry: &&ToolEntry| entry.is_for_pages_only() && view.sees(&entry.id);
    let named = table.entries().map(|entry| &**entry).filter(of_pages);
    let mut named: Vec<_> = named.filter_map(|entry| table.names.named(&entry.id)).collect();
    named.sort_by(|a, b| a.name.cmp(&b.name));
    shown.extend(named.into_iter().map(|named| named.tool.shown_as(&named.name, with_security)));
}
