//! The builder of a kernel.

use crate::kernel::{
    ConfigurationError, Endpoint, ParkedCalls, ServerSpec, registration::Reach, reload::AppliedConfiguration,
    settings::Settings,
};
use mgp_discovery::{
    config::{AuditBefore, Config, ReferencesConfig, RefusalForm},
    listing::ListingStore,
    public_registry::Recommender,
    registration::{Registration, RegistrationStore},
    registry::RegistryError,
};
use mgp_lifecycle::{
    idempotency::{IdempotencySettings, IdempotencyStore},
    transaction::TransactionStore,
};
use mgp_security::{
    access::StoreError,
    audit::{AuditLog, AuditSink},
    validator::Validators,
};
use mgp_server_sdk::ServerStack;
use mgp_toolindex::{
    budget::{BudgetError, ToolContextBudget},
    exposure::Exposure,
    index::{IndexError, ToolIndexBuilder},
    session::SessionBounds,
    tokens::TokenCounter,
};
use mgp_transport::seam::{BoxPeerService, GateLayer, Judge, PeerService, Routes, ToolCall};
use mgp_types::lifecycle::RestartPolicy;
use std::{fmt, path::PathBuf, sync::Arc, time::Duration};
use tower_layer::Layer;

/// The builder of a [`Kernel`](crate::kernel::Kernel), made by [`Kernel::builder`](crate::kernel::Kernel::builder). By default, state is kept in
/// memory and users are asked by elicitation. The order of the calls does not matter, except among servers, among gates, and if a
/// value is set twice; every setter overrides the configuration.
#[derive(Default)]
pub struct KernelBuilder {
    /// Applied in this order, before the setters.
    pub(in crate::kernel) configurations: Vec<Config>,
    /// The folder in which OAuth tokens are kept; `None` keeps them in memory.
    pub(in crate::kernel) token_folder: Option<PathBuf>,
    setters: Vec<Setter>,
}

/// A change of the settings, which is made after those of the configuration.
type Setter = Box<dyn FnOnce(&mut Settings) + Send + Sync>;

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
    /// The configuration cannot be carried out.
    #[error("{0}")]
    Configuration(#[from] ConfigurationError),
    /// State could not be read.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// A rule of the program is invalid, or could not be stored or recorded.
    #[error("failed to grant: {0}")]
    Grant(String),
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

impl fmt::Debug for KernelBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelBuilder").field("setters", &self.setters.len()).finish_non_exhaustive()
    }
}

impl KernelBuilder {
    pub(super) fn set(mut self, setter: impl FnOnce(&mut Settings) + Send + Sync + 'static) -> Self {
        self.setters.push(Box::new(setter));
        self
    }

    /// Returns the settings: those of the configuration, changed by the setters.
    pub(in crate::kernel) fn into_settings(self) -> Result<Settings, ConfigurationError> {
        let mut settings = Settings::default();
        if let [config] = &self.configurations[..] {
            settings.applied = Some(AppliedConfiguration::new(config.clone(), self.token_folder.clone()));
        }
        for config in &self.configurations {
            settings.configure(config, self.token_folder.as_deref())?;
        }
        self.setters.into_iter().for_each(|set| set(&mut settings));
        let program = std::mem::take(&mut settings.program);
        let mut settings = settings.with_program(&program);
        if let Some(applied) = &mut settings.applied {
            applied.keep(program);
        }
        Ok(settings)
    }

    /// Adds a server. If two servers have a tool of the same name, the server that was added first keeps the bare name.
    #[must_use]
    pub fn server(self, server: ServerSpec) -> Self {
        self.set(move |settings| settings.program.servers.push(server))
    }

    /// Adds a server that runs in this process.
    #[must_use]
    pub fn server_in_process(self, id: impl Into<String>, stack: ServerStack) -> Self {
        self.server(ServerSpec::new(id, stack))
    }

    /// Sets which tools are shown to a host.
    #[must_use]
    pub fn exposure(self, exposure: Exposure) -> Self {
        self.set(move |settings| settings.exposure = exposure)
    }

    /// Adds tools that are always shown to hosts, by the name under which they are shown or as `server__tool`.
    #[must_use]
    pub fn pinned<I: IntoIterator<Item: Into<String>>>(self, tools: I) -> Self {
        let tools: Vec<String> = tools.into_iter().map(Into::into).collect();
        self.set(move |settings| settings.pinned.extend(tools))
    }

