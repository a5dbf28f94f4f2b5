//! The operator's settings of a server.

use super::{Endpoint, endpoint::EndpointAtStart, limit_keys::LimitKeys};
use crate::ground::session_number::SessionNumber;
use mgp_client_sdk::{Era, EraChoice};
use mgp_discovery::{
    config::{
        self, CodeSafetyConfig, CompensationConfig, HostFeature, InstanceScope, KernelConfig,
        PassedExtensions, ServerEra, ServerMgp, ToolShape,
    },
    registry::{RegisteredServer, ServerSource},
};
use mgp_lifecycle::{breaker::BreakerPolicy, retry::RetryPolicy, transaction::CompensationTemplate};
use mgp_security::{
    confine::ConfinementSettings,
    profile::{ConfiguredTool, Confirmation},
};
use mgp_types::{
    access::DefaultPolicy,
    code_safety::CodeSafety,
    context::{SessionTag, TrustLevel},
    json::RawJson,
    lifecycle::RestartConfig,
    negotiation::ExtensionSet,
    permission::Permission,
    tool_security::{OnChange, ReadonlySettings, SandboxSettings, SecretPolicy, ValidatorName},
    transaction::Compensation,
};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Duration};

/// The operator's settings of a server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerSpec {
    /// The server's id in grants, calls and the audit trail.
    pub id: String,
    /// The endpoint of the server.
    pub endpoint: Endpoint,
    /// The operator's changes of the server's tools.
    pub shapes: Arc<[ToolShape]>,
    /// The endpoint that is derived at each start, if the settings name secrets. `endpoint` then holds the names.
    pub(crate) endpoint_at_start: Option<EndpointAtStart>,
    /// The trust in the server. The server's own claim can only lower it.
    pub trust: TrustLevel,
    /// The handling of tools whose definitions change; `None` for the default of the server's trust.
    pub on_change: Option<OnChange>,
    /// The confinement of the server's process, if it is a child process.
    pub confinement: ConfinementSettings,
    /// The kernel's own files, which a confined server may not use, except its private folder.
    pub(crate) kernel_files: KernelFiles,
    /// The known extensions of the server, for lists before it is connected.
    pub extensions: ExtensionSet,
    /// The permissions that all tools of the server need, in addition to those that the server declares.
    pub permissions: Vec<Permission>,
    /// The permissions that are approved, by name, in addition to those that the configuration approves.
    pub approved: Vec<String>,
    /// The validator of every tool without an entry in `validators`.
    pub validator: Option<ValidatorName>,
    /// The validators of single tools.
    pub validators: BTreeMap<String, ValidatorName>,
    /// The rules for code in the tools' arguments.
    pub code_safety: Option<CodeSafety>,
    /// The JSON pointers of the strings that validators check, by tool.
    pub pointers: BTreeMap<String, Vec<String>>,
    /// The settings of the validator `sandbox`.
    pub sandbox: SandboxSettings,
    /// The settings of the validator `readonly`.
    pub readonly: ReadonlySettings,
    /// The rule for asking somebody before a call; `None` for the default of each tool's risk.
    pub confirmation: Option<Confirmation>,
    /// True if calls of moderate tools are asked about like those of dangerous ones. Only used if `confirmation` is
    /// `None`.
    pub confirm_moderate: bool,
    /// The handling of secrets in the server's results.
    pub secrets: SecretPolicy,
    /// The features of hosts that the server may use.
    pub host_features: Vec<HostFeature>,
    /// The extensions of MCP that pass between hosts and the server.
    pub passed_extensions: PassedExtensions,
    /// The choice of the server's era of MCP.
    pub era: EraChoice,
    /// The policy for agents without a grant.
    pub default_policy: DefaultPolicy,
    /// Tools that hosts are always shown, by the server's own names.
    pub pinned: Vec<String>,
    /// The categories of the server's tools, in addition to those that the tools name themselves (§16.4).
    pub categories: Vec<String>,
    /// Disabled tools, by the server's own names: they are hidden, and calls of them are refused with 4002.
    pub disabled: Vec<String>,
    /// Tools that may run twice without harm, by the server's own names.
    pub idempotent: Vec<String>,
    /// The compensations of the server's tools in transactions, by the tools' names.
    pub compensations: BTreeMap<String, CompensationTemplate>,
    /// The fallbacks of the server's tools when a call fails: the name that hosts call the other tool by, by the server's own name
    /// (§14.6).
    pub fallbacks: BTreeMap<String, String>,
    /// The bounds of the retries of failed calls (§14.6). Only calls that may run again without harm are retried.
    pub retries: RetryPolicy,
    /// The bounds of the circuit breaker, which refuses calls for a while after several consecutive failures.
    pub breaker: BreakerPolicy,
    /// The settings of restarts after the server's end.
    pub restart: RestartConfig,
    /// True if the server is started by the first request that needs it, instead of with the kernel.
    pub lazy: bool,
    /// The time after which an unused server is stopped, until a request needs it again; `None` for never.
    pub idle_timeout: Option<Duration>,
    /// The hosts that share a process of the server.
    pub instances: InstanceScope,
    /// The maximum number of processes for sessions at once.
    pub max_instances: usize,
    /// The session of the host whose instance of a server this is; `None` for the server itself.
    pub(crate) instance_of: Option<SessionNumber>,
    /// The time limit of one call, which restarts with each progress and each chunk.
    pub call_timeout: Duration,
    /// The total time limit of a call with progress or chunks. If it is not longer than that of one call, progress is
    /// ignored.
    pub call_max: Duration,
    /// The time limit of a call's wait for its turn, at most the rest of the call's own limit.
    pub queue_timeout: Duration,
    /// The time limit of a host's answer to a question of the server. The time limit of the call is paused meanwhile.
    pub question_timeout: Duration,
    /// The time limit for the server to start, answer the handshake and list its tools the first time.
    pub startup_timeout: Duration,
    /// The time limit for the server to list its tools.
    pub discovery_timeout: Duration,
    /// The time limit for the server to stop.
    pub shutdown_timeout: Duration,
    /// The maximum number of concurrent calls to the server.
    pub max_concurrent: usize,
    /// The maximum number of tools that the server may list.
    pub max_tools: usize,
    /// The configuration keys of the time limits, for errors.
    pub(crate) limit_keys: LimitKeys,
    /// The session of a host that the server belongs to (§16.6); `None` for a server of all sessions.
    pub(crate) session: Option<SessionTag>,
    /// The time between two health checks of the server.
    pub health_pause: Duration,
}

