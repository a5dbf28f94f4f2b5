//! The notes in the answers to searches and requests, in addition to the tools. They contain the tools that wait for an
//! operator, the reasons for an empty result, the instructions of the tools' servers, and estimates.

use super::MetaTools;
use crate::catalog::{
    estimates::say_estimates,
    instructions::{self, Greeter, Room, without_tools},
    tools::Tools,
    unavailable::{MAX_WAITING, WaitingGroup, open_waiting, waiting_groups},
};
use mgp_toolindex::{
    catalogue::Catalogue,
    index::{FLOOR, Query, Search},
    session::ToolSession,
};
use mgp_transport::seam::{Incoming, ToolView};
use mgp_types::{
    context::{Principal, ToolId},
    json::RawJson,
    tool_index::{
        DiscoverToolsParams, DiscoverToolsResult, PendingApproval, RequestToolsResult, ToolIndexNotes,
        WaitingTools,
    },
};
use serde::Serialize;
use std::collections::HashSet;

/// The maximum number of waiting tools that are compared with the query.
const MAX_COMPARED: usize = 10;

/// Adds notes to the answer of a search.
pub(super) async fn of_search(
    MetaTools { greeter, quotas, .. }: &MetaTools,
    message: &Incoming,
    (principal, session): (&Principal, &ToolSession),
    params: &DiscoverToolsParams,
    result: &mut DiscoverToolsResult,
) {
    let Greeter { tools, rights, .. } = &**greeter;
    let mut notes = result.notes.take().unwrap_or_default();
    let mut groups = waiting_groups(rights, &tools.load(), Some(principal));
    let server_id = params.filter.as_ref().and_then(|filter| filter.server_id.as_deref());
    if result.tools.is_empty() {
        notes.hints.extend(without_tools(greeter, principal, server_id));
    }
    if let Some(server_id) = server_id {
        groups.retain(|group| &*group.server_id == server_id);
    }
    // If something was found, only tools that would also have been found.
    if !result.tools.is_empty() {
        let found = searched(&tools.names, params, &groups);
        groups.retain(|group| group.tools.iter().any(|tool| found.contains(tool)));
    }
    for group in groups.into_iter().take(MAX_WAITING) {
        let waiting = open_waiting(&rights.permissions, group).await;
        notes.hints.push(waiting.to_string());
        notes.waiting.push(waiting);
    }
    let mut room = room_beside(tools, principal, &result.tools, |tool| &*tool.name);
    say_estimates((tools, quotas), message, principal, &mut result.tools, &mut room).await;
    let shown = result.tools.iter().map(|tool| &*tool.server_id);
    introduce(greeter, session, shown, &mut room, &mut notes);
    result.notes = notes.some();
}

/// Adds notes to the answer of a request.
pub(super) async fn of_request(
    MetaTools { greeter, quotas, .. }: &MetaTools,
    message: &Incoming,
    (principal, session): (&Principal, &ToolSession),
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
        notes.hints.extend(without_tools(greeter, principal, None));
    }
    let mut room = room_beside(&greeter.tools, principal, &result.tools_loaded, |tool| &*tool.name);
    say_estimates((&greeter.tools, quotas), message, principal, &mut result.tools_loaded, &mut room).await;
    let shown = result.tools_loaded.iter().map(|tool| &*tool.server_id);
    introduce(greeter, session, shown, &mut room, &mut notes);
    result.notes = notes.some();
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

/// A view of only some tools.
struct OneOf(HashSet<ToolId>);

impl ToolView for OneOf {
    fn sees(&self, tool: &ToolId) -> bool {
        self.0.contains(tool)
    }

    fn sees_server(&self, _: &str) -> bool {
        false
    }
}

/// Returns the part of a search's budget that the shown tools leave.
fn room_beside<T: Serialize>(
    tools: &Tools,
    principal: &Principal,
    shown: &[T],
    name: impl Fn(&T) -> &str,
) -> Room {
    let catalogue = tools.names.view();
    let named = shown.iter().filter_map(|tool| catalogue.named(catalogue.resolve(name(tool))?));
    let budget = tools.sessions.budget();
    let room = tools.sessions.discovery_room(principal, true);
    let mut taken: u64 = named.map(|tool| budget.tokens(&tool, true)).sum();
    if taken > room {
        // A part of some tools is shown.
        let texts = shown.iter().filter_map(|tool| RawJson::from_value(tool).ok());
        taken = texts.map(|text| budget.counter().count(text.as_str())).sum();
    }
    Room::new(room.saturating_sub(taken), budget.counter().clone())
}

/// Adds the instructions of the shown tools' servers, each once per session, within the budget.
fn introduce<'a>(
    Greeter { servers, tools, settings, .. }: &Greeter,
    session: &ToolSession,
    shown: impl Iterator<Item = &'a str>,
    room: &mut Room,
    notes: &mut ToolIndexNotes,
) {
    let mut allowed = Room::new(settings.tokens, tools.sessions.budget().counter().clone());
    let mut seen = HashSet::new();
    for server_id in shown.filter(|server| seen.insert(*server)) {
        let Some(text) = instructions::of_server(servers, server_id) else { continue };
        if !session.introduce(server_id) {
            continue;
        }
        if allowed.holds(&text) && room.takes(&text) {
            allowed.takes(&text);
            notes.instructions.insert(server_id.to_owned(), text.to_string());
        } else {
            notes.hints.push(format!(
                "the instructions of `{server_id}` are left out: they take more tokens than kernel.instructions_tokens \
                 and the room of a search leave"
            ));
        }
    }
}
