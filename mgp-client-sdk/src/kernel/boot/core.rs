//! The composition of a kernel's parts, for code that needs several of them.

use super::{operator::KernelFacts, reload::AppliedConfiguration};
use crate::kernel::{
    catalog::{
        instructions::Greeter,
        tool_index::{MetaTools, SearchTimes, ToolCreation},
        tools::Tools,
    },
    features::{
        events::{HostChannels, KernelEvents},
        forward::Forwarder,
        manifest::ManifestSource,
        references::References,
        registration::RegisteredServers,
        resources::ResourceMethods,
        server_set::ServerSet,
        session_states::SessionStates,
        tasks::{TaskNews, TaskTable},
        transactions::TransactionTool,
    },
    ground::{changes::Change, trail::Trail},
    host::{Hosts, parking::ParkingLayer},
    rights::rights::Rights,
    upstream::{Link, Server, listings::Listings, servers::Servers},
};
use mgp_discovery::public_registry::Recommender;
use mgp_security::{
    access::AccessControl,
    audit::EventDraft,
    definition::Definitions,
    limits::{Limits, quota::Quotas},
    permission::Permissions,
};
use mgp_types::audit::{AuditEventType, AuditResult};
use std::{
    fmt,
    sync::{Arc, Weak},
};
use tokio::sync::oneshot;

/// The parts of a kernel. Code that needs only one of them gets only that one.
pub(crate) struct Core {
    pub(crate) trail: Arc<Trail>,
    pub(crate) rights: Arc<Rights>,
    /// The limits on the rate of calls of agents, keys, servers and tools.
    pub(crate) limits: Limits,
    /// The quotas of units per day.
    pub(crate) quotas: Quotas,
    pub(crate) servers: Arc<Servers>,
    /// The servers as a set that changes.
    pub(crate) set: Arc<ServerSet>,
    pub(crate) registered: Arc<RegisteredServers>,
    pub(crate) tools: Arc<Tools>,
    /// The last listings of servers.
    pub(crate) listings: Listings,
    /// The registries that recommend servers for requests that find no tool.
    pub(crate) recommender: Option<Recommender>,
    pub(crate) hosts: Hosts,
    /// The instructions for hosts.
    pub(in crate::kernel) greeter: Arc<Greeter>,
    pub(crate) tasks: Arc<TaskTable>,
    pub(crate) events: KernelEvents,
    /// The calls of stateless hosts that wait for answers of their hosts.
    pub(crate) parking: ParkingLayer,
    /// The kept results of principals.
    pub(in crate::kernel) references: Arc<References>,
    /// The session states that servers assigned to hosts.
    pub(in crate::kernel) session_states: SessionStates,
    pub(crate) facts: KernelFacts,
    /// The transactions of all callers, and the rollbacks in progress.
    pub(crate) transactions: TransactionTool,
    /// The tools created from agents' code.
    #[cfg(feature = "child")]
    pub(crate) creation: Arc<crate::kernel::features::creation::ToolCreator>,
    /// The configuration that can be replaced while the kernel runs.
    pub(crate) configuration: Option<AppliedConfiguration>,
    /// The counters; `None` if the kernel counts nothing.
    #[cfg(feature = "metrics")]
    pub(crate) metrics: Option<Arc<crate::kernel::path::metrics::Metrics>>,
}

impl Core {
    /// Applies a server's new list of tools and notifies the hosts. Records the tools that are hidden because of their names, each once,
    /// and only a limited number for each server.
    pub(crate) async fn tools_changed(&self, server: &Arc<Server>) {
        let hidden = match self.tools.take_over(server, &self.servers.registry).await {
            Ok(hidden) => hidden,
            Err(error) => {
                return tracing::error!(server = server.id(), %error, "its tools could not be indexed");
            }
        };
        // The tools of a session's server are only shown in that session, and its host is notified when they are created.
        if server.spec.session.is_none() {
            self.tools.shown_changed(&self.hosts);
        }
        for conflict in server.newly_hidden(&hidden) {
            tracing::warn!(tool = %conflict.tool, reason = conflict.reason, "tool hidden");
            let event = EventDraft::new(AuditEventType::ToolBlocked, &self.trail.myself)
                .server(server.id())
                .tool(&conflict.tool.tool_name)
                .result(AuditResult::Blocked)
                .detail("code", &conflict.to_error().code)
                .detail("reason", conflict.reason);
            self.trail.store(event.finish()).await;
        }
    }

    /// Loads the kept listings of servers, all at once, and notifies the hosts.
    pub(in crate::kernel) async fn tools_listed(&self, servers: &[Arc<Server>]) {
        if let Err(error) = self.tools.take_over_all(servers, &self.servers.registry).await {
            tracing::error!(%error, "the tools of servers that do not run could not be indexed");
        }
        self.tools.shown_changed(&self.hosts);
    }