impl ServerSpec {
    /// Creates the settings of a server of the operator's own configuration. Every other setting has the default of `mgp.toml`.
    #[must_use]
    pub fn new(id: impl Into<String>, endpoint: impl Into<Endpoint>) -> Self {
        let (settings, kernel) = (ServerMgp::default(), KernelConfig::default());
        let limit_keys = LimitKeys::OF_SERVER;
        Self { limit_keys, ..Self::with_settings(id, endpoint.into(), &settings, &kernel) }
    }

    /// Creates the settings of a server from those in a configuration.
    pub(crate) fn with_settings(
        id: impl Into<String>,
        endpoint: Endpoint,
        settings: &ServerMgp,
        kernel: &KernelConfig,
    ) -> Self {
        let of_kernel = |own: Option<u64>, kernel| Duration::from_millis(own.unwrap_or(kernel));
        let call_timeout = of_kernel(settings.call_timeout_ms, kernel.call_timeout_ms);
        Self {
            id: id.into(),
            endpoint,
            shapes: Arc::default(),
            endpoint_at_start: None,
            trust: settings.trust_level.unwrap_or(TrustLevel::Standard),
            on_change: settings.on_change,
            confinement: ConfinementSettings::default(),
            kernel_files: KernelFiles::default(),
            extensions: ExtensionSet::from_spellings(&settings.extensions),
            permissions: settings.permissions(),
            approved: Vec::new(),
            validator: settings.validator.clone(),
            validators: settings.validators.clone(),
            code_safety: settings.code_safety.as_ref().map(CodeSafetyConfig::declaration),
            pointers: settings.pointers.clone(),
            sandbox: settings.sandbox.clone(),
            readonly: settings.readonly.clone(),
            confirmation: match settings.confirmation {
                config::Confirmation::Always => Some(Confirmation::Always),
                config::Confirmation::Never => Some(Confirmation::Never),
                config::Confirmation::Dangerous | config::Confirmation::Moderate => None,
            },
            confirm_moderate: settings.confirmation == config::Confirmation::Moderate,
            secrets: settings.results.secrets,
            host_features: settings.host_features.clone(),
            passed_extensions: kernel.extensions.clone(),
            era: era_choice(settings.era),
            default_policy: kernel.default_policy,
            pinned: settings.pinned.clone(),
            categories: settings.categories.clone(),
            disabled: settings.disabled.clone(),
            idempotent: settings.idempotent.clone(),
            compensations: compensations(settings),
            fallbacks: settings.fallbacks.clone(),
            retries: RetryPolicy {
                max_retries: settings.max_retries.unwrap_or(kernel.max_retries),
                ..RetryPolicy::default()
            },
            breaker: BreakerPolicy {
                failures: settings.breaker_failures,
                pause: Duration::from_millis(settings.breaker_pause_ms),
                max_pause: Duration::from_millis(settings.breaker_pause_ms)
                    .max(BreakerPolicy::default().max_pause),
            },
            restart: settings.restart(),
            // Without a session to work for, a process is only needed to list the tools.
            lazy: settings.lazy.unwrap_or(kernel.lazy || settings.instances == InstanceScope::Session),
            instances: settings.instances,
            max_instances: settings.max_instances,
            instance_of: None,
            idle_timeout: match settings.idle_timeout_secs.unwrap_or(kernel.idle_timeout_secs) {
                0 => None,
                seconds => Some(Duration::from_secs(seconds)),
            },
            call_timeout,
            call_max: of_kernel(settings.call_max_ms, kernel.call_max_ms),
            queue_timeout: settings
                .queue_timeout_ms
                .or(kernel.queue_timeout_ms)
                .map_or(call_timeout, Duration::from_millis),
            question_timeout: Duration::from_millis(kernel.question_timeout_ms),
            startup_timeout: of_kernel(settings.startup_timeout_ms, kernel.startup_timeout_ms),
            discovery_timeout: of_kernel(settings.discovery_timeout_ms, kernel.discovery_timeout_ms),
            shutdown_timeout: of_kernel(settings.shutdown_timeout_ms, kernel.shutdown_timeout_ms),
            max_concurrent: settings.max_concurrent,
            max_tools: kernel.limits.max_tools_per_server,
            limit_keys: LimitKeys::of(settings, kernel),
            session: None,
            health_pause: Duration::from_millis(settings.health_pause_ms),
        }
    }

