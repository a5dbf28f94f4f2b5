//! Puts a kernel together and starts it.

use super::{
    AskHost, HostFace, Kernel, ParkedCalls, ServerSpec,
    core::Core,
    host::Hosts,
    offered::{Offered, tell_of_new_rights},
    own_gates::OwnGates,
    pipeline::{Gates, pipeline},
    server::{Server, supervise},
    tasks::TaskTable,
    tools::ToolTable,
};
use arc_swap::ArcSwap;
use mgp_discovery::{
    config::{Limits, server_id},
    registry::{RegisteredServer, Registry, RegistryError, ServerSource},
};
use mgp_lifecycle::health::{Health, ToolCounts};
use mgp_security::{
    access::{AccessControl, MemoryAccessStore, StoreError},
    audit::{AuditLog, AuditSink, MemorySink},
    permission::{Approver, MemoryPermissionStore, PermissionRules, PermissionStore, Permissions},
    validator::Validators,
};
use mgp_server_sdk::handshake::Handshake;
use mgp_toolindex::{
    catalogue::Catalogue,
    discover::{Discovery, ServerStates},
    exposure::Exposure,
    index::IndexError,
};
use mgp_transport::seam::{BoxPeerService, PeerService};
use mgp_types::{
    context::{ActorType, Principal},
    json::{RawJson, RawObject},
    lifecycle::ServerState,
    mcp::{Implementation, ServerCapabilities},
    negotiation::{Extension, ExtensionSet, ServerProfile},
    permission::{Permission, PermissionPolicy},
};
use std::{
    collections::HashSet,
    path::PathBuf,
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::sync::Semaphore;
use tower_layer::Layer;

/// What a kernel is made of. Start with [`Kernel::builder`]. What is not set is kept in memory and asks by elicitation.
#[derive(Debug)]
pub struct KernelBuilder {
    servers: Vec<ServerSpec>,
    exposure: Exposure,
    pinned: HashSet<String>,
    search_results: usize,
    max_concurrent: usize,
    first_start_limit: Duration,
    rules: PermissionRules,
    permission_store: Arc<dyn PermissionStore>,
    approver: Option<Arc<dyn Approver>>,
    decision_time_limit: Duration,
    grant_lifetime: Option<Duration>,
    access: Option<AccessControl>,
    sink: Arc<dyn AuditSink>,
    audit_log: Option<AuditLog>,
    validators: Validators,
    own_gates: OwnGates,
    agents: Vec<String>,
    parked: ParkedCalls,
    /// Where OAuth tokens are kept.
    pub(super) token_folder: Option<PathBuf>,
}

/// Why a kernel could not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// Two servers have one id, or there are too many.
    #[error("{0}")]
    Servers(#[from] RegistryError),
    /// A server's id is not one that calls and grants can name.
    #[error("invalid id of a server: {0}")]
    ServerId(String),
    /// A permission that the configuration approves is none.
    #[error("server {server:?}: {reason}")]
    Permission {
        /// The server.
        server: String,
        /// What is wrong.
        reason: String,
    },
    /// State could not be read.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// The tool index could not be made.
    #[error("{0}")]
    Index(#[from] IndexError),
}

/// How many events a kernel without an audit trail keeps in memory.
const EVENTS_IN_MEMORY: usize = 10_000;

impl Default for KernelBuilder {
    fn default() -> Self {
        Self {
            servers: Vec::new(),
            exposure: Exposure::default(),
            pinned: HashSet::new(),
            search_results: 5,
            max_concurrent: Limits::default().max_concurrent_calls,
            first_start_limit: Duration::from_secs(10),
            rules: PermissionRules::new(PermissionPolicy::Interactive),
            permission_store: Arc::new(MemoryPermissionStore::default()),
            approver: Some(Arc::new(AskHost::new())),
            decision_time_limit: Duration::from_secs(300),
            grant_lifetime: None,
            access: None,
            sink: Arc::new(MemorySink::new(EVENTS_IN_MEMORY)),
            audit_log: None,
            validators: Validators::standard(),
            own_gates: OwnGates::default(),
            agents: Vec::new(),
            parked: ParkedCalls::default(),
            token_folder: None,
        }
    }
}

impl KernelBuilder {
    /// Adds a server. The order decides which of two equal tool names stays bare.
    #[must_use]
    pub fn server(mut self, server: ServerSpec) -> Self {
        self.servers.push(server);
        self
    }

    /// Which tools a host is shown.
    #[must_use]
    pub fn exposure(mut self, exposure: Exposure) -> Self {
        self.exposure = exposure;
        self
    }

    /// Tools that hosts are always shown, by the name they are shown under or as `server__tool`.
    #[must_use]
    pub fn pinned<I: IntoIterator<Item: Into<String>>>(mut self, tools: I) -> Self {
        self.pinned.extend(tools.into_iter().map(Into::into));
        self
    }

    /// How many tools a search returns where it does not say.
    #[must_use]
    pub fn search_results(mut self, count: usize) -> Self {
        self.search_results = count;
        self
    }

    /// How many calls may run at once, over all servers; each server has its own limit within it.
    #[must_use]
    pub fn max_concurrent(mut self, calls: usize) -> Self {
        self.max_concurrent = calls;
        self
    }

    /// How long a list, a search, or a call of a tool that is not known waits for servers that start for the first time; 10
    /// seconds otherwise. What comes up later is announced.
    #[must_use]
    pub fn first_start_limit(mut self, limit: Duration) -> Self {
        self.first_start_limit = limit;
        self
    }

    /// Who decides on permissions, and what is decided already.
    #[must_use]
    pub fn permission_rules(mut self, rules: PermissionRules) -> Self {
        self.rules = rules;
        self
    }

    /// Where decisions on permissions are kept.
    #[must_use]
    pub fn permission_store(mut self, store: Arc<dyn PermissionStore>) -> Self {
        self.permission_store = store;
        self
    }

    /// Who is asked; none refuses what would be asked.
    #[must_use]
    pub fn approver(mut self, approver: Option<Arc<dyn Approver>>) -> Self {
        self.approver = approver;
        self
    }

    /// How long a call waits for a decision.
    #[must_use]
    pub fn decision_time_limit(mut self, limit: Duration) -> Self {
        self.decision_time_limit = limit;
        self
    }

    /// How long an approval holds for which nobody said how long; for good otherwise.
    #[must_use]
    pub fn grant_lifetime(mut self, lifetime: Option<Duration>) -> Self {
        self.grant_lifetime = lifetime;
        self
    }

    /// Which agent may use which tool.
    #[must_use]
    pub fn access(mut self, access: AccessControl) -> Self {
        self.access = Some(access);
        self
    }

    /// Where audit events go.
    #[must_use]
    pub fn audit_sink(mut self, sink: Arc<dyn AuditSink>) -> Self {
        self.sink = sink;
        self.audit_log = None;
        self
    }

    /// Where audit events go and are read again.
    #[must_use]
    pub fn audit_log(mut self, log: AuditLog) -> Self {
        self.sink = Arc::new(log.clone());
        self.audit_log = Some(log);
        self
    }

    /// The validators, by name.
    #[must_use]
    pub fn validators(mut self, validators: Validators) -> Self {
        self.validators = validators;
        self
    }

    /// Adds a layer of your own to the pipeline: inside access, permission and confirmation, outside the validators. The one that
    /// is added first is outermost.
    ///
    /// It sees every message. A tool call is one that has a [`Target`] in its context; beside it there are the [`Principal`],
    /// the tool's [`ToolProfile`] and the [`CallRecord`], into which a refusal is noted so that the audit trail has it. The user
    /// may have confirmed the call's arguments, so a layer should not change them.
    ///
    /// ```
    /// use futures_util::future::{Either, ready};
    /// use mgp_client_sdk::kernel::Kernel;
    /// use mgp_transport::seam::{BoxPeerService, CallRecord, Incoming, RefusalKind, Reply};
    /// use mgp_types::{context::Target, error::ErrorCode};
    /// use tower::{ServiceExt, layer::layer_fn, service_fn};
    ///
    /// let no_mail_at_night = layer_fn(|inner: BoxPeerService| {
    ///     service_fn(move |message: Incoming| {
    ///         let target = message.ext.get::<Target>();
    ///         if target.is_some_and(|target| &*target.tool.server_id == "mail") {
    ///             let error = ErrorCode::AccessDenied.error("no mail at night");
    ///             if let Some(record) = message.ext.get::<CallRecord>() {
    ///                 record.refuse(RefusalKind::Access, error.message.clone());
    ///             }
    ///             return Either::Left(ready(Ok(Reply::error(error))));
    ///         }
    ///         Either::Right(inner.clone().oneshot(message))
    ///     })
    /// });
    /// let kernel = Kernel::builder().gate(no_mail_at_night);
    /// ```
    ///
    /// [`Target`]: mgp_types::context::Target
    /// [`ToolProfile`]: mgp_security::profile::ToolProfile
    /// [`CallRecord`]: mgp_transport::seam::CallRecord
    #[must_use]
    pub fn gate<L>(mut self, layer: L) -> Self
    where
        L: Layer<BoxPeerService, Service: PeerService> + Send + Sync + 'static,
    {
        self.own_gates.push(layer);
        self
    }

    /// The folder in which the OAuth tokens of servers that [`configure`](Self::configure) adds after this are kept, in a file that only
    /// the user can read; in memory otherwise.
    #[must_use]
    pub fn token_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.token_folder = Some(folder.into());
        self
    }

    /// An agent that servers' default policies hold for.
    #[must_use]
    pub fn agent(mut self, id: impl Into<String>) -> Self {
        self.agents.push(id.into());
        self
    }

    /// How many calls of hosts that speak a stateless revision of MCP may wait for answers of their hosts.
    #[must_use]
    pub fn parked_calls(mut self, bounds: ParkedCalls) -> Self {
        self.parked = bounds;
        self
    }

    /// Starts the kernel and its servers. Returns before they are connected; [`Kernel::ready`] waits for them.
    ///
    /// # Errors
    /// [`KernelError`].
    pub async fn start(self) -> Result<Kernel, KernelError> {
        let registry = Registry::new();
        for server in &self.servers {
            let mut known =
                RegisteredServer::new(&*server.id, ServerSource::Configuration(Some(server.trust)));
            server_id(&server.id).map_err(KernelError::ServerId)?;
            known.extensions = server.extensions;
            known.configured_permissions = server.permissions.iter().cloned().collect();
            known.permissions = known.configured_permissions.clone();
            registry.add(known)?;
        }
        let access = match self.access {
            Some(access) => access,
            None => AccessControl::open(Arc::new(MemoryAccessStore::new())).await?,
        };
        for server in &self.servers {
            access.set_server(&server.id, server.default_policy);
        }
        for agent in &self.agents {
            access.add_agent(agent);
        }
        let rules = approved(self.rules, &self.servers)?;
        let mut permissions = Permissions::builder(rules, self.permission_store, self.sink.clone())
            .time_limit(self.decision_time_limit)
            .grant_lifetime(self.grant_lifetime);
        if let Some(approver) = &self.approver {
            permissions = permissions.approver(approver.clone());
        }
        let permissions = permissions.open().await?;
        let names = Catalogue::new(self.servers.iter().map(|server| server.id.as_str()))?;
        let pinned = pinned(self.pinned, &self.servers);
        let running = Arc::new(Semaphore::new(self.max_concurrent.clamp(1, Semaphore::MAX_PERMITS)));
        let tasks = Arc::new(TaskTable::default());
        let (servers, commands): (Vec<_>, Vec<_>) = self
            .servers
            .into_iter()
            .map(|spec| Server::new(spec, running.clone(), self.sink.clone(), tasks.clone()))
            .unzip();
        let core = Arc::new_cyclic(|core: &Weak<Core>| Core {
            myself: Principal::new("kernel", ActorType::Kernel, false),
            exposure: self.exposure,
            pinned,
            servers,
            tools: ArcSwap::from_pointee(ToolTable::default()),
            discovery: Discovery::new(names.clone(), Arc::new(Offered::new(core.clone())))
                .with_states(Arc::new(States(registry.clone())))
                .with_default_results(self.search_results),
            names,
            registry,
            access,
            permissions,
            sink: self.sink,
            audit_log: self.audit_log,
            hosts: Hosts::default(),
            tasks,
            rebuilding: tokio::sync::Mutex::new(()),
            first_start_limit: self.first_start_limit,
            handshake: handshake(),
            health: health(core.clone()),
            offered: Arc::new(Offered::new(core.clone())),
        });
        core.hosts.start();
        let (access, permissions) = (core.access.clone(), core.permissions.clone());
        tokio::spawn(tell_of_new_rights(Arc::downgrade(&core), access, permissions));
        let gates = Gates {
            approver: self.approver,
            time_limit: self.decision_time_limit,
            validators: self.validators,
            own: self.own_gates,
        };
        let (handshake, health) = (core.handshake.clone(), core.health.clone());
        let face = HostFace::new(pipeline(&core, gates), handshake, health, self.parked);
        let supervisors = core
            .servers
            .iter()
            .zip(commands)
            .map(|(server, commands)| tokio::spawn(supervise(core.clone(), server.clone(), commands)))
            .collect();
        Ok(Kernel::new(core, face, supervisors))
    }
}

/// The tools that are always shown, those of each server by its own names included.
fn pinned(mut pinned: HashSet<String>, servers: &[ServerSpec]) -> HashSet<String> {
    for server in servers {
        pinned.extend(server.pinned.iter().map(|tool| format!("{}__{tool}", server.id)));
    }
    pinned
}

/// Where servers stand, for searches.
#[derive(Debug)]
struct States(Registry);

impl ServerStates for States {
    fn in_state(&self, state: ServerState) -> Option<HashSet<Arc<str>>> {
        Some(self.0.in_state(state))
    }
}

/// The rules with what the configuration approves.
fn approved(mut rules: PermissionRules, servers: &[ServerSpec]) -> Result<PermissionRules, KernelError> {
    for server in servers {
        for name in &server.approved {
            let permissions = Permission::expand(name).map_err(|error| KernelError::Permission {
                server: server.id.clone(),
                reason: error.to_string(),
            })?;
            for permission in permissions {
                rules = rules.approve(&server.id, permission);
            }
        }
    }
    Ok(rules)
}

/// What hosts can ask the kernel for. Which of it there is depends on the servers, and is seen in the lists.
fn capabilities() -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::default()
        .with_list_changed("tools")
        .with_list_changed("prompts")
        .with("completions")
        .with("logging");
    let resources: RawObject =
        [("subscribe", true.into()), ("listChanged", true.into())].into_iter().collect();
    capabilities.0.insert("resources", resources.to_json());
    let nested = |key: &'static str, inner: RawJson| RawObject::from_iter([(key, inner)]).to_json();
    let none = RawJson::empty_object;
    let tasks = [("list", none()), ("cancel", none()), ("requests", nested("tools", nested("call", none())))];
    capabilities.0.insert("tasks", RawObject::from_iter(tasks).to_json());
    capabilities
}

/// What the kernel says of itself to hosts (§2.3).
fn handshake() -> Handshake {
    let mut extensions = ExtensionSet::EMPTY;
    for extension in [
        Extension::Security,
        Extension::AccessControl,
        Extension::Audit,
        Extension::Lifecycle,
        Extension::Streaming,
        Extension::Discovery,
        Extension::ToolDiscovery,
    ] {
        extensions.insert(extension);
    }
    Handshake {
        implementation: Implementation::new("mgp", env!("CARGO_PKG_VERSION")),
        instructions: None,
        capabilities: capabilities(),
        profile: ServerProfile {
            extensions,
            permissions_required: Vec::new(),
            server_id: Some("mgp.kernel".to_owned()),
            trust_level: None,
        },
    }
}

fn health(core: Weak<Core>) -> Health {
    Health::new("mgp.kernel").tools(move || {
        let Some(core) = core.upgrade() else { return ToolCounts { available: 0, total: 0 } };
        let tools = core.tools.load();
        let count =
            |up: bool| tools.entries().filter(|entry| !up || entry.server.link().is_some()).count() as u64;
        ToolCounts { available: count(true), total: count(false) }
    })
}
