//! The state that the parts of a kernel share.

use super::{
    changes::Change,
    host::{Hosts, is_local},
    instructions,
    offered_tools::OfferedTools,
    registration::RegistrationSettings,
    rights::Rights,
    server::{Link, Server},
    servers::Servers,
    states::States,
    stop_progress::StopProgress,
    tasks::TaskTable,
    tools::{ToolTable, judge},
};
use arc_swap::ArcSwap;
use mgp_discovery::registry::Registry;
use mgp_lifecycle::{
    health::Health,
    state::{Outlook, Transition},
};
use mgp_security::{
    access::AccessControl,
    audit::{AuditLog, AuditSink, EventDraft},
    permission::{Confirmations, Permissions},
};
use mgp_server_sdk::handshake::Handshake;
use mgp_toolindex::{
    catalogue::Catalogue,
    discover::Discovery,
    exposure::Exposure,
    names::NameConflict,
    request::Requests,
    session::{Handles, PinnedTools, Sessions},
};
use mgp_transport::seam::{Routes, Session};
use mgp_types::{
    audit::{AuditEvent, AuditEventType, AuditResult},
    context::{Principal, TrustLevel},
    lifecycle::ServerState,
};
use std::{fmt, sync::Arc, time::Duration};
use tokio::sync::{Mutex, OnceCell};

/// The state that the parts of a kernel share.
pub(crate) struct Core {
    /// The kernel as an actor of events.
    pub(crate) myself: Principal,
    pub(crate) exposure: Exposure,
    /// Tools that hosts are always shown: names they are shown under, or `server__tool`.
    pub(crate) pinned: PinnedTools,
    /// The servers of the configuration, in its order, then the registered servers.
    pub(crate) servers: Servers,
    /// The broadcast of changes of servers' states.
    pub(crate) states: States,
    pub(crate) stopping: StopProgress,
    /// The registrar of servers, and the settings for registered servers.
    pub(crate) registered: RegistrationSettings,
    pub(crate) tools: Arc<ArcSwap<ToolTable>>,
    /// The rights by which servers judge requests that waited.
    pub(crate) rights: Rights,
    /// The names under which hosts are shown the tools, and the index over the tools.
    pub(crate) names: Catalogue,
    pub(crate) discovery: Discovery,
    /// The tools of hosts' sessions, and the sessions of hosts that have none of their own.
    pub(crate) sessions: Sessions,
    pub(crate) handles: Handles,
    /// Loads tools into sessions.
    pub(crate) requests: Requests,
    /// Set once the counter of tokens is ready.
    pub(crate) counts: OnceCell<()>,
    pub(crate) registry: Registry,
    pub(crate) access: AccessControl,
    pub(crate) permissions: Permissions,
    /// Questions whether calls may be made, and their answers.
    pub(crate) confirmations: Confirmations,
    pub(crate) sink: Arc<dyn AuditSink>,
    /// The log from which events can be read again; `None` if the sink keeps none.
    pub(crate) audit_log: Option<AuditLog>,
    /// True if servers that connect and disconnect are recorded.
    pub(crate) lifecycle_events: bool,
    /// Requests over HTTP that were turned away and have no event yet.
    #[cfg(feature = "http")]
    pub(crate) denials: super::denials::Denials,
    pub(crate) hosts: Hosts,
    /// The methods that run no server's tool.
    pub(super) routes: Routes<Arc<Self>>,
    /// True if tools are concealed from hosts whose agents may not use them; `None` conceals them from all hosts but the operator's own.
    pub(crate) conceal: Option<bool>,
    pub(crate) tasks: Arc<TaskTable>,
    /// The longest time for which a host waits for servers that start for the first time.
    pub(crate) first_start_limit: Duration,
    /// The kernel's side of the handshake with hosts.
    pub(crate) handshake: Handshake,
    /// The settings of the instructions for hosts.
    pub(super) instructions: instructions::Settings,
    pub(crate) health: Health,
    /// The tools that are offered to each principal.
    pub(crate) offered: Arc<OfferedTools>,
    /// Held while the catalogue is rebuilt, so that an older reading never replaces a newer one.
    pub(crate) rebuilding: Mutex<()>,
}

impl Core {
    /// Returns whether tools that the agent of a session may not use are answered like tools that do not exist.
    pub(crate) fn conceals_from(&self, session: &Session) -> bool {
        self.conceal.unwrap_or_else(|| !is_local(session))
    }

    /// Stores an event that belongs to no call. One that cannot be stored is logged.
    pub(crate) async fn store(&self, event: AuditEvent) {
        let lifecycle =
            matches!(event.event_type, AuditEventType::ServerConnected | AuditEventType::ServerDisconnected);
        if lifecycle && !self.lifecycle_events {
            return;
        }
        if let Err(error) = self.sink.record(event).await {
            tracing::error!(%error, "an event of the kernel was lost");
        }
    }

    /// Moves a server to another state. The state machine refuses and logs an invalid transition.
    pub(crate) fn move_to(&self, server: &Server, state: ServerState, why: &str) {
        self.move_with(server, state, why, Outlook::Open);
    }

    /// Moves a server to another state, and sets the outlook on when it takes calls again. Both become visible at once.
    pub(crate) fn move_with(&self, server: &Server, state: ServerState, why: &str, outlook: Outlook) {
        if let Ok(moved) = server.gate.machine().transition_with(state, why, outlook) {
            self.moved(&moved);
        }
    }