    /// Returns the entry of the server in the registry.
    pub(crate) fn registered(&self, source: ServerSource) -> RegisteredServer {
        let mut entry = RegisteredServer::new(&*self.id, source);
        entry.extensions = self.extensions;
        entry.configured_permissions = self.permissions.iter().cloned().collect();
        entry.permissions = entry.configured_permissions.clone();
        entry
    }

    /// Returns the handling of tools whose definitions change, for a server with this trust.
    pub(crate) fn on_change(&self, trust: TrustLevel) -> OnChange {
        self.on_change.unwrap_or(match trust {
            TrustLevel::Sandboxed => OnChange::Hold,
            _ => OnChange::Warn,
        })
    }

    /// Returns the operator's changes of a tool, by its name at the server.
    pub(crate) fn shape(&self, own_name: &str) -> Option<&ToolShape> {
        self.shapes.iter().find(|shape| shape.name == own_name)
    }

    /// Returns the configuration of one tool.
    pub(crate) fn configured(&self, tool_name: &str) -> ConfiguredTool {
        ConfiguredTool {
            permissions: self.permissions.clone(),
            validator: self.validators.get(tool_name).or(self.validator.as_ref()).cloned(),
            validator_of_server: !self.validators.contains_key(tool_name),
            code_safety: self.code_safety.clone(),
            risk: None,
            confirmation: self.confirmation,
            confirm_moderate: self.confirm_moderate,
            pointers: self.pointers.get(tool_name).cloned().unwrap_or_default(),
            sandbox: self.sandbox.clone(),
            readonly: self.readonly.clone(),
        }
    }
}

/// The kernel's own files, which no confined server may use.
#[derive(Debug, Clone, Default)]
#[cfg_attr(not(feature = "child"), expect(dead_code, reason = "only child processes are confined"))]
pub(crate) struct KernelFiles {
    /// The state folder, in which each server has a private folder.
    pub(crate) state_folder: Option<PathBuf>,
    /// Other files and folders, such as the configuration.
    pub(crate) others: Vec<PathBuf>,
}

#[cfg(feature = "child")]
impl KernelFiles {
    pub(crate) fn all(&self) -> Vec<PathBuf> {
        self.state_folder.iter().chain(&self.others).cloned().collect()
    }

    /// Returns the private folder of a server.
    pub(super) fn private_folder(&self, server_id: &str) -> Option<PathBuf> {
        self.state_folder.as_ref().map(|state| state.join("servers").join(server_id))
    }
}

/// Returns the configured compensations.
fn compensations(settings: &ServerMgp) -> BTreeMap<String, CompensationTemplate> {
    let template = |(tool, configured): (&String, &CompensationConfig)| {
        // The arguments were read from a file, so serializing cannot fail.
        let arguments = RawJson::from_value(&configured.arguments).ok()?;
        let undo = Compensation::new(&configured.tool).arguments(arguments);
        Some((tool.clone(), CompensationTemplate(undo)))
    };
    settings.compensations.iter().filter_map(template).collect()
}

fn era_choice(configured: ServerEra) -> EraChoice {
    match configured {
        ServerEra::Auto => EraChoice::AUTO,
        ServerEra::Initialize => EraChoice::Known(Era::Initialize),
        ServerEra::Stateless => EraChoice::Known(Era::Stateless),
    }
}

#[cfg(all(test, feature = "child"))]
mod tests {
    use super::*;

    #[test]
    fn the_time_between_health_checks_is_configured() {
        let settings = ServerMgp { health_pause_ms: 20, ..ServerMgp::default() };
        let endpoint = || Endpoint::from(mgp_transport::child::ChildCommand::new("a", "a"));
        let spec = ServerSpec::with_settings("a", endpoint(), &settings, &KernelConfig::default());
        assert_eq!(spec.health_pause, Duration::from_millis(20));
        assert_eq!(ServerSpec::new("a", endpoint()).health_pause, Duration::from_secs(15));
    }
}
