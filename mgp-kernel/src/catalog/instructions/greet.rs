//! The whole text of the instructions for one caller.

use super::{
    Room, Settings,
    closed::closed_offers,
    no_tools::without_tools,
    overview::{overview, servers, text},
    questions::without_questions,
};
use crate::{
    catalog::{
        tools::Tools,
        unavailable::{MAX_WAITING, closed_tools, open_waiting, waiting_groups},
    },
    host::Instructions,
    rights::rights::Rights,
    upstream::{passed_from, servers::Servers, united},
};
use async_trait::async_trait;
use mgp_toolindex::exposure::{DirectListing, Exposure};
use mgp_transport::seam::{Session, Visibility};
use mgp_types::{context::Principal, json::RawObject};
use std::{collections::HashSet, sync::Arc};

/// A writer of the instructions for hosts.
#[derive(Debug)]
pub(crate) struct Greeter {
    pub(crate) servers: Arc<Servers>,
    pub(crate) tools: Arc<Tools>,
    pub(crate) rights: Arc<Rights>,
    pub(crate) settings: Settings,
    /// True if the meta-tools may recommend servers of registries.
    pub(crate) recommends: bool,
}

#[async_trait]
impl Instructions for Greeter {
    fn extensions(&self, principal: &Principal) -> RawObject {
        let access = &self.rights.access;
        let servers = self.servers.load();
        let reached = servers.iter().filter(|server| access.allows_some(principal, server.id()));
        united(reached.filter_map(|server| passed_from(server)))
    }

    /// Waits a short time for servers without a known list, so that they are included.
    async fn text(
        &self,
        session: Option<&Session>,
        principal: Option<&Principal>,
        is_asked: bool,
    ) -> Option<String> {
        let Settings { own, unconfigured, tokens, wait, .. } = &self.settings;
        let mut parts: Vec<String> = [own, unconfigured].into_iter().flatten().cloned().collect();
        if let Some(principal) = principal.filter(|_| *tokens > 0) {
            // Slower servers can still be found later.
            let _ = tokio::time::timeout(*wait, self.servers.first_lists()).await;
            let of_servers = of_servers(self, principal, unconfigured.is_none()).await;
            if !is_asked {
                parts.extend(without_questions(self, principal, session));
            }
            parts.extend(closed_offers(&self.servers, &self.tools, principal));
            parts.extend(of_servers);
        }
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }
}

/// Returns the list of servers, and the servers' own instructions if their tools are listed at once.
async fn of_servers(greeter: &Greeter, principal: &Principal, is_configured: bool) -> Vec<String> {
    let lines = servers(greeter, principal);
    if lines.is_empty() {
        return if is_configured { without_tools(greeter, principal, None) } else { Vec::new() };
    }
    let Greeter { servers, tools, rights, settings, recommends } = greeter;
    let direct = tools.direct_listing(servers, principal, *recommends).await;
    let behind = match (tools.exposure, direct) {
        (Exposure::Full, _) | (_, DirectListing::WithoutMetaTools) => "Their tools are all in your list.",
        (_, DirectListing::BesideMetaTools) => {
            "Those of their tools that you may call are all in your list; mgp_tools_discover names others, and the approvals that they wait for."
        }
        (Exposure::Hybrid | Exposure::Category | Exposure::Discovery, DirectListing::Off) => {
            "Most of their tools are not in your list: find them with mgp_tools_discover, and call them with mgp_tools_call."
        }
    };
    let mut more = Vec::new();
    if tools.exposure == Exposure::Full {
        // A caller that is shown all tools at once does not search for waiting or closed ones.
        let table = tools.table.load_full();
        for group in waiting_groups(rights, &table, Some(principal)).into_iter().take(MAX_WAITING) {
            more.push(format!("{}.", open_waiting(&rights.permissions, group).await));
        }
        for closed in closed_tools(rights, &table, Some(principal)).into_iter().take(MAX_WAITING) {
            more.push(format!("{closed}."));
        }
    }
    for server_id in listed_at_once(tools, principal, direct) {
        more.extend(
            of_server(servers, &server_id).map(|text| format!("`{server_id}` says of itself: {text}")),
        );
    }
    let bytes = text(&lines, lines.len(), behind).len() + more.iter().map(String::len).sum::<usize>();
    let budget = settings.tokens;
    if bytes as u64 > budget {
        tools.can_count().await;
    }
    let mut room = Room::new(budget, tools.sessions.budget().counter().clone());
    let Some(list) = overview(&lines, behind, &mut room) else { return Vec::new() };
    room.takes(&list);
    let mut parts = vec![list];
    parts.extend(more.into_iter().filter(|part| room.takes(part)));
    parts
}

/// Returns the servers with tools in every list of a caller, in their order.
fn listed_at_once(tools: &Tools, principal: &Principal, direct: DirectListing) -> Vec<Arc<str>> {
    let (view, names) = (tools.offered.view(principal), tools.load().names.clone());
    let pinned = tools.pinned.ids(&names);
    let mut seen = HashSet::new();
    let listed = names.iter().filter(|named| match tools.exposure {
        Exposure::Full => true,
        Exposure::Hybrid => direct != DirectListing::Off || pinned.contains(named.tool.id()),
        Exposure::Category | Exposure::Discovery => false,
    });
    let listed = listed.filter(|named| view.sees(named.tool.id()));
    listed.map(|named| named.tool.id().server_id.clone()).filter(|id| seen.insert(id.clone())).collect()
}

/// Returns a server's own instructions, while the server is connected, starts on demand, or is starting with a kept listing.
pub(crate) fn of_server(servers: &Servers, server_id: &str) -> Option<Arc<str>> {
    let servers = servers.load();
    let server = servers.iter().find(|server| server.id() == server_id)?;
    let greeting = server.current_greeting()?;
    greeting.instructions.as_deref().filter(|text| !text.trim().is_empty()).map(Arc::from)
}