    /// Returns the forwarder of requests to the servers.
    pub(crate) fn forwarder(&self) -> Forwarder {
        Forwarder { servers: self.servers.clone(), rights: self.rights.clone() }
    }

    /// Returns the servers' resources and those of the kernel itself.
    pub(crate) fn resource_methods(&self) -> ResourceMethods {
        ResourceMethods {
            forwarder: self.forwarder(),
            tools: self.tools.clone(),
            listed: vec![Arc::new(self.manifest_source())],
            unlisted: vec![self.references.clone()],
        }
    }

    /// Returns the kernel's own tools.
    pub(super) fn meta_tools(&self) -> MetaTools {
        #[cfg(feature = "child")]
        let creation: Option<Arc<dyn ToolCreation>> = Some(Arc::new(self.creation.clone()));
        #[cfg(not(feature = "child"))]
        let creation: Option<Arc<dyn ToolCreation>> = None;
        #[cfg(feature = "metrics")]
        let search_times: Option<Arc<dyn SearchTimes>> = self.metrics.clone().map(|metrics| metrics as _);
        #[cfg(not(feature = "metrics"))]
        let search_times: Option<Arc<dyn SearchTimes>> = None;
        MetaTools {
            greeter: self.greeter.clone(),
            trail: self.trail.clone(),
            quotas: self.quotas.clone(),
            recommender: self.recommender.clone(),
            transactions: Arc::new(self.transactions.clone()),
            reading: self.references.clone(),
            creation,
            search_times,
        }
    }

    /// Returns the reports on tasks, for their hosts.
    pub(crate) fn task_news(&self) -> TaskNews {
        TaskNews { tasks: self.tasks.clone(), rights: self.rights.clone(), hosts: self.hosts.clone() }
    }

    /// Returns the channels of events for hosts.
    pub(crate) fn channels(&self) -> HostChannels {
        HostChannels { servers: self.servers.clone(), events: self.events.clone() }
    }

    /// Returns the data for a manifest.
    pub(in crate::kernel) fn manifest_source(&self) -> ManifestSource {
        ManifestSource { tools: self.tools.clone(), limits: self.limits.clone(), quotas: self.quotas.clone() }
    }

    /// Notes that the operator stopped a server, or started it again. Notifies the hosts that its tools are gone or back.
    pub(crate) fn set_stopped(&self, server: &Server, stopped: bool) {
        if self.rights.stopped.set(server.id(), stopped) {
            self.tools.shown_changed(&self.hosts);
        }
    }

    /// Notifies hosts that the server's resources and prompts may have changed, if it has any.
    pub(crate) fn offers_changed(&self, server: &Server) {
        self.set.offers_changed(server);
    }

    /// Notifies hosts that the resources and prompts shown to them may have changed, if any server that is connected or starts on demand has
    /// some.
    fn shown_offers_changed(&self) {
        let greetings: Vec<_> =
            self.servers.load().iter().filter_map(|server| server.current_greeting()).collect();
        for (area, change) in [("resources", Change::Resources), ("prompts", Change::Prompts)] {
            if greetings.iter().any(|greeting| greeting.capabilities.has(area)) {
                self.hosts.changed(change);
            }
        }
    }

    /// Announces to a server its permissions that wait for an operator, and later the decisions (§3.5, §3.6). Returns at once, with a
    /// receiver that ends when the questions are open.
    pub(crate) fn announce_permissions(
        &self,
        server: &Arc<Server>,
        link: &Arc<Link>,
    ) -> oneshot::Receiver<()> {
        crate::kernel::features::announce::permissions(&self.rights, &self.tools.load(), server, link)
    }
}

/// Notifies the hosts when rules, decisions or pins have changed the offered tools, until the kernel is gone.
pub(in crate::kernel) async fn tell_of_new_rights(
    core: Weak<Core>,
    (access, permissions, definitions): (AccessControl, Permissions, Definitions),
) {
    let (mut rules, mut decisions) = (access.changes(), permissions.decisions());
    let mut pins = definitions.changes();
    drop((access, permissions, definitions));
    loop {
        let (changed, by_rule, by_pin) = tokio::select! {
            changed = rules.changed() => (changed, true, false),
            changed = decisions.changed() => (changed, false, false),
            changed = pins.changed() => (changed, false, true),
        };
        match core.upgrade() {
            Some(core) if changed.is_ok() => {
                if by_pin {
                    core.set.compare_definitions().await;
                }
                #[cfg(feature = "child")]
                if !by_rule && !by_pin {
                    for server in core.servers.load().iter() {
                        server.start_with_new_grants();
                    }
                }
                core.tools.shown_changed(&core.hosts);
                // Resources and prompts need no permission, only a rule for their server.
                if by_rule {
                    core.shown_offers_changed();
                }
            }
            _ => return,
        }
    }
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core").field("servers", &self.servers).finish_non_exhaustive()
    }
}
