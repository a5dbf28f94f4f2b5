//! The builder of a kernel.

use super::{
    AskHost, ConfigurationError, Endpoint, ParkedCalls, ServerSpec, configured::endpoint, instructions,
    own_layers::OwnLayers, registration::Reach,
};
use mgp_discovery::{
    config::{KernelConfig, Limits, RefusalForm},
    registration::{MemoryRegistrationStore, Registrars, Registration, RegistrationStore},
    registry::RegistryError,
};
use mgp_security::{
    access::{AccessControl, StoreError},
    audit::{AuditLog, AuditSink, MemorySink},
    permission::{
        Approver, ConfirmationStore, Confirmations, MemoryConfirmationStore, MemoryPermissionStore,
        PermissionRules, PermissionStore, Permissions,
    },
    validator::Validators,
};
use mgp_toolindex::{
    budget::{BudgetError, ToolContextBudget},
    exposure::Exposure,
    index::{IndexError, ToolIndexBuilder},
    session::SessionBounds,
    tokens::{Cl100k, TokenCounter},
};
use mgp_transport::seam::{BoxPeerService, GateLayer, Judge, PeerService, ToolCall};
use mgp_types::{lifecycle::RestartPolicy, permission::PermissionPolicy};
use std::{
    collections::{BTreeSet, HashSet},
    fmt,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};
use tower_layer::Layer;

/// The builder of a [`Kernel`](super::Kernel), made by [`Kernel::builder`](super::Kernel::builder). By default, state is kept in
/// memory and users are asked by elicitation.
#[derive(Debug)]
pub struct KernelBuilder {
    pub(super) servers: Vec<ServerSpec>,
    pub(super) exposure: Exposure,
    pub(super) pinned: HashSet<String>,
    pub(super) budget: ToolContextBudget,
    pub(super) counter: Arc<dyn TokenCounter>,
    pub(super) tool_sessions: SessionBounds,
    pub(super) search_results: usize,
    pub(super) index: ToolIndexBuilder,
    pub(super) max_concurrent: usize,
    pub(super) first_start_limit: Duration,
    pub(super) rules: PermissionRules,
    pub(super) permission_store: Arc<dyn PermissionStore>,
    pub(super) approver: Option<Arc<dyn Approver>>,
    pub(super) confirmation_store: Arc<dyn ConfirmationStore>,
    pub(super) approval_wait: Duration,
    pub(super) decision_timeout: Duration,
    pub(super) grant_lifetime: Option<Duration>,
    pub(super) access: Option<AccessControl>,
    pub(super) conceal: Option<bool>,
    pub(super) sink: Arc<dyn AuditSink>,
    pub(super) audit_log: Option<AuditLog>,
    pub(super) lifecycle_events: bool,
    pub(super) validators: Validators,
    pub(super) own_layers: OwnLayers,
    pub(super) agents: Vec<String>,
    pub(super) parked: ParkedCalls,
    /// The folder in which OAuth tokens are kept; `None` keeps them in memory.
    pub(super) token_folder: Option<PathBuf>,
    /// The ids of the servers in the configuration, including servers that are left out.
    pub(super) configured: BTreeSet<String>,
    /// The settings of the configuration that apply to registered servers.
    pub(super) settings: KernelConfig,
    pub(super) registrars: Registrars,
    pub(super) registration_store: Arc<dyn RegistrationStore>,
    pub(super) registered_restart: RestartPolicy,
    pub(super) reach: Reach,
    pub(super) instructions: instructions::Settings,
    pub(super) refusals: RefusalForm,
}

