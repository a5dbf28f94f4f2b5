//! The tools of all servers: their table, their index, and the sessions of hosts that use them.

use super::{
    FewTools, LastChange, OfferedTools, SparedTokens, ToolTable, UnpinnedServers, judge,
    suspect::{names, suspect_event, suspicions},
    table::JudgedTool,
};
use crate::{
    ground::changes::Change,
    host::{Hosts, ListedTools},
    upstream::{ListedTool, Server},
};
use arc_swap::{ArcSwap, Guard};
use mgp_discovery::registry::Registry;
use mgp_security::definition::Occasion;
use mgp_toolindex::{
    catalogue::Catalogue,
    discover::Discovery,
    exposure::Exposure,
    index::IndexError,
    names::NameConflict,
    request::Requests,
    session::{Handles, PinnedTools, Sessions, ToolSession},
};
use mgp_transport::seam::Session;
use mgp_types::{
    context::{Principal, ToolId, TrustLevel},
    json::RawJson,
    tool_security::DefinitionHash,
};
use std::{collections::HashMap, fmt, sync::Arc};
use tokio::sync::{Mutex, OnceCell};

/// The tools of all servers, which hosts find, load and call.
pub(crate) struct Tools {
    pub(crate) table: Arc<ArcSwap<ToolTable>>,
    /// The tools that are offered to each principal.
    pub(crate) offered: Arc<OfferedTools>,
    pub(crate) exposure: Exposure,
    /// True if the arguments of every call are checked against the schema of the call's tool.
    pub(crate) checks_arguments: bool,
    /// Tools that hosts are always shown, by their names for hosts, or as `server__tool`.
    pub(crate) pinned: PinnedTools,
    /// The tools' names for hosts, and the index over the tools.
    pub(crate) names: Catalogue,
    pub(crate) discovery: Discovery,
    /// The tools of hosts' sessions, and the sessions of hosts without one of their own.
    pub(crate) sessions: Sessions,
    pub(crate) handles: Handles,
    /// Loads tools into sessions.
    pub(crate) requests: Requests,
    /// The callers with few tools.
    pub(crate) few: FewTools,
    /// The tokens that lists did not have, for hosts that searched.
    pub(crate) spared: SparedTokens,
    /// Set once the counter of tokens is ready.
    pub(crate) counts: OnceCell<()>,
    /// Held while the catalogue is rebuilt, so that an older list never replaces a newer one.
    pub(crate) rebuilding: Mutex<()>,
    /// The servers whose definitions could not be pinned.
    pub(crate) unpinned: UnpinnedServers,
    /// The last change to the tools shown to hosts.
    pub(crate) last_change: LastChange,
}

impl Tools {
    /// Returns the current table of all tools.
    pub(crate) fn load(&self) -> Guard<Arc<ToolTable>> {
        self.table.load()
    }

    /// Returns whether the list for hosts depends on servers' lists, so that an early answer lacks tools. The list of
    /// [`Exposure::Hybrid`] without pinned tools has the meta-tools, which find the others later.
    pub(crate) fn lists_by_servers(&self) -> bool {
        match self.exposure {
            Exposure::Full | Exposure::Category => true,
            Exposure::Hybrid => !self.pinned.is_empty(),
            Exposure::Discovery => false,
        }
    }

    /// Adds a server's new list of tools to the catalogue, the index and the registry. Returns the tools that are hidden because of their
    /// names.
    ///
    /// # Errors
    /// [`IndexError`] if the tools could not be indexed.
    pub(crate) async fn take_over(
        &self,
        server: &Arc<Server>,
        registry: &Registry,
    ) -> Result<Vec<NameConflict>, IndexError> {
        self.take_over_all(std::slice::from_ref(server), registry).await
    }

    /// Returns whether the table has every tool of a server's list, in its current definition. It lacks tools that could not be
    /// indexed.
    pub(crate) fn has_indexed(&self, server: &Arc<Server>, tools: &[ListedTool]) -> bool {
        let table = self.load();
        tools.iter().all(|listed| {
            if listed.is_hidden() {
                return true;
            }
            let entry = table.entry(&ToolId::new(server.id(), listed.name()));
            entry.is_some_and(|entry| {
                Arc::ptr_eq(&entry.server, server)
                    && entry.definition.as_bytes() == listed.definition.as_bytes()
            })
        })
    }

    /// Adds the lists of several servers at once, like [`take_over`](Self::take_over) does for one.
    ///
    /// # Errors
    /// [`IndexError`] if the tools could not be indexed.
    pub(crate) async fn take_over_all(
        &self,
        servers: &[Arc<Server>],
        registry: &Registry,
    ) -> Result<Vec<NameConflict>, IndexError> {
        let _order = self.rebuilding.lock().await;
        let mut lists = Vec::with_capacity(servers.len());
        for server in servers.iter().filter(|server| !server.succession.is_replaced()) {
            let greeting = server.greeting();
            let negotiated = greeting.as_ref().and_then(|greeting| greeting.negotiated.as_ref());
            if let Err(error) = registry.set_negotiated(server.id(), negotiated) {
                tracing::error!(%error, "a server is missing from the registry");
            }
            let trust = trust(registry, server);
            let judged = judge(server, trust);
            let definitions = judged
                .iter()
                .map(|tool| (&*tool.indexed.id().tool_name, tool.profile.definition, &tool.definition));
            self.observe(server, trust, Occasion::Listing, definitions).await;
            lists.push((server.clone(), judged));
        }
        // Searches find the new tools from here on.
        let pins = &self.offered.rights.definitions;
        let is_open = |tool: &JudgedTool| pins.is_open(tool.indexed.id(), tool.profile.definition);
        self.table.store(Arc::new(self.load().needing(&lists, is_open)));
        let indexed = |(server, judged): &(Arc<Server>, Vec<JudgedTool>)| {
            (Arc::from(server.id()), judged.iter().map(|tool| tool.indexed.clone()).collect())
        };
        let hidden = self.names.update_servers(lists.iter().map(indexed).collect()).await?;
        let view = self.names.view();
        for (server, judged) in &lists {
            let ids = judged.iter().map(|tool| tool.indexed.id()).filter(|id| view.named(id).is_some());
            let shown: Vec<Arc<str>> = ids.map(|id| id.tool_name.clone()).collect();
            if let Err(error) = registry.set_tools(server.id(), shown) {
                tracing::error!(%error, "a server is missing from the registry");
            }
        }
        self.table.store(Arc::new(self.load().with(view, lists)));
        Ok(hidden)
    }

