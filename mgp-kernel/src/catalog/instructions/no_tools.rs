//! The reasons why a caller finds no tool.

use super::{Greeter, Settings};
use crate::{
    catalog::{
        tools::Tools,
        unavailable::{ClosedTools, MAX_WAITING, closed_servers, closed_tools, waiting_groups},
    },
    command_word,
};
use mgp_transport::seam::Visibility;
use mgp_types::context::Principal;

/// Returns the reasons why a principal finds no tool: the tools and servers that are closed to it, only those of `server_id` if one
/// is given; or that it may use no tool at all. Returns nothing if no tools are closed, and some are open or wait.
pub(in crate::catalog) fn without_tools(
    Greeter { servers, tools, rights, settings, .. }: &Greeter,
    principal: &Principal,
    server_id: Option<&str>,
) -> Vec<String> {
    let table = tools.table.load_full();
    let mut closed = closed_tools(rights, &table, Some(principal));
    closed.extend(closed_servers(rights, &table, servers, principal));
    if closed.is_empty()
        && waiting_groups(rights, &table, Some(principal)).is_empty()
        && !is_offered_any(tools, principal)
    {
        return vec![nothing(settings, principal)];
    }
    closed.retain(|closed| server_id.is_none_or(|id| *closed.server_id == *id));
    closed.into_iter().take(MAX_WAITING).map(|ClosedTools { reason, .. }| reason).collect()
}

fn is_offered_any(tools: &Tools, principal: &Principal) -> bool {
    let view = tools.offered.view(principal);
    tools.load().names.iter().any(|named| view.sees(named.tool.id()))
}

/// Returns the text for a caller that may use no server. It reveals nothing about servers that the caller may not
/// see.
fn nothing(settings: &Settings, principal: &Principal) -> String {
    settings.unconfigured.clone().unwrap_or_else(|| {
        let agent = principal.id();
        format!(
            "Agent {agent:?} may use no tool behind this gateway: the operator lets it use a server with `mgp access grant {} \
             SERVER`.",
            command_word(agent)
        )
    })
}