    /// Publishes that a server's gate has moved the server to the draining state.
    pub(crate) fn drains(&self, server: &Server, from: ServerState, why: &str) {
        let (server_id, to) = (server.id().into(), ServerState::Draining);
        self.moved(&Transition { server_id, from, to, reason: why.into() });
    }

    /// Publishes a server's new state to the registry and to everybody who watches states.
    fn moved(&self, moved: &Transition) {
        if let Err(error) = self.registry.set_state(&moved.server_id, moved.to) {
            tracing::error!(%error, "a server is missing from the registry");
        }
        self.states.tell(moved);
    }

    /// Returns whether any server that was there when the kernel started is still at its first attempt to connect.
    pub(crate) fn is_starting(&self) -> bool {
        self.servers.load().iter().any(|server| server.is_starting() && !server.is_late())
    }

    /// Waits until every server's first attempt to connect is over, or the time limit passes. Most hosts ask for the tools once,
    /// right after the handshake, so the tools of servers that come up in time should be included.
    pub(crate) async fn first_starts(&self) {
        let started = async {
            for server in self.servers.all().iter().filter(|server| !server.is_late()) {
                server.first_start().await;
            }
        };
        if self.is_starting() && tokio::time::timeout(self.first_start_limit, started).await.is_err() {
            tracing::warn!(limit = ?self.first_start_limit, "answered before all servers had started");
        }
    }

    /// Takes over a server's new list of tools into the catalogue, the index and the registry, and tells the hosts.
    pub(crate) async fn tools_changed(&self, server: &Arc<Server>) {
        let hidden = {
            let _order = self.rebuilding.lock().await;
            let link = server.link();
            let negotiated = link.as_ref().and_then(|link| link.negotiated.as_ref());
            let noted = self.registry.set_negotiated(server.id(), negotiated);
            let trust = self.registry.server(server.id()).map_or(TrustLevel::Sandboxed, |known| known.trust);
            let judged = judge(server, trust);
            // Searches find the new tools from here on.
            self.tools.store(Arc::new(self.tools.load().needing(server, &judged)));
            let indexed = judged.iter().map(|tool| tool.indexed.clone()).collect();
            let hidden = match self.names.update_server(server.id(), indexed).await {
                Ok(hidden) => hidden,
                Err(error) => {
                    return tracing::error!(server = server.id(), %error, "its tools could not be indexed");
                }
            };
            let view = self.names.view();
            let shown: Vec<Arc<str>> = judged
                .iter()
                .map(|tool| tool.indexed.id())
                .filter(|id| view.named(id).is_some())
                .map(|id| id.tool_name.clone())
                .collect();
            if let Err(error) = noted.and_then(|()| self.registry.set_tools(server.id(), shown)) {
                tracing::error!(%error, "a server is missing from the registry");
            }
            let tools = self.tools.load().with(view, server, judged);
            self.tools.store(Arc::new(tools));
            hidden
        };
        self.shown_tools_changed();
        self.report_hidden(server, &hidden).await;
    }

    /// Has the hosts told that the tools shown to them may have changed. The meta-tools alone never change, so
    /// [`Exposure::Discovery`] tells nobody.
    pub(crate) fn shown_tools_changed(&self) {
        match self.exposure {
            Exposure::Full | Exposure::Category => self.hosts.changed(Change::Tools),
            Exposure::Hybrid if !self.pinned.is_empty() => self.hosts.changed(Change::Tools),
            Exposure::Hybrid => self.hosts.changed(Change::SessionTools),
            Exposure::Discovery => {}
        }
    }

    /// Prepares the counter of tokens, on a thread where the preparation blocks nobody.
    pub(crate) async fn can_count(&self) {
        let ready = || async {
            let counter = self.sessions.budget().counter().clone();
            // One that panics does so again when it is asked.
            let _ = tokio::task::spawn_blocking(move || counter.prepare()).await;
        };
        self.counts.get_or_init(ready).await;
    }

    /// Has the hosts told that the resources and prompts shown to them may have changed, if any connected server has some.
    pub(crate) fn shown_offers_changed(&self) {
        let links: Vec<_> = self.servers.load().iter().filter_map(|server| server.link()).collect();
        for (area, change) in [("resources", Change::Resources), ("prompts", Change::Prompts)] {
            if links.iter().any(|link| link.capabilities.has(area)) {
                self.hosts.changed(change);
            }
        }
    }

    /// Records the tools that are hidden because of their names: each once, and only a limited number for each server.
    async fn report_hidden(&self, server: &Server, hidden: &[NameConflict]) {
        for conflict in server.newly_hidden(hidden) {
            tracing::warn!(tool = %conflict.tool, reason = conflict.reason, "tool hidden");
            let event = EventDraft::new(AuditEventType::ToolBlocked, &self.myself)
                .server(server.id())
                .tool(&conflict.tool.tool_name)
                .result(AuditResult::Blocked)
                .detail("code", &conflict.to_error().code)
                .detail("reason", conflict.reason);
            self.store(event.finish()).await;
        }
    }

    /// Tells a server which of its permissions wait for an operator, and later what was decided (§3.5, §3.6).
    pub(crate) fn announce_permissions(self: &Arc<Self>, server: &Arc<Server>, link: &Arc<Link>) {
        super::announce::permissions(self, server, link);
    }
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core").field("servers", &self.servers).finish_non_exhaustive()
    }
}