/// An error that keeps a kernel from starting.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// Two servers have one id, or there are too many.
    #[error("{0}")]
    Servers(#[from] RegistryError),
    /// A server's id is not one that calls and grants can name.
    #[error("invalid id of a server: {0}")]
    ServerId(String),
    /// The configuration approves a name that is not a permission.
    #[error("server {server:?}: {reason}")]
    Permission {
        /// The server.
        server: String,
        /// The reason why the name is not a permission.
        reason: String,
    },
    /// State could not be read.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// The parts of the context budget are more than the whole.
    #[error("invalid context budget: {0}")]
    Budget(#[from] BudgetError),
    /// The operating system provides no random bytes, which are needed to seal the handles of sessions.
    #[error("no random bytes: {0}")]
    Random(#[source] std::io::Error),
    /// The tool index could not be made.
    #[error("{0}")]
    Index(#[from] IndexError),
}

// A `main` that returns the error prints this form.
impl fmt::Debug for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The number of audit events that a kernel without an audit trail keeps in memory.
const EVENTS_IN_MEMORY: usize = 10_000;

impl Default for KernelBuilder {
    fn default() -> Self {
        Self {
            servers: Vec::new(),
            exposure: Exposure::default(),
            pinned: HashSet::new(),
            budget: ToolContextBudget::default(),
            counter: Arc::new(Cl100k),
            tool_sessions: SessionBounds::default(),
            search_results: 5,
            index: ToolIndexBuilder::default(),
            max_concurrent: Limits::default().max_concurrent_calls,
            first_start_limit: Duration::from_secs(10),
            rules: PermissionRules::new(PermissionPolicy::Interactive),
            permission_store: Arc::new(MemoryPermissionStore::default()),
            approver: Some(Arc::new(AskHost::new())),
            confirmation_store: Arc::new(MemoryConfirmationStore::default()),
            approval_wait: Permissions::WAIT,
            decision_timeout: Confirmations::LIFETIME,
            grant_lifetime: None,
            access: None,
            conceal: None,
            sink: Arc::new(MemorySink::new(EVENTS_IN_MEMORY)),
            audit_log: None,
            lifecycle_events: true,
            validators: Validators::standard(),
            own_layers: OwnLayers::default(),
            agents: Vec::new(),
            parked: ParkedCalls::default(),
            token_folder: None,
            configured: BTreeSet::new(),
            settings: KernelConfig::default(),
            registrars: Registrars::default(),
            registration_store: Arc::new(MemoryRegistrationStore::new()),
            registered_restart: RestartPolicy::default(),
            reach: Reach::new(|registration| endpoint(&registration.server, None)),
            instructions: instructions::Settings::default(),
            refusals: RefusalForm::default(),
        }
    }
}

impl KernelBuilder {
    /// Adds a server. If two servers have a tool of the same name, the server that was added first keeps the bare name.
    #[must_use]
    pub fn server(mut self, server: ServerSpec) -> Self {
        self.servers.push(server);
        self
    }

    /// Sets which tools are shown to a host.
    #[must_use]
    pub fn exposure(mut self, exposure: Exposure) -> Self {
        self.exposure = exposure;
        self
    }

    /// Adds tools that are always shown to hosts, by the name under which they are shown or as `server__tool`.
    #[must_use]
    pub fn pinned<I: IntoIterator<Item: Into<String>>>(mut self, tools: I) -> Self {
        self.pinned.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Sets the budget of tokens that tool definitions may take in a model's context (§16.8). [`start`](Self::start) fails if the
    /// parts of the budget exceed the whole.
    #[must_use]
    pub fn context_budget(mut self, budget: ToolContextBudget) -> Self {
        self.budget = budget;
        self
    }

    /// Sets the counter of tokens; [`Cl100k`] by default.
    #[must_use]
    pub fn token_counter(mut self, counter: Arc<dyn TokenCounter>) -> Self {
        self.counter = counter;
        self
    }

    /// Sets the limits on the tool sessions that are kept for hosts without a session of their own: their number, and the time for
    /// which they are kept.
    #[must_use]
    pub fn tool_sessions(mut self, bounds: SessionBounds) -> Self {
        self.tool_sessions = bounds;
        self
    }

    /// Sets the number of tools that a search returns if the search does not name one; 5 by default.
    #[must_use]
    pub fn search_results(mut self, count: usize) -> Self {
        self.search_results = count;
        self
    }

    /// Sets the index by which tools are found; by default, it searches by words and with the embedded table.
    #[must_use]
    pub fn tool_index(mut self, index: ToolIndexBuilder) -> Self {
        self.index = index;
        self
    }

    /// Sets the most calls that may run at once over all servers. Each server has its own limit within it.
    #[must_use]
    pub fn max_concurrent(mut self, calls: usize) -> Self {
        self.max_concurrent = calls;
        self
    }

    /// Sets how long a list, a search, or a call of an unknown tool waits for servers that start for the first time; 10 seconds by
    /// default. The tools of servers that come up later are announced.
    #[must_use]
    pub fn first_start_limit(mut self, limit: Duration) -> Self {
        self.first_start_limit = limit;
        self
    }

    /// Sets the text that hosts get as instructions, in front of the list of servers that each of them may use.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions.own = Some(text.into());
        self
    }

    /// Sets the text that hosts get while nobody has configured the kernel: as instructions, and when they find no tool.
    #[must_use]
    pub fn unconfigured(mut self, text: impl Into<String>) -> Self {
        self.instructions.unconfigured = Some(text.into());
        self
    }

    /// Sets the most tokens that the list of servers in the instructions, together with the servers' own instructions, may take;
    /// 1,000 by default. With 0, both are left out.
    #[must_use]
    pub fn instructions_tokens(mut self, tokens: u64) -> Self {
        self.instructions.tokens = tokens;
        self
    }

    /// Sets how long the answer to a host's handshake waits for servers that start for the first time, so that the instructions can
    /// count their tools; 2 seconds by default.
    #[must_use]
    pub fn greeting_wait(mut self, limit: Duration) -> Self {
        self.instructions.wait = limit;
        self
    }

    /// Sets the form in which a refused tool call is answered; an error by default.
    #[must_use]
    pub fn refusals(mut self, form: RefusalForm) -> Self {
        self.refusals = form;
        self
    }

    /// Sets the rules for permissions: the policy, its exceptions, and the permissions that are approved in advance.
    #[must_use]
    pub fn permission_rules(mut self, rules: PermissionRules) -> Self {
        self.rules = rules;
        self
    }

    /// Sets the store of decisions on permissions; in memory by default.
    #[must_use]
    pub fn permission_store(mut self, store: Arc<dyn PermissionStore>) -> Self {
        self.permission_store = store;
        self
    }

    /// Sets the approver that decides on permissions and calls; [`AskHost`] by default. With `None`, a call that needs a decision
    /// is refused.
    #[must_use]
    pub fn approver(mut self, approver: Option<Arc<dyn Approver>>) -> Self {
        self.approver = approver;
        self
    }

    /// Sets the store of questions whether calls may be made, and of their answers; in memory by default.
    #[must_use]
    pub fn confirmation_store(mut self, store: Arc<dyn ConfirmationStore>) -> Self {
        self.confirmation_store = store;
        self
    }

    /// Sets how long a call waits for all the answers that it needs; [`Permissions::WAIT`] by default. After that time the call is
    /// refused with the id of its question, and the answer applies when the call is made again.
    #[must_use]
    pub fn approval_wait(mut self, wait: Duration) -> Self {
        self.approval_wait = wait;
        self
    }

    /// Sets how long a question whether a call may be made stays open, and how long an unused approval of a single call stays
    /// valid; [`Confirmations::LIFETIME`] by default.
    #[must_use]
    pub fn decision_timeout(mut self, timeout: Duration) -> Self {
        self.decision_timeout = timeout;
        self
    }

    /// Sets the lifetime of approvals that are given without one. With `None`, the default, such approvals hold for good.
    #[must_use]
    pub fn grant_lifetime(mut self, lifetime: Option<Duration>) -> Self {
        self.grant_lifetime = lifetime;
        self
    }

    /// Sets the access control, which decides which agent may use which tool.
    #[must_use]
    pub fn access(mut self, access: AccessControl) -> Self {
        self.access = Some(access);
        self
    }

    /// Sets whether a call of a tool that its agent may not use is answered like a call of a tool that does not exist (4001),
    /// instead of with 1001. The audit trail has the true reason either way. By default, tools are concealed from all hosts except
    /// those that [`HostFace::serve`](super::HostFace::serve) serves, whose user is the local operator.
    #[must_use]
    pub fn conceal(mut self, conceal: bool) -> Self {
        self.conceal = Some(conceal);
        self
    }

    /// Sets the sink of audit events, from which they cannot be read again; see [`audit_log`](Self::audit_log).
    #[must_use]
    pub fn audit_sink(mut self, sink: Arc<dyn AuditSink>) -> Self {
        self.sink = sink;
        self.audit_log = None;
        self
    }

    /// Sets the log of audit events, from which they can be read again.
    #[must_use]
    pub fn audit_log(mut self, log: AuditLog) -> Self {
        self.sink = Arc::new(log.clone());
        self.audit_log = Some(log);
        self
    }

    /// Sets whether the audit trail records servers that connect and disconnect; `true` by default. A kernel that lives for a
    /// single request would fill the trail with such events.
    #[must_use]
    pub fn lifecycle_events(mut self, recorded: bool) -> Self {
        self.lifecycle_events = recorded;
        self
    }

    /// Sets the validators, by name.
    #[must_use]
    pub fn validators(mut self, validators: Validators) -> Self {
        self.validators = validators;
        self
    }

    /// Adds a gate of your own to the pipeline: inside access, permission and confirmation, outside the validators. Of several gates
    /// and layers, the one that is added first is outermost. A call that a gate refuses is recorded with the gate's reason.
    ///
    /// ```
    /// use mgp_client_sdk::kernel::Kernel;
    /// use mgp_transport::seam::{Decision, Refusal, RefusalKind, ToolCall};
    /// use mgp_types::error::ErrorCode;
    ///
    /// let no_mail_at_night = |call: &ToolCall| {
    ///     if &*call.target.tool.server_id == "mail" {
    ///         let error = ErrorCode::AccessDenied.error("no mail at night");
    ///         return Refusal::new(RefusalKind::Access, error).into();
    ///     }
    ///     Decision::Allow
    /// };
    /// let kernel = Kernel::builder().gate(no_mail_at_night);
    /// ```
    #[must_use]
    pub fn gate(self, judge: impl Judge + Clone) -> Self {
        self.layer(GateLayer::new(judge))
    }

    /// Adds a tower layer over tool calls to the pipeline, at the place of [`gate`](Self::gate). The user may have confirmed the
    /// call's arguments, so a layer should not change them.
    ///
    /// ```
    /// use mgp_client_sdk::kernel::Kernel;
    /// use mgp_transport::seam::{BoxPeerService, ToolCall};
    /// use tower::{ServiceExt, layer::layer_fn};
    ///
    /// let log = layer_fn(|inner: BoxPeerService<ToolCall>| {
    ///     inner.map_request(|call: ToolCall| {
    ///         println!("{} is called", call.target.tool);
    ///         call
    ///     })
    /// });
    /// let kernel = Kernel::builder().layer(log);
    /// ```
    #[must_use]
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<BoxPeerService<ToolCall>, Service: PeerService<ToolCall>> + Send + Sync + 'static,
    {
        self.own_layers.push(layer);
        self
    }

    /// Sets the folder in which OAuth tokens are kept, for servers that [`configure`](Self::configure) adds after this call. The
    /// tokens are in a file that only the user can read; without a folder, they are kept in memory.
    #[must_use]
    pub fn token_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.token_folder = Some(folder.into());
        self
    }

    /// Adds an agent to which the servers' default policies apply.
    #[must_use]
    pub fn agent(mut self, id: impl Into<String>) -> Self {
        self.agents.push(id.into());
        self
    }

    /// Sets the limits on parked calls: calls of hosts that speak a stateless revision of MCP, while the calls wait for answers of
    /// their hosts.
    #[must_use]
    pub fn parked_calls(mut self, bounds: ParkedCalls) -> Self {
        self.parked = bounds;
        self
    }

    /// Sets the agents that may register servers while the kernel runs (§15.4). Without any, only the admin role may.
    #[must_use]
    pub fn registrars<I: IntoIterator<Item: Into<String>>>(mut self, agents: I) -> Self {
        self.registrars = agents.into_iter().collect();
        self
    }

    /// Sets the store of servers that are registered while the kernel runs; in memory by default. The servers in the store are
    /// started with the kernel.
    #[must_use]
    pub fn registration_store(mut self, store: Arc<dyn RegistrationStore>) -> Self {
        self.registration_store = store;
        self
    }

    /// Sets the policy by which a registered server is started again after its end; on failure by default.
    #[must_use]
    pub fn registered_restart(mut self, policy: RestartPolicy) -> Self {
        self.registered_restart = policy;
        self
    }

    /// Sets how a registered server is reached, instead of by its command or its URL: in a container, for example.
    #[must_use]
    pub fn reach_registered(
        mut self,
        reach: impl Fn(&Registration) -> Result<Endpoint, ConfigurationError> + Send + Sync + 'static,
    ) -> Self {
        self.reach = Reach::new(reach);
        self
    }
}