    /// Sets the budget of tokens that tool definitions may take in a model's context (§16.8). [`start`](Self::start) fails if the
    /// parts of the budget exceed the whole.
    #[must_use]
    pub fn context_budget(self, budget: ToolContextBudget) -> Self {
        self.set(move |settings| settings.budget = budget)
    }

    /// Sets the counter of tokens; [`Cl100k`](mgp_toolindex::tokens::Cl100k) by default.
    #[must_use]
    pub fn token_counter(self, counter: impl TokenCounter) -> Self {
        self.set(move |settings| settings.counter = Arc::new(counter))
    }

    /// Sets the limits on the tool sessions that are kept for hosts without a session of their own: their number, and the time for
    /// which they are kept.
    #[must_use]
    pub fn tool_sessions(self, bounds: SessionBounds) -> Self {
        self.set(move |settings| settings.tool_sessions = bounds)
    }

    /// Sets the number of tools that a search returns if the search does not name one; 5 by default.
    #[must_use]
    pub fn search_results(self, count: usize) -> Self {
        self.set(move |settings| settings.search_results = count)
    }

    /// Sets the index by which tools are found; by default, it searches by words and with the embedded table.
    #[must_use]
    pub fn tool_index(self, index: ToolIndexBuilder) -> Self {
        self.set(move |settings| settings.index = index)
    }

    /// Sets the most calls that may run at once over all servers. Each server has its own limit within it.
    #[must_use]
    pub fn max_concurrent(self, calls: usize) -> Self {
        self.set(move |settings| settings.max_concurrent = calls)
    }

    /// Sets how long a list, a search, or a call of an unknown tool waits for servers that start for the first time; 10 seconds by
    /// default. The tools of servers that come up later are announced.
    #[must_use]
    pub fn first_start_limit(self, limit: Duration) -> Self {
        self.set(move |settings| settings.first_start_limit = limit)
    }

    /// Sets the text that hosts get as instructions, in front of the list of servers that each of them may use.
    #[must_use]
    pub fn instructions(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.set(move |settings| settings.instructions.own = Some(text))
    }

    /// Sets the text that hosts get while nobody has configured the kernel: as instructions, and when they find no tool.
    #[must_use]
    pub fn unconfigured(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.set(move |settings| settings.instructions.unconfigured = Some(text))
    }

    /// Sets the most tokens that the list of servers in the instructions, together with the servers' own instructions, may take;
    /// 1,000 by default. With 0, both are left out.
    #[must_use]
    pub fn instructions_tokens(self, tokens: u64) -> Self {
        self.set(move |settings| settings.instructions.tokens = tokens)
    }

    /// Sets how long the answer to a host's handshake waits for servers that start for the first time, so that the instructions can
    /// count their tools; 2 seconds by default.
    #[must_use]
    pub fn greeting_wait(self, limit: Duration) -> Self {
        self.set(move |settings| settings.instructions.wait = limit)
    }

    /// Sets the form in which a refused tool call is answered; an error by default.
    #[must_use]
    pub fn refusals(self, form: RefusalForm) -> Self {
        self.set(move |settings| settings.refusals = form)
    }

    /// Sets the bounds of results that are kept, and the hosts from which data of servers' own references is fetched.
    #[must_use]
    pub fn references(self, references: ReferencesConfig) -> Self {
        self.set(move |settings| settings.references.bounds = references)
    }

    /// Sets the most tokens of a result that a host is sent; by default, there is no limit. A longer result is kept, and the host gets a
    /// reference to it.
    #[must_use]
    pub fn max_result_tokens(self, tokens: u64) -> Self {
        self.set(move |settings| settings.references.results.max_tokens = Some(tokens))
    }

    /// Sets the sink of audit events, from which they cannot be read again; see [`audit_log`](Self::audit_log).
    #[must_use]
    pub fn audit_sink(self, sink: impl AuditSink) -> Self {
        self.set(move |settings| {
            settings.sink = Arc::new(sink);
            settings.audit_log = None;
        })
    }

    /// Sets the log of audit events, from which they can be read again.
    #[must_use]
    pub fn audit_log(self, log: AuditLog) -> Self {
        self.set(move |settings| {
            settings.sink = Arc::new(log.clone());
            settings.audit_log = Some(log);
        })
    }

