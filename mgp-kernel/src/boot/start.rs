//! Starts a kernel and its servers.

use super::{
    applied::AppliedConfiguration,
    background::{notify_of_new_rights, pin_later},
    configured::{ConfiguredParts, idempotency},
    endpoint::CredentialSources,
    grants::ConfiguredGrants,
    kernel::KernelParts,
    methods::{self, MethodParts},
    observer::KernelObserver,
    operator::{KernelFacts, OperatorHandles},
    reload::Reload,
    settings::Settings,
    stop_progress::KernelStop,
};
use crate::{
    ConfigurationError, HostFace, Kernel, KernelBuilder, KernelError, ServerSpec,
    catalog::{
        instructions::{self, Greeter},
        tool_index::{MetaTools, OperatorApprovals, SearchTimes, ToolCreation},
        tools::{
            FewTools, LastChange, OfferedTools, SparedTokens, TableProfiles, ToolTable, Tools,
            UnpinnedServers,
        },
    },
    exchange::Exchange,
    features::{
        audit_forwarding::{forward_to_hosts, newest},
        events::{KernelEvents, PublishingSink, follow_subscriptions, tell_hosts},
        instances::Instances,
        references::{ReferenceSettings, References},
        registration::{RegisteredServers, Registrar, RegistrationSettings, follow},
        server_set::ServerSet,
        session_states::SessionStates,
        tasks::{StepTasks, TaskNews, TaskTable},
        transactions::{PipelineCompensator, RecordedTransactions, RollbackApprover, TransactionTool},
    },
    ground::{stopped::StoppedServers, trail::Trail},
    host::{Hosts, greeting::handshake, parking::ParkingLayer},
    path::{
        metrics::CallCounters,
        pipeline::{Gates, PipelineParts, pipeline},
    },
    rights::rights::Rights,
    upstream::{KernelFiles, SharedParts, Supervision, listings::Listings, servers::Servers},
};
use arc_swap::ArcSwap;
use mgp_discovery::{
    config::{AuditBefore, KernelConfig, OnOutage, server_id},
    registration::Registrations,
    registry::{RegisteredServer, Registry, ServerSource},
};
use mgp_lifecycle::{
    idempotency::IdempotencyLayer,
    transaction::{TransactionSettings, Transactions},
};
use mgp_security::{
    access::{AccessControl, AccessMethods, SqlAccessStore, SqlStore},
    audit::AuditSink,
    definition::Definitions,
    limits::{Limits, quota::Quotas},
    permission::{Approver, Confirmations, Permissions},
};
use mgp_toolindex::{
    budget::Budget,
    catalogue::Catalogue,
    discover::{Discovery, ServerStates},
    request::Requests,
    session::{Handles, PinnedTools, SessionBounds, Sessions},
};
use mgp_transport::seam::boxed;
use mgp_types::{
    access::AccessGrantParams,
    context::{Principal, RiskLevel},
    lifecycle::{HealthStatus, RestartPolicy, ServerState},
    rpc::ErrorObject,
};
use std::{
    collections::HashSet,
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::sync::{Mutex, OnceCell, Semaphore, watch};

impl KernelBuilder {
    /// Starts the kernel and its servers. Returns before they are connected; [`Kernel::ready`] waits for them.
    ///
    /// # Errors
    /// [`KernelError`].
    pub async fn start(self) -> Result<Kernel, KernelError> {
        // Boxed, because the future is large.
        let settings = self.into_settings()?;
        Box::pin(settings.start()).await
    }
}

impl Settings {
    async fn start(self) -> Result<Kernel, KernelError> {
        let program = self.program;
        let kernel_files = KernelFiles { state_folder: self.state_folder.clone(), others: program.files };
        let credentials = CredentialSources { tokens: self.state_folder.clone(), secrets: program.secrets };
        let derived = ConfiguredParts::new(&self.config, &self.servers, &credentials)?;
        let applied = AppliedConfiguration::new(self.config.clone(), self.servers, credentials);
        let config = self.config;
        let approval_wait = Duration::from_millis(config.permissions.wait_ms);
        let registry = Registry::new();
        for server in &derived.servers {
            server_id(&server.id).map_err(KernelError::ServerId)?;
            registry.add(server.registered(ServerSource::Configuration(Some(server.trust))))?;
        }
        let access = match self.access {
            Some(access) => access,
            None => AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await?,
        };
        let events = KernelEvents::new(access.clone());
        let audit_log = self.sink.log();
        let sink: Arc<dyn AuditSink> = Arc::new(PublishingSink::new(self.sink, events.clone()));
        #[cfg(feature = "metrics")]
        let metrics = (program.metrics || config.telemetry.metrics.is_some())
            .then(|| Arc::new(crate::path::metrics::Metrics::new(config.telemetry.metrics_tools)));
        #[cfg(feature = "metrics")]
        let sink: Arc<dyn AuditSink> = match &metrics {
            Some(metrics) => Arc::new(crate::path::metrics::CountingSink::new(sink, metrics.clone())),
            None => sink,
        };
        for server in &derived.servers {
            access.set_server(&server.id, server.default_policy);
            access.set_trust(&server.id, server.trust);
        }
        access.add_agent(&config.kernel.agent);
        for key in &config.http.api_keys {
            access.add_agent(&key.agent);
        }
        access.set_roles(&config.roles());
        access.set_trusts_snapshot(config.store.on_outage == OnOutage::Snapshot);
        if let Some(policy) = self.policy.or(derived.policy) {
            access.set_policy(policy);
        }
        let refused = |error: ErrorObject| KernelError::Grant(error.message);
        let (name, rules) = (program.configuration_name.as_deref(), &config.access.grants);
        let configured = ConfiguredGrants::apply(name, rules, access.clone(), sink.clone());
        let configured_grants = configured.await.map_err(refused)?;
        let grants = self.granted.into_iter().map(AccessGrantParams::from).collect();
        AccessMethods::new(access.clone(), sink.clone())
            .establish(&Principal::operator("program"), grants)
            .await
            .map_err(refused)?;
        let mut permissions = Permissions::builder(derived.rules, self.stores.permissions, sink.clone())
            .wait(approval_wait)
            .grant_lifetime(config.permissions.grant_lifetime_secs.map(Duration::from_secs));
        let approver: Option<Arc<dyn Approver>> = match self.approver {
            Some(approver) => Some(Arc::new(RollbackApprover(approver))),
            None => None,
        };
        if let Some(approver) = &approver {
            permissions = permissions.approver(approver.clone());
        }
        let permissions = permissions.open().await?;
        let decision_timeout = Duration::from_secs(config.permissions.decision_timeout_secs);
        let confirmations = Confirmations::open(self.stores.confirmations, sink.clone(), decision_timeout);
        let definitions = Definitions::open(self.stores.definitions, sink.clone()).await?;
        let ids = derived.servers.iter().map(|server| server.id.as_str());
        let names = Catalogue::over(self.index.build()?, ids);
        let pinned = pinned(&config.kernel.pinned, &derived.servers);
        let references = References::new(
            ReferenceSettings {
                bounds: config.references,
                results: config.results,
                folder: self.state_folder,
                has_own_gates: !self.own_layers.is_empty(),
                checks_arguments: config.kernel.check_arguments,
            },
            self.counter.clone(),
            access.clone(),
            self.stores.references,
        );
        if !program.single_command {
            references.check_objects();
        }
        let budget = Budget::new(config.kernel.tool_context_budget)
            .map_err(|error| ConfigurationError::Value(format!("kernel.tool_context_budget: {error}")))?
            .with_counter(self.counter);
        let handles = Handles::new(SessionBounds::default()).map_err(KernelError::Random)?;
        let most = config.kernel.limits.max_concurrent_calls;
        let running = Arc::new(Semaphore::new(most.clamp(1, Semaphore::MAX_PERMITS)));
        let tasks = Arc::new(TaskTable::default());
        let table = Arc::new(ArcSwap::from_pointee(ToolTable::default()));
        access.set_profiles(Arc::new(TableProfiles(Arc::downgrade(&table))));
        let events_of_life = !program.single_command;
        let trail = Arc::new(Trail::new(sink.clone(), audit_log, config.audit.server, events_of_life));
        let judged_tools: Weak<ArcSwap<ToolTable>> = Arc::downgrade(&table);
        let rights = Arc::new(Rights {
            access: access.clone(),
            permissions: permissions.clone(),
            confirmations: confirmations.clone(),
            definitions,
            stopped: StoppedServers::default(),
            conceal: config.access.conceal,
            tools: judged_tools,
            trail: trail.clone(),
        });
        let specs: Vec<_> = derived
            .servers
            .into_iter()
            .map(|spec| {
                let lazy = spec.lazy || program.asleep;
                ServerSpec { kernel_files: kernel_files.clone(), lazy, ..spec }
            })
            .collect();
        let registrations = Registrations::open(self.stores.registrations).await?;
        let registrar = Registrar::new(
            registrations.clone(),
            config.access.registrars.into_iter().collect(),
            (access.clone(), permissions.clone(), confirmations),
            sink.clone(),
            derived.ids,
            config.kernel.limits.max_servers,
        );
        let registered = RegistrationSettings {
            reach: self.reach,
            settings: KernelConfig { lazy: config.kernel.lazy || program.asleep, ..config.kernel.clone() },
            restart: if program.single_command { RestartPolicy::Never } else { RestartPolicy::default() },
        };
        let offered = Arc::new(OfferedTools { rights: rights.clone(), table: table.clone() });
        let sessions = Sessions::new(names.clone(), offered.clone(), pinned.clone(), budget);
        let states: Arc<dyn ServerStates> = Arc::new(Standing(registry.clone()));
        let approvals = Arc::new(OperatorApprovals { rights: rights.clone(), table: table.clone() });
        let tools = Arc::new(Tools {
            requests: Requests::new(sessions.clone(), states.clone(), approvals),
            discovery: Discovery::new(names.clone(), offered.clone())
                .with_states(states)
                .with_default_results(config.kernel.search_results)
                .with_sessions(sessions.clone()),
            table,
            offered,
            exposure: config.kernel.exposure,
            checks_arguments: config.kernel.check_arguments,
            pinned,
            names,
            sessions,
            handles,
            few: FewTools::default(),
            spared: SparedTokens::default(),
            counts: OnceCell::new(),
            rebuilding: Mutex::new(()),
            unpinned: UnpinnedServers::default(),
            last_change: LastChange::default(),
        });
        let quotas = Quotas::new(self.stores.quotas);
        quotas.set_rules(&derived.limits, &derived.costs);
        let hosts = Hosts::new(handshake(!config.tool_creation.agents.is_empty()), tools.clone());
        let greetings = instructions::Settings {
            own: config.kernel.instructions,
            unconfigured: program.unconfigured,
            tokens: config.kernel.instructions_tokens,
            wait: if program.single_command { Duration::ZERO } else { program.greeting_wait },
            approval_wait: approver.as_ref().map(|_| approval_wait),
        };
        let recommender = self.recommender.or(derived.recommender);
        let recommends = recommender.is_some();
        let session_states = SessionStates::default();
        let of_ended = session_states.clone();
        let servers = Arc::new(Servers::new(registry, Duration::from_millis(config.kernel.start_wait_ms)));
        let observer = KernelObserver {
            servers: servers.clone(),
            rights: rights.clone(),
            tools: tools.clone(),
            hosts: hosts.clone(),
            tasks: TaskNews { tasks: tasks.clone(), rights: rights.clone(), hosts: hosts.clone() },
            events: events.clone(),
        };
        let of_servers = tasks.clone();
        let supervision = Supervision {
            servers: servers.clone(),
            listings: Listings { store: self.stores.listings, asleep: program.asleep },
            observer: Arc::new(observer),
            shared: SharedParts {
                calls: running,
                rights: rights.clone(),
                new_exchange: Arc::new(move |server| Exchange::for_server(server, of_servers.clone())),
            },
        };
        let instances = Instances::new(&supervision);
        let of_removed = instances.clone();
        let set = Arc::new(ServerSet {
            servers: servers.clone(),
            tools: tools.clone(),
            rights: rights.clone(),
            hosts: hosts.clone(),
            registrations: registrations.clone(),
            kernel_files,
            supervision,
            ended: Box::new(move |server| {
                of_removed.end_of(server, None);
                of_ended.forget_server(server.succession.generation());
            }),
            vacancies: watch::Sender::default(),
        });
        let registered = RegisteredServers::new(registrar, registered, set.clone());
        let limits = self.stores.limits.map_or_else(Limits::default, Limits::shared);
        limits.set_trusts_snapshot(config.store.on_outage == OnOutage::Snapshot);
        limits.set_rules(&derived.limits);
        let greeter = Arc::new(Greeter {
            servers: servers.clone(),
            tools: tools.clone(),
            rights: rights.clone(),
            settings: greetings,
            recommends,
        });
        let transactions = TransactionTool {
            transactions: Transactions::new(self.stores.transactions, TransactionSettings::default()),
            is_offered: config.kernel.transactions,
        };
        let validation = Duration::from_millis(config.kernel.validation_timeout_ms);
        let validators = self.validators.timeout(validation);
        #[cfg(feature = "child")]
        let creation: Option<Arc<dyn ToolCreation>> =
            Some(Arc::new(crate::features::creation::ToolCreator::new(
                config.tool_creation,
                validators.clone(),
                set.clone(),
            )));
        #[cfg(not(feature = "child"))]
        let creation: Option<Arc<dyn ToolCreation>> = None;
        #[cfg(feature = "metrics")]
        let search_times: Option<Arc<dyn SearchTimes>> = metrics.clone().map(|metrics| metrics as _);
        #[cfg(not(feature = "metrics"))]
        let search_times: Option<Arc<dyn SearchTimes>> = None;
        let parking =
            ParkingLayer::new(program.parked_calls, Duration::from_millis(config.kernel.question_timeout_ms));
        let counters = CallCounters {
            traffic: Arc::default(),
            #[cfg(feature = "metrics")]
            metrics: metrics.clone(),
        };
        let operator = Arc::new(OperatorHandles {
            trail: trail.clone(),
            rights: rights.clone(),
            servers: servers.clone(),
            instances: instances.clone(),
            registered: registered.clone(),
            tools: tools.clone(),
            hosts: hosts.clone(),
            tasks: tasks.clone(),
            parking: parking.clone(),
            traffic: counters.traffic.clone(),
            facts: KernelFacts::now(program.configuration_name),
            needs_restart: applied.needs_restart.clone(),
        });
        let stop = KernelStop {
            servers: servers.clone(),
            instances: instances.clone(),
            trail: trail.clone(),
            hosts: hosts.clone(),
        };
        tokio::spawn(follow_subscriptions(Arc::downgrade(&servers), events.changes(), access.changes()));
        let changing = (access, permissions, rights.definitions.clone());
        tokio::spawn(notify_of_new_rights(Arc::downgrade(&set), changing));
        tokio::spawn(pin_later(Arc::downgrade(&set)));
        let newest_event = newest(&trail).await;
        tokio::spawn(forward_to_hosts(Arc::downgrade(&trail), hosts.downgrade(), newest_event));
        let (told, offered) = (hosts.clone(), (*tools.offered).clone());
        let (registry, states) = (servers.registry.clone(), servers.states.watch());
        tokio::spawn(tell_hosts(told, offered, registry, events.clone(), states));
        let keys = idempotency(&config.idempotency);
        let gates = Gates {
            approver,
            approval_wait,
            validators: validators.clone(),
            own: self.own_layers,
            recorded_before: match config.audit.before {
                AuditBefore::Off => None,
                AuditBefore::Dangerous => Some(RiskLevel::Dangerous),
                AuditBefore::All => Some(RiskLevel::Safe),
            },
            idempotency: IdempotencyLayer::new(self.stores.idempotency, keys),
            refusals: config.kernel.refusals,
            checks_arguments: config.kernel.check_arguments,
        };
        let parts = PipelineParts {
            trail: trail.clone(),
            rights,
            limits: limits.clone(),
            quotas: quotas.clone(),
            servers: servers.clone(),
            tools,
            references: references.clone(),
            instances: instances.clone(),
            session_states: session_states.clone(),
            transactions: transactions.transactions.clone(),
            counters,
        };
        let methods = methods::service(MethodParts {
            meta: MetaTools {
                greeter: greeter.clone(),
                trail: trail.clone(),
                quotas: quotas.clone(),
                recommender,
                transactions: Arc::new(transactions.clone()),
                reading: references.clone(),
                creation,
                search_times,
            },
            operator: operator.clone(),
            stop: stop.clone(),
            limits: limits.clone(),
            references,
            tasks: tasks.clone(),
            events,
            transactions: transactions.clone(),
            own: self.routes,
        })?;
        let transactions = transactions.transactions;
        let pipeline = pipeline(parts, gates, methods);
        let compensations = Arc::new(boxed(pipeline.clone()));
        let compensator = PipelineCompensator {
            pipeline: Arc::downgrade(&compensations),
            servers: servers.clone(),
            key_ttl: keys.max_ttl,
        };
        transactions.observed_by(Arc::new(RecordedTransactions(trail)));
        transactions.followed_by(Arc::new(StepTasks { tasks, servers }));
        let face = HostFace::new(pipeline, &hosts, greeter, parking);
        let servers: Vec<_> = specs.into_iter().map(|spec| set.supervision.server(spec)).collect();
        let configured: Vec<_> = servers.iter().map(|(server, _)| server.clone()).collect();
        set.supervision.recall(&configured).await;
        for (server, commands) in servers {
            set.start(&server, commands, None);
        }
        let vacancies = set.vacancies.subscribe();
        let reload = Reload {
            set,
            registered: registered.clone(),
            grants: configured_grants,
            limits,
            quotas,
            instances,
            session_states,
            applied,
        };
        // A failure after this point ends the servers.
        let kernel = Kernel::new(KernelParts {
            face,
            operator,
            reload,
            stop,
            validators,
            _compensations: compensations,
            #[cfg(feature = "metrics")]
            metrics,
        });
        let changes = registrations.changes();
        registered.come_and_go(false).await;
        // Started last, because a resumed rollback calls tools of these servers.
        transactions.start(Arc::new(compensator));
        tokio::spawn(follow(Arc::downgrade(&registered), changes, vacancies));
        Ok(kernel)
    }
}

/// Returns the tools that are always shown, including those of each server by its own names.
fn pinned(pinned: &[String], servers: &[ServerSpec]) -> PinnedTools {
    let of = |server: &ServerSpec| -> Vec<String> {
        server.pinned.iter().map(|tool| format!("{}__{tool}", server.id)).collect()
    };
    pinned.iter().cloned().chain(servers.iter().flat_map(of)).collect()
}

/// The states of servers, for searches.
#[derive(Debug)]
struct Standing(Registry);

impl ServerStates for Standing {
    fn in_state(&self, state: ServerState) -> Option<HashSet<Arc<str>>> {
        Some(self.0.in_state(state))
    }

    fn limited(&self) -> HashSet<Arc<str>> {
        let servers = self.0.servers();
        // A server that was never started is not down.
        let is_limited = |server: &&RegisteredServer| {
            server.state != ServerState::Registered && server.current_health() != HealthStatus::Healthy
        };
        servers.iter().filter(is_limited).map(|server| server.id.clone()).collect()
    }
}
