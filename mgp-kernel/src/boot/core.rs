//! The composition of a kernel's parts, for code that needs several of them.

use super::{operator::KernelFacts, reload::AppliedConfiguration};
use crate::{
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
        tasks::TaskTable,
        transactions::TransactionTool,
    },
    ground::{changes::Change, trail::Trail},
    host::{Hosts, parking::ParkingLayer},
    rights::rights::Rights,
    upstream::servers::Servers,
};
use mgp_discovery::public_registry::Recommender;
use mgp_security::{
    access::AccessControl,
    definition::Definitions,
    limits::{Limits, quota::Quotas},
    permission::Permissions,
};
use std::{
    fmt,
    sync::{Arc, Weak},
};

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
    /// The registries that recommend servers for requests that find no tool.
    pub(crate) recommender: Option<Recommender>,
    pub(crate) hosts: Hosts,
    /// The instructions for hosts.
    pub(crate) greeter: Arc<Greeter>,
    pub(crate) tasks: Arc<TaskTable>,
    pub(crate) events: KernelEvents,
    /// The calls of stateless hosts that wait for answers of their hosts.
    pub(crate) parking: ParkingLayer,
    /// The kept results of principals.
    pub(crate) references: Arc<References>,
    /// The session states that servers assigned to hosts.
    pub(crate) session_states: SessionStates,
    pub(crate) facts: KernelFacts,
    /// The transactions of all callers, and the rollbacks in progress.
    pub(crate) transactions: TransactionTool,
    /// The tools created from agents' code.
    #[cfg(feature = "child")]
    pub(crate) creation: Arc<crate::features::creation::ToolCreator>,
    /// The configuration that can be replaced while the kernel runs.
    pub(crate) configuration: Option<AppliedConfiguration>,
    /// The counters; `None` if the kernel counts nothing.
    #[cfg(feature = "metrics")]
    pub(crate) metrics: Option<Arc<crate::path::metrics::Metrics>>,
}

impl Core {
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

    /// Returns the channels of events for hosts.
    pub(crate) fn channels(&self) -> HostChannels {
        HostChannels { servers: self.servers.clone(), events: self.events.clone() }
    }

    /// Returns the data for a manifest.
    pub(crate) fn manifest_source(&self) -> ManifestSource {
        ManifestSource { tools: self.tools.clone(), limits: self.limits.clone(), quotas: self.quotas.clone() }
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
}

/// Notifies the hosts when rules, decisions or pins have changed the offered tools, until the kernel is gone.
pub(crate) async fn tell_of_new_rights(
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