    /// Sets the server, by its id, to which all events of the [log](Self::audit_log) are forwarded, the oldest first. It gets each at least
    /// once, with its number in `_mgp.seq`, if it negotiates MGP's extension `audit`. It runs as long as the kernel:
    /// [`ServerSpec::lazy`] and [`ServerSpec::idle_timeout`] are ignored for it.
    #[must_use]
    pub fn audit_server(self, id: impl Into<String>) -> Self {
        let id = id.into();
        self.set(move |settings| settings.audit_server = Some(id))
    }

    /// Sets the calls before which an event is stored, so that a call that ran when the kernel was killed has a trace; those of dangerous
    /// tools by default.
    #[must_use]
    pub fn audit_before(self, calls: AuditBefore) -> Self {
        self.set(move |settings| settings.audit_before = calls)
    }

    /// Sets whether the audit trail records servers that connect and disconnect; `true` by default. A kernel that lives for a
    /// single request would fill the trail with such events.
    #[must_use]
    pub fn lifecycle_events(self, recorded: bool) -> Self {
        self.set(move |settings| settings.lifecycle_events = recorded)
    }

    /// Sets the validators, by name.
    #[must_use]
    pub fn validators(self, validators: Validators) -> Self {
        self.set(move |settings| settings.validators = validators)
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
    ///         return Refusal::new(RefusalKind::Policy, error).into();
    ///     }
    ///     Decision::Allow
    /// };
    /// let kernel = Kernel::builder().gate(no_mail_at_night);
    /// ```
    #[must_use]
    pub fn gate(self, judge: impl Judge) -> Self {
        self.layer(GateLayer::new(Arc::new(judge)))
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
    pub fn layer<L>(self, layer: L) -> Self
    where
        L: Layer<BoxPeerService<ToolCall>, Service: PeerService<ToolCall>> + Send + Sync + 'static,
    {
        self.set(move |settings| settings.own_layers.push(layer))
    }

    /// Adds the methods of a section of your own, which run no server's tool. A method of the kernel stays as it is. The kernel records
    /// each refusal before it answers.
    #[must_use]
    pub fn routes(self, routes: Routes) -> Self {
        self.set(move |settings| settings.routes = std::mem::take(&mut settings.routes).merge(routes))
    }

    /// Sets the store of what lazy servers listed last, so that their tools are known while they do not run. Without one, each kernel
    /// starts them once to list their tools.
    #[must_use]
    pub fn listing_store(self, store: impl ListingStore) -> Self {
        self.set(move |settings| settings.listing_store = Some(Arc::new(store)))
    }

    /// Sets the registries that recommend servers when a request for tools finds none for a capability. The words of the capability, which
    /// the agent chooses, are sent to them.
    #[must_use]
    pub fn recommender(self, recommender: Recommender) -> Self {
        self.set(move |settings| settings.recommender = Some(recommender))
    }

    /// Sets the store of calls that carry an idempotency key. Without one, they are kept in memory, and the end of the kernel forgets them.
    #[must_use]
    pub fn idempotency_store(self, store: impl IdempotencyStore) -> Self {
        self.set(move |settings| settings.idempotency_store = Arc::new(store))
    }

    /// Sets the store of transactions. Without one, they are kept in memory, and the end of the kernel forgets them.
    #[must_use]
    pub fn transaction_store(self, store: impl TransactionStore) -> Self {
        self.set(move |settings| settings.transaction_store = Arc::new(store))
    }

    /// Sets whether hosts that do not speak MGP are shown the tool `mgp_transaction`; `false` by default.
    #[must_use]
    pub fn transactions(self, shown: bool) -> Self {
        self.set(move |settings| settings.transactions = shown)
    }

    /// Sets whether the arguments of every call are checked against their tool's input schema before anybody is asked about the call; `false` by
    /// default, where only calls that ask for it are checked, and all others by their servers. Arguments that do not fit are refused with 4000.
    #[must_use]
    pub fn check_arguments(self, checks: bool) -> Self {
        self.set(move |settings| settings.checks_arguments = checks)
    }

    /// Sets how long idempotency keys are kept, and the bounds on what is kept.
    #[must_use]
    pub fn idempotency(self, keys: IdempotencySettings) -> Self {
        self.set(move |settings| settings.idempotency = keys)
    }

    /// Sets the folder in which OAuth tokens are kept, for servers of the [configuration](Self::configure). The tokens are in a file
    /// that only the user can read; without a folder, they are kept in memory.
    #[must_use]
    pub fn token_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.token_folder = Some(folder.into());
        self
    }

    /// Sets the folder of the kernel's state. No confined server may use it, whatever else it may do, except for a folder of its own,
    /// `servers/ID`, which is its home and working directory and the only one that it may write without permission. Without a folder of
    /// state, there is none that it may write.
    #[must_use]
    pub fn state_folder(self, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        self.set(move |settings| settings.kernel_files.state_folder = Some(folder))
    }

    /// Adds a file or folder of the kernel's own, such as its configuration. No confined server may use it, whatever else it may do.
    #[must_use]
    pub fn kernel_file(self, path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        self.set(move |settings| settings.kernel_files.others.push(path))
    }

    /// Sets the name of the configuration, such as its path, which the kernel's report for operators
    /// ([`KernelStatus`](mgp_types::lifecycle::KernelStatus)) shows.
    #[must_use]
    pub fn configuration_name(self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.set(move |settings| settings.configuration = Some(name))
    }

    /// Counts calls, refusals, events of the audit trail and searches, for [`Kernel::metrics`](crate::kernel::Kernel::metrics). At most
    /// `tools` tools are counted each by itself, in the order of their first calls; the others are counted together. By default, nothing
    /// is counted.
    #[cfg(feature = "metrics")]
    #[must_use]
    pub fn metrics(self, tools: usize) -> Self {
        self.set(move |settings| settings.metrics = Some(tools))
    }

    /// Sets the limits on parked calls: calls of hosts that speak a stateless revision of MCP, while the calls wait for answers of
    /// their hosts.
    #[must_use]
    pub fn parked_calls(self, bounds: ParkedCalls) -> Self {
        self.set(move |settings| settings.parked = bounds)
    }

    /// Sets the store of servers that are registered while the kernel runs; in memory by default. The servers in the store are
    /// started with the kernel.
    #[must_use]
    pub fn registration_store(self, store: impl RegistrationStore) -> Self {
        self.set(move |settings| settings.registration_store = Arc::new(store))
    }

    /// Sets the policy by which a registered server is started again after its end; on failure by default.
    #[must_use]
    pub fn registered_restart(self, policy: RestartPolicy) -> Self {
        self.set(move |settings| settings.registered_restart = policy)
    }

    /// Sets how a registered server is reached, instead of by its command or its URL: in a container, for example.
    #[must_use]
    pub fn reach_registered(
        self,
        reach: impl Fn(&Registration) -> Result<Endpoint, ConfigurationError> + Send + Sync + 'static,
    ) -> Self {
        self.set(move |settings| settings.reach = Reach::new(reach))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_security::permission::PermissionRules;
    use mgp_types::permission::PermissionPolicy;

    /// Calls every setter whose value the configuration has too.
    fn set(builder: KernelBuilder) -> KernelBuilder {
        builder
            // Shown in one order.
            .validators(Validators::default())
            .exposure(Exposure::Full)
            .search_results(3)
            .max_concurrent(7)
            .first_start_limit(Duration::from_secs(1))
            .instructions("of the program")
            .instructions_tokens(5)
            .refusals(RefusalForm::Result)
            .permission_rules(PermissionRules::new(PermissionPolicy::DenyAll))
            .approval_wait(Duration::from_secs(2))
            .decision_timeout(Duration::from_secs(3))
            .grant_lifetime(None)
            .conceal(false)
            .registrars(["ann"])
            .parked_calls(ParkedCalls { lifetime: Duration::from_secs(4), ..ParkedCalls::default() })
            .context_budget(ToolContextBudget::default())
            .pinned(["time"])
            .agent("ann")
    }

    #[test]
    fn a_setter_overrides_the_configuration_whichever_comes_first() {
        let text = "[kernel]\nexposure = \"discovery\"\nsearch_results = 9\ninstructions = \"of the file\"\n\
            instructions_tokens = 9\nstart_wait_ms = 9\nagent = \"bob\"\n[access]\nconceal = true\nregistrars = [\"bob\"]\n\
            [permissions]\nwait_ms = 9\ngrant_lifetime_secs = 9\n";
        let config = Config::parse("mgp.toml".as_ref(), text.as_bytes(), &|_| None).unwrap();
        let settings = |builder: KernelBuilder| format!("{:?}", builder.into_settings().unwrap());
        let first = settings(set(KernelBuilder::default()).configure(&config).unwrap());
        assert_eq!(first, settings(set(KernelBuilder::default().configure(&config).unwrap())));
        let shown = [
            "exposure: Full",
            "search_results: 3",
            "own: Some(\"of the program\")",
            "conceal: Some(false)",
            "bob",
        ];
        assert!(shown.iter().all(|text| first.contains(text)), "{first}");
    }
}
