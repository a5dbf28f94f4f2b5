//! The notes in the answers to searches and requests, beside the tools: the tools that wait for an operator, the reasons why
//! nothing was found, and the instructions of the tools' servers.

use super::{
    closed::{ClosedTools, closed_servers, closed_tools},
    waiting::{WaitingGroup, open, waiting_groups},
};
use crate::kernel::{core::Core, instructions, tools::Tools};
use mgp_toolindex::{
    catalogue::Catalogue,
    index::{FLOOR, Query, Search},
    session::ToolSession,
};
use mgp_transport::seam::{ToolView, Visibility};
use mgp_types::{
    context::{Principal, ToolId},
    tool_index::{
        DiscoverToolsParams, DiscoverToolsResult, PendingApproval, RequestToolsResult, ToolIndexNotes,
        WaitingTools,
    },
};
use std::collections::HashSet;

/// The most groups of waiting tools that one answer names; they take tokens of a model's context.
pub(in crate::kernel) const MAX_WAITING: usize = 8;

/// The most waiting tools that are compared with what was searched for.
const MAX_COMPARED: usize = 10;

/// Adds notes to the answer of a search.
pub(super) async fn of_search(
    core: &Core,
    principal: &Principal,
    session: &ToolSession,
    params: &DiscoverToolsParams,
    result: &mut DiscoverToolsResult,
) {
    let mut notes = result.notes.take().unwrap_or_default();
    let mut groups = waiting_groups(&core.rights, &core.tools.load(), Some(principal));
    let server_id = params.filter.as_ref().and_then(|filter| filter.server_id.as_deref());
    if result.tools.is_empty() {
        notes.hints.extend(without_tools(core, principal, server_id));
    }
    if let Some(server_id) = server_id {
        groups.retain(|group| &*group.server_id == server_id);
    }
    // If something was found, only tools that would have been found beside it.
    if !result.tools.is_empty() {
        let found = searched(&core.tools.names, params, &groups);
        groups.retain(|group| group.tools.iter().any(|tool| found.contains(tool)));
    }
    for group in groups.into_iter().take(MAX_WAITING) {
        let waiting = open(&core.rights.permissions, group).await;
        notes.hints.push(waiting.to_string());
        notes.waiting.push(waiting);
    }
    let shown = result.tools.iter().map(|tool| (&*tool.name, &*tool.server_id));
    introduce(core, principal, session, shown, &mut notes);
    result.notes = notes.some();
}

/// Adds notes to the answer of a request.
pub(super) fn of_request(
    core: &Core,
    principal: &Principal,
    session: &ToolSession,
    result: &mut RequestToolsResult,
) {
    let mut notes = result.notes.take().unwrap_or_default();
    for PendingApproval { server_id, permissions, .. } in notes.pending_approvals.clone() {
        let hint = WaitingTools { server_id, tools: 1, permissions }.to_string();
        if !notes.hints.contains(&hint) {
            notes.hints.push(hint);
        }
    }
    if result.tools_loaded.is_empty() && notes.pending_approvals.is_empty() {
        notes.hints.extend(without_tools(core, principal, None));
    }
    let shown = result.tools_loaded.iter().map(|tool| (&*tool.name, &*tool.server_id));
    introduce(core, principal, session, shown, &mut notes);
    result.notes = notes.some();
}

/// Returns the reasons why a principal finds no tool: the tools and servers that are closed to it, only those of `server_id` if one
/// is given; or that it may use no tool at all. Returns nothing if no tools are closed, and some are open or wait.
pub(in crate::kernel) fn without_tools(
    core: &Core,
    principal: &Principal,
    server_id: Option<&str>,
) -> Vec<String> {
    let (rights, table) = (&core.rights, core.tools.table.load_full());
    let mut closed = closed_tools(rights, &table, Some(principal));
    closed.extend(closed_servers(rights, &table, &core.servers, principal));
    if closed.is_empty()
        && waiting_groups(rights, &table, Some(principal)).is_empty()
        && !is_offered_any(&core.tools, principal)
    {
        return vec![instructions::nothing(core.hosts.instructions(), principal)];
    }
    closed.retain(|closed| server_id.is_none_or(|id| *closed.server_id == *id));
    closed.into_iter().take(MAX_WAITING).map(|ClosedTools { reason, .. }| reason).collect()
}

fn is_offered_any(tools: &Tools, principal: &Principal) -> bool {
    let view = tools.offered.view(principal);
    tools.load().names.iter().any(|named| view.sees(named.tool.id()))
}

/// Returns the waiting tools that a search would find if they did not wait.
fn searched(names: &Catalogue, params: &DiscoverToolsParams, groups: &[WaitingGroup]) -> HashSet<ToolId> {
    let (Ok(query), false) = (Query::new(&params.query), groups.is_empty()) else { return HashSet::new() };
    let view = OneOf(groups.iter().flat_map(|group| group.tools.iter().cloned()).collect());
    let search = Search { limit: MAX_COMPARED, ..Search::new(query) };
    match names.index().search(&search, &view) {
        Ok(found) => {
            let serves = found.hits.into_iter().filter(|hit| hit.relevance() >= FLOOR);
            serves.map(|hit| hit.tool.id().clone()).collect()
        }
        Err(error) => {
            tracing::error!(%error, "the tool index cannot be searched");
            HashSet::new()
        }
    }
}

/// A view of some tools, and of nothing else.
struct OneOf(HashSet<ToolId>);

impl ToolView for OneOf {
    fn sees(&self, tool: &ToolId) -> bool {
        self.0.contains(tool)
    }

    fn sees_server(&self, _: &str) -> bool {
        false
    }
}

/// Adds the instructions of the servers of the shown tools (pairs of name and server), each once in a session, within the part of a
/// search's budget that the tools leave.
fn introduce<'a>(
    core: &Core,
    principal: &Principal,
    session: &ToolSession,
    shown: impl Iterator<Item = (&'a str, &'a str)>,
    notes: &mut ToolIndexNotes,
) {
    let shown: Vec<_> = shown.collect();
    let catalogue = core.tools.names.view();
    let named = shown.iter().filter_map(|(name, _)| catalogue.named(catalogue.resolve(name)?));
    let taken: u64 = named.map(|tool| core.tools.sessions.budget().tokens(&tool, true)).sum();
    let left = core.tools.sessions.discovery_room(principal, true).saturating_sub(taken);
    let mut room = instructions::Room::new(
        left.min(core.hosts.instructions().tokens),
        core.tools.sessions.budget().counter().clone(),
    );
    let mut seen = HashSet::new();
    let servers = shown.iter().map(|(_, server)| *server).filter(|server| seen.insert(*server));
    for server_id in servers {
        let Some(text) = instructions::of_server(&core.servers, server_id) else { continue };
        if !session.introduce(server_id) {
            continue;
        }
        if room.takes(&text) {
            notes.instructions.insert(server_id.to_owned(), text.to_string());
        } else {
            notes.hints.push(format!(
                "the instructions of `{server_id}` are left out: they take more tokens than kernel.instructions_tokens \
                 and the room of a search leave"
            ));
        }
    }
}
