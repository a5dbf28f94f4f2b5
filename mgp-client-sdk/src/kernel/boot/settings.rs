//! The settings for starting a kernel.

use super::{
    configured::endpoint,
    reload::{AppliedConfiguration, ProgramSettings},
};
use crate::kernel::{
    AskHost, ParkedCalls, ServerSpec,
    catalog::instructions,
    features::{references::ReferenceSettings, registration::Reach},
    path::own_layers::OwnLayers,
    upstream::KernelFiles,
};
use mgp_discovery::{
    config::{AuditBefore, KernelConfig, Limits, RefusalForm, ToolCreationConfig},
    listing::ListingStore,
    public_registry::Recommender,
    registration::{MemoryRegistrationStore, Registrars, RegistrationStore},
};
use mgp_lifecycle::{
    idempotency::{IdempotencySettings, IdempotencyStore, MemoryIdempotencyStore},
    transaction::{MemoryTransactionStore, TransactionStore},
};
use mgp_security::{
    access::{AccessControl, AccessPolicy},
    audit::{AuditLog, AuditSink, MemorySink},
    definition::{DefinitionStore, MemoryDefinitionStore},
    limits::{
        LimitRule,
        quota::{CostRule, MemoryQuotaStore, QuotaStore},
    },
    permission::{
        Approver, ConfirmationStore, Confirmations, MemoryConfirmationStore, MemoryPermissionStore,
        PermissionRules, PermissionStore, Permissions,
    },
    validator::Validators,
};
use mgp_toolindex::{
    budget::ToolContextBudget,
    exposure::Exposure,
    index::ToolIndexBuilder,
    session::SessionBounds,
    tokens::{Cl100k, TokenCounter},
};
use mgp_transport::seam::Routes;
use mgp_types::{
    access::{AccessEntry, Roles},
    lifecycle::RestartPolicy,
    permission::PermissionPolicy,
};
use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
    time::Duration,
};

/// The settings for starting a kernel.
#[derive(Debug)]
pub(in crate::kernel) struct Settings {
    pub(in crate::kernel) servers: Vec<ServerSpec>,
    /// The settings of the program, which are added to those of the configuration last.
    pub(in crate::kernel) program: ProgramSettings,
    pub(in crate::kernel) exposure: Exposure,
    pub(in crate::kernel) pinned: HashSet<String>,
    pub(in crate::kernel) budget: ToolContextBudget,
    pub(in crate::kernel) counter: Arc<dyn TokenCounter>,
    pub(in crate::kernel) tool_sessions: SessionBounds,
    pub(in crate::kernel) search_results: usize,
    pub(in crate::kernel) index: ToolIndexBuilder,
    pub(in crate::kernel) max_concurrent: usize,
    pub(in crate::kernel) first_start_limit: Duration,
    pub(in crate::kernel) rules: PermissionRules,
    pub(in crate::kernel) permission_store: Arc<dyn PermissionStore>,
    pub(in crate::kernel) approver: Option<Arc<dyn Approver>>,
    pub(in crate::kernel) confirmation_store: Arc<dyn ConfirmationStore>,
    pub(in crate::kernel) definition_store: Arc<dyn DefinitionStore>,
    /// The store of servers' last listings.
    pub(in crate::kernel) listing_store: Option<Arc<dyn ListingStore>>,
    /// True if every server waits for a request that needs it, and none is started to list its tools.
    pub(in crate::kernel) asleep: bool,
    /// The registries that recommend servers for requests that find no tool.
    pub(in crate::kernel) recommender: Option<Recommender>,
    /// The store of calls with an idempotency key.
    pub(in crate::kernel) idempotency_store: Arc<dyn IdempotencyStore>,
    pub(in crate::kernel) idempotency: IdempotencySettings,
    pub(in crate::kernel) transaction_store: Arc<dyn TransactionStore>,
    /// True if hosts that do not speak MGP get a tool for transactions.
    pub(in crate::kernel) transactions: bool,
    /// True if the arguments of every call are checked against their tool's input schema.
    pub(in crate::kernel) checks_arguments: bool,
    pub(in crate::kernel) approval_wait: Duration,
    pub(in crate::kernel) decision_timeout: Duration,
    pub(in crate::kernel) grant_lifetime: Option<Duration>,
    pub(in crate::kernel) access: Option<AccessControl>,
    /// The rules that are added to the access control.
    pub(in crate::kernel) granted: Vec<AccessEntry>,
    /// The policy that decides where no rule does.
    pub(in crate::kernel) policy: Option<Arc<dyn AccessPolicy>>,
    pub(in crate::kernel) conceal: Option<bool>,
    pub(in crate::kernel) sink: Arc<dyn AuditSink>,
    pub(in crate::kernel) audit_log: Option<AuditLog>,
    pub(in crate::kernel) audit_server: Option<String>,
    pub(in crate::kernel) lifecycle_events: bool,
    pub(in crate::kernel) validators: Validators,
    pub(in crate::kernel) own_layers: OwnLayers,
    /// The program's own methods.
    pub(in crate::kernel) routes: Routes,
    pub(in crate::kernel) agents: Vec<String>,
    /// The roles and their agents.
    pub(in crate::kernel) roles: Roles,
    pub(in crate::kernel) limits: Vec<LimitRule>,
    pub(in crate::kernel) costs: Vec<CostRule>,
    pub(in crate::kernel) quota_store: Arc<dyn QuotaStore>,
    pub(in crate::kernel) parked: ParkedCalls,
    /// The ids of the servers in the configuration, including servers that are left out.
    pub(in crate::kernel) configured: BTreeSet<String>,
    /// The settings of the configuration that apply to registered servers.
    pub(in crate::kernel) settings: KernelConfig,
    pub(in crate::kernel) registrars: Registrars,
    /// The agents whose code becomes tools, and the limits of these tools.
    pub(in crate::kernel) tool_creation: ToolCreationConfig,
    pub(in crate::kernel) registration_store: Arc<dyn RegistrationStore>,
    pub(in crate::kernel) registered_restart: RestartPolicy,
    pub(in crate::kernel) reach: Reach,
    pub(in crate::kernel) instructions: instructions::Settings,
    pub(in crate::kernel) refusals: RefusalForm,
    /// The settings of kept results.
    pub(in crate::kernel) references: ReferenceSettings,
    /// The calls before which an event is stored.
    pub(in crate::kernel) audit_before: AuditBefore,
    /// The kernel's own files, which confined servers may not use.
    pub(in crate::kernel) kernel_files: KernelFiles,
    /// The configuration that can be replaced at runtime; `None` if there is not exactly one.
    pub(in crate::kernel) applied: Option<AppliedConfiguration>,
    /// The name of the configuration for operators, set by the program.
    pub(in crate::kernel) configuration: Option<String>,
    /// The maximum number of tools that are counted separately; `None` to count nothing.
    #[cfg(feature = "metrics")]
    pub(in crate::kernel) metrics: Option<usize>,
}

