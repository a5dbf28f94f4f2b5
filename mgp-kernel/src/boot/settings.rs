//! The settings for starting a kernel.

use super::{
    applied::{AppliedConfiguration, ProgramSettings},
    endpoint::endpoint,
};
use crate::{
    AskHost, ParkedCalls, ServerSpec, Stores,
    catalog::instructions,
    features::{references::ReferenceSettings, registration::Reach},
    path::own_layers::OwnLayers,
    upstream::KernelFiles,
};
use mgp_discovery::{
    config::{AuditBefore, KernelConfig, Limits, RefusalForm, ToolCreationConfig},
    public_registry::Recommender,
    registration::Registrars,
};
use mgp_lifecycle::idempotency::IdempotencySettings;
use mgp_security::{
    access::{AccessControl, AccessPolicy},
    audit::{AuditLog, AuditSink, MemorySink},
    limits::{LimitRule, quota::CostRule},
    permission::{Approver, Confirmations, PermissionRules, Permissions},
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
pub(crate) struct Settings {
    pub(crate) servers: Vec<ServerSpec>,
    /// The settings of the program, which are added to those of the configuration last.
    pub(crate) program: ProgramSettings,
    pub(crate) exposure: Exposure,
    pub(crate) pinned: HashSet<String>,
    pub(crate) budget: ToolContextBudget,
    pub(crate) counter: Arc<dyn TokenCounter>,
    pub(crate) tool_sessions: SessionBounds,
    pub(crate) search_results: usize,
    pub(crate) index: ToolIndexBuilder,
    pub(crate) max_concurrent: usize,
    pub(crate) first_start_limit: Duration,
    pub(crate) rules: PermissionRules,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) stores: Stores,
    /// True if every server waits for a request that needs it, and none is started to list its tools.
    pub(crate) asleep: bool,
    /// The registries that recommend servers for requests that find no tool.
    pub(crate) recommender: Option<Recommender>,
    pub(crate) idempotency: IdempotencySettings,
    /// True if hosts that do not speak MGP get a tool for transactions.
    pub(crate) transactions: bool,
    /// True if the arguments of every call are checked against their tool's input schema.
    pub(crate) checks_arguments: bool,
    pub(crate) approval_wait: Duration,
    pub(crate) decision_timeout: Duration,
    pub(crate) grant_lifetime: Option<Duration>,
    pub(crate) access: Option<AccessControl>,
    /// The rules that are added to the access control.
    pub(crate) granted: Vec<AccessEntry>,
    /// The policy that decides where no rule does.
    pub(crate) policy: Option<Arc<dyn AccessPolicy>>,
    pub(crate) conceal: Option<bool>,
    pub(crate) sink: Arc<dyn AuditSink>,
    pub(crate) audit_log: Option<AuditLog>,
    pub(crate) audit_server: Option<String>,
    pub(crate) lifecycle_events: bool,
    pub(crate) validators: Validators,
    pub(crate) own_layers: OwnLayers,
    /// The program's own methods.
    pub(crate) routes: Routes,
    pub(crate) agents: Vec<String>,
    /// The roles and their agents.
    pub(crate) roles: Roles,
    pub(crate) limits: Vec<LimitRule>,
    pub(crate) costs: Vec<CostRule>,
    pub(crate) parked: ParkedCalls,
    /// The ids of the servers in the configuration, including servers that are left out.
    pub(crate) configured: BTreeSet<String>,
    /// The settings of the configuration that apply to registered servers.
    pub(crate) settings: KernelConfig,
    pub(crate) registrars: Registrars,
    /// The agents whose code becomes tools, and the limits of these tools.
    pub(crate) tool_creation: ToolCreationConfig,
    pub(crate) registered_restart: RestartPolicy,
    pub(crate) reach: Reach,
    pub(crate) instructions: instructions::Settings,
    pub(crate) refusals: RefusalForm,
    /// The settings of kept results.
    pub(crate) references: ReferenceSettings,
    /// The calls before which an event is stored.
    pub(crate) audit_before: AuditBefore,
    /// The kernel's own files, which confined servers may not use.
    pub(crate) kernel_files: KernelFiles,
    /// The configuration that can be replaced at runtime; `None` if there is not exactly one.
    pub(crate) applied: Option<AppliedConfiguration>,
    /// The name of the configuration for operators, set by the program.
    pub(crate) configuration: Option<String>,
    /// The maximum number of tools that are counted separately; `None` to count nothing.
    #[cfg(feature = "metrics")]
    pub(crate) metrics: Option<usize>,
}

/// The number of audit events that a kernel without an audit trail keeps in memory.
const EVENTS_IN_MEMORY: usize = 10_000;

impl Settings {
    /// Adds the settings of the program to those of the configuration, once.
    pub(crate) fn with_program(mut self, program: &ProgramSettings) -> Self {
        self.servers.extend(program.servers.iter().cloned());
        if let Some(rules) = &program.rules {
            self.rules = rules.clone();
        }
        self.roles = std::mem::take(&mut self.roles).and(program.roles.clone());
        self.limits.extend(program.limits.iter().cloned());
        self
    }
}

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
            approver: Some(Arc::new(AskHost::new())),
            stores: Stores::default(),
            asleep: false,
            recommender: None,
            idempotency: IdempotencySettings::default(),
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
            parked: ParkedCalls::default(),
            configured: BTreeSet::new(),
            settings: KernelConfig::default(),
            registrars: Registrars::default(),
            tool_creation: ToolCreationConfig::default(),
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