    /// Compares the definitions of servers' tools with the pins after a change of the pins.
    pub(crate) async fn compare_again(&self, servers: &[Arc<Server>], registry: &Registry) {
        let _order = self.rebuilding.lock().await;
        let table = self.table.load_full();
        // The list of a server that was replaced meanwhile is outdated.
        for server in servers.iter().filter(|server| !server.succession.is_replaced()) {
            let entries = table.entries().filter(|entry| Arc::ptr_eq(&entry.server, server));
            let definitions =
                entries.map(|entry| (&*entry.id.tool_name, entry.profile.definition, &entry.definition));
            self.observe(server, trust(registry, server), Occasion::Reload, definitions).await;
        }
    }

    /// Pins the definitions of a server's tools, and notes those that have changed. If that fails, tools of a server with `hold` are withheld
    /// until another attempt succeeds. Definitions of a session's server are accepted without pins.
    async fn observe<'a>(
        &self,
        server: &Server,
        trust: TrustLevel,
        occasion: Occasion,
        definitions: impl Iterator<Item = (&'a str, DefinitionHash, &'a RawJson)>,
    ) {
        let (pins, on_change) = (&self.offered.rights.definitions, server.spec.on_change(trust));
        let definitions: Vec<_> = definitions.collect();
        // The kernel itself describes the tool of a session's server, and the server ends with the session.
        if server.spec.session.is_some() {
            if occasion == Occasion::Listing {
                pins.accept_unpinned(server.id());
                let seen: Vec<_> =
                    definitions.iter().map(|(name, ..)| ToolId::new(server.id(), *name)).collect();
                self.record_suspects(server, &seen, &definitions).await;
            }
            return;
        }
        let occasion = self.unpinned.first_occasion(server.id(), occasion);
        let (seen, noted) = pins.observe(server.id(), on_change, occasion, definitions.iter().copied()).await;
        self.record_suspects(server, &seen, &definitions).await;
        match noted {
            Ok(()) => self.unpinned.remove(server.id()),
            Err(error) => {
                tracing::error!(server = server.id(), %error, "the definitions of its tools could not be pinned");
                self.unpinned.add(server.id(), occasion);
            }
        }
    }

    /// Records the new or changed definitions that may be meant to mislead.
    async fn record_suspects(
        &self,
        server: &Server,
        seen: &[ToolId],
        definitions: &[(&str, DefinitionHash, &RawJson)],
    ) {
        if seen.is_empty() {
            return;
        }
        let (trail, table) = (&self.offered.rights.trail, self.table.load_full());
        let names = names(&table);
        let listed: HashMap<_, _> = definitions.iter().rev().map(|(name, _, text)| (*name, *text)).collect();
        for tool in seen {
            let Some(definition) = listed.get(&*tool.tool_name) else { continue };
            let findings = suspicions(&names, tool, definition);
            if !findings.is_empty() {
                tracing::warn!(%tool, reason = findings[0].reason, "a suspicious definition: see `mgp tools scan`");
                trail.store(suspect_event(&trail.myself, server.id(), tool, &findings)).await;
            }
        }
    }

    /// Notifies the hosts that the tools shown to them may have changed, except hosts whose list is newer than the change. The meta-tools never
    /// change. Therefore [`Exposure::Discovery`] only notifies subscribers of the manifest, and [`Exposure::Hybrid`] only hosts whose list has
    /// other tools.
    pub(crate) fn shown_changed(&self, hosts: &Hosts) {
        self.last_change.advance();
        hosts.changed(Change::Manifest);
        match self.exposure {
            Exposure::Full | Exposure::Category => hosts.changed(Change::Tools),
            Exposure::Hybrid if !self.pinned.is_empty() => hosts.changed(Change::Tools),
            Exposure::Hybrid => hosts.changed(Change::FollowedTools),
            Exposure::Discovery => {}
        }
    }

    /// Prepares the counter of tokens, on a thread where blocking is allowed.
    pub(crate) async fn can_count(&self) {
        let ready = || async {
            let counter = self.sessions.budget().counter().clone();
            // A counter that panics does so again on its next use.
            let _ = tokio::task::spawn_blocking(move || counter.prepare()).await;
        };
        self.counts.get_or_init(ready).await;
    }
}

impl ListedTools for Tools {
    fn is_in_list(&self, session: &Session) -> bool {
        self.last_change.is_in_list(session)
    }

    fn follows(&self, session: &Session) -> bool {
        let has_some = |tools: ToolSession| tools.has_cached();
        let follows = |principal: Principal| self.list_follows(&principal);
        session.get().is_some_and(has_some) || session.get().is_some_and(follows)
    }
}

/// Returns the trust in a server; the lowest for an unknown server.
fn trust(registry: &Registry, server: &Server) -> TrustLevel {
    registry.server(server.id()).map_or(TrustLevel::Sandboxed, |known| known.trust)
}

impl fmt::Debug for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tools").field("exposure", &self.exposure).finish_non_exhaustive()
    }
}