/// The number of audit events that a kernel without an audit trail keeps in memory.
const EVENTS_IN_MEMORY: usize = 10_000;

impl Default for Settings {
    fn default() -> Self {
        Self {
            servers: Vec::new(),
            program: ProgramSettings::default(),
            exposure: Exposure::default(),
            pinned: HashSet::new(),
            budget: ToolContextBudget::default(),
            counter: Arc::new(Cl100k),
            tool_sessions: SessionBounds::default(),
            search_results: 5,
            index: ToolIndexBuilder::default(),
            max_concurrent: Limits::default().max_concurrent_calls,
            first_start_limit: Duration::from_millis(KernelConfig::default().start_wait_ms),
            rules: PermissionRules::new(PermissionPolicy::Interactive),
            permission_store: Arc::new(MemoryPermissionStore::default()),
            approver: Some(Arc::new(AskHost::new())),
            confirmation_store: Arc::new(MemoryConfirmationStore::default()),
            definition_store: Arc::new(MemoryDefinitionStore::default()),
            listing_store: None,
            asleep: false,
            recommender: None,
            idempotency_store: Arc::new(MemoryIdempotencyStore::new()),
            idempotency: IdempotencySettings::default(),
            transaction_store: Arc::new(MemoryTransactionStore::new()),
            transactions: false,
            checks_arguments: false,
            approval_wait: Permissions::WAIT,
            decision_timeout: Confirmations::LIFETIME,
            grant_lifetime: None,
            access: None,
            granted: Vec::new(),
            policy: None,
            conceal: None,
            sink: Arc::new(MemorySink::new(EVENTS_IN_MEMORY)),
            audit_log: None,
            audit_server: None,
            lifecycle_events: true,
            validators: Validators::standard(),
            own_layers: OwnLayers::default(),
            routes: Routes::new(),
            agents: Vec::new(),
            roles: Roles::new(),
            limits: Vec::new(),
            costs: Vec::new(),
            quota_store: Arc::new(MemoryQuotaStore::new()),
            parked: ParkedCalls::default(),
            configured: BTreeSet::new(),
            settings: KernelConfig::default(),
            registrars: Registrars::default(),
            tool_creation: ToolCreationConfig::default(),
            registration_store: Arc::new(MemoryRegistrationStore::new()),
            registered_restart: RestartPolicy::default(),
            reach: Reach::new(|registration| endpoint(&registration.server, None)),
            instructions: instructions::Settings::default(),
            refusals: RefusalForm::default(),
            references: ReferenceSettings::default(),
            audit_before: AuditBefore::default(),
            kernel_files: KernelFiles::default(),
            applied: None,
            configuration: None,
            #[cfg(feature = "metrics")]
            metrics: None,
        }
    }
}
