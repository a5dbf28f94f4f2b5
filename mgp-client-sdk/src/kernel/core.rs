//! What the parts of a kernel share.

use super::{
    changes::Change,
    host::{Hosts, is_local},
    instructions,
    offered::Offered,
    registration::Registered,
    rights::Rights,
    server::{Link, Server},
    servers::Servers,
    states::States,
    stopping::Stopping,
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
    session::{Handles, Pinned, Sessions},
};
use mgp_transport::seam::Session;
use mgp_types::{
    audit::{AuditEvent, AuditEventType, AuditResult},
    context::{Principal, TrustLevel},
    lifecycle::ServerState,
};
use std::{fmt, sync::Arc, time::Duration};
use tokio::sync::{Mutex, OnceCell};

/// What the parts of a kernel share.
pub(crate) struct Core {
    /// The kernel as an actor of events.
    pub(crate) myself: Principal,
    pub(crate) exposure: Exposure,
    /// Tools that hosts are always shown: names they are shown under, or `server__tool`.
    pub(crate) pinned: Pinned,
    /// Those of the configuration, in its order; then those that are registered.
    pub(crate) servers: Servers,
    /// Who hears that a server stands somewhere else.
    pub(crate) states: States,
    pub(crate) stopping: Stopping,
    /// What makes registered servers come and go.
    pub(crate) registered: Registered,
    pub(crate) tools: Arc<ArcSwap<ToolTable>>,
    /// What hosts call the tools, and the index over them.
    pub(crate) names: Catalogue,
    pub(crate) discovery: Discovery,
    /// The tools of hosts' sessions, and the sessions of hosts that have none of their own.
    pub(crate) sessions: Sessions,
    pub(crate) handles: Handles,
    /// Loads tools into them.
    pub(crate) requests: Requests,
    /// Set when what counts tokens is ready.
    pub(crate) counts: OnceCell<()>,
    pub(crate) registry: Registry,
    pub(crate) access: AccessControl,
    pub(crate) permissions: Permissions,
    /// Questions whether calls may be made, and their answers.
    pub(crate) confirmations: Confirmations,
    pub(crate) sink: Arc<dyn AuditSink>,
    /// Where events can be read again; none with a sink that keeps none.
    pub(crate) audit_log: Option<AuditLog>,
    /// True where servers that connect and disconnect are recorded.
    pub(crate) lifecycle_events: bool,
    /// Requests over HTTP that were turned away and have no event yet.
    #[cfg(feature = "http")]
    pub(crate) denials: super::denials::Denials,
    pub(crate) hosts: Hosts,
    /// Whether tools are concealed; where it is not said, from all hosts but the operator's own.
    pub(crate) conceal: Option<bool>,
    pub(crate) tasks: Arc<TaskTable>,
    /// How long a host waits for servers that start for the first time.
    pub(crate) first_start_limit: Duration,
    /// How it greets hosts.
    pub(crate) handshake: Handshake,
    /// What instructions are made of.
    pub(super) instructions: instructions::Settings,
    pub(crate) health: Health,
    /// Which tools are offered to whom.
    pub(crate) offered: Arc<Offered>,
    /// Held while the catalogue is rebuilt, so that an older reading never replaces a newer one.
    pub(crate) rebuilding: Mutex<()>,
}

impl Core {
    /// Returns the rights by which servers judge calls that waited.
    pub(crate) fn rights(&self) -> Rights {
        Rights {
            access: self.access.clone(),
            permissions: self.permissions.clone(),
            tools: self.tools.clone(),
            sink: self.sink.clone(),
        }
    }

    /// Returns whether a tool that the agent of a session may not use answers a call as one that does not exist.
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

    /// Moves a server to another state. The machine refuses and logs what cannot be.
    pub(crate) fn move_to(&self, server: &Server, state: ServerState, why: &str) {
        self.move_with(server, state, why, Outlook::Open);
    }

    /// Moves a server to another state, with what is known of when it takes calls again: who sees the one sees the other.
    pub(crate) fn move_with(&self, server: &Server, state: ServerState, why: &str, outlook: Outlook) {
        if let Ok(moved) = server.gate.machine().transition_with(state, why, outlook) {
            self.moved(&moved);
        }
    }

    /// Notes that a server drains, which its gate moved it to.
    pub(crate) fn drains(&self, server: &Server, from: ServerState, why: &str) {
        let (server_id, to) = (server.id().into(), ServerState::Draining);
        self.moved(&Transition { server_id, from, to, reason: why.into() });
    }

    /// Says to everybody who follows it where a server stands now.
    fn moved(&self, moved: &Transition) {
        if let Err(error) = self.registry.set_state(&moved.server_id, moved.to) {
            tracing::error!(%error, "a server is missing from the registry");
        }
        self.states.tell(moved);
    }

    /// Whether a server's first attempt to connect goes on, of those that were there when the kernel started.
    pub(crate) fn is_starting(&self) -> bool {
        self.servers.load().iter().any(|server| server.is_starting() && !server.is_late())
    }

    /// Ends when every server's first attempt to connect is over, or the time limit passes. Most hosts ask for the tools
    /// once, right after the handshake: what comes up in time should be among them.
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

    /// Takes over what a server lists now: the catalogue, the index, the registry; and tells the hosts.
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

    /// Has the hosts told that what they are shown may have changed. The meta-tools alone never do, but where they say what there is.
    pub(crate) fn shown_tools_changed(&self) {
        match self.exposure {
            Exposure::Full | Exposure::Category => self.hosts.changed(Change::Tools),
            Exposure::Hybrid if !self.pinned.is_empty() => self.hosts.changed(Change::Tools),
            Exposure::Hybrid => self.hosts.changed(Change::SessionTools),
            Exposure::Discovery => {}
        }
    }

    /// Makes ready what counts tokens, where that holds up nobody.
    pub(crate) async fn can_count(&self) {
        let ready = || async {
            let counter = self.sessions.budget().counter().clone();
            // One that panics does so again when it is asked.
            let _ = tokio::task::spawn_blocking(move || counter.prepare()).await;
        };
        self.counts.get_or_init(ready).await;
    }

    /// Has the hosts told that the resources and prompts which they are shown may have changed, where servers have any.
    pub(crate) fn shown_offers_changed(&self) {
        let links: Vec<_> = self.servers.load().iter().filter_map(|server| server.link()).collect();
        for (area, change) in [("resources", Change::Resources), ("prompts", Change::Prompts)] {
            if links.iter().any(|link| link.capabilities.has(area)) {
                self.hosts.changed(change);
            }
        }
    }

    /// Records the tools that are hidden because of their names: each once, and not more than a few.
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
