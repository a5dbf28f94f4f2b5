//! The operator's settings of a server.

use super::{Endpoint, KernelFiles, limit_keys::LimitKeys};
use crate::session::EraChoice;
use mgp_discovery::{
    config::{self, CodeSafetyConfig, CompensationConfig, HostFeature, KernelConfig, ServerMgp},
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
use std::{collections::BTreeMap, time::Duration};

/// The operator's settings of a server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerSpec {
    /// The id by which grants, calls and the audit trail name the server.
    pub id: String,
    /// The endpoint at which the server is reached.
    pub endpoint: Endpoint,
    /// The trust in the server, which the server's own claim can only lower.
    pub trust: TrustLevel,
    /// The answer to tools whose definition changes; `None` goes by the trust in the server.
    pub on_change: Option<OnChange>,
    /// The confinement of the server's process, if it is a child process.
    pub confinement: ConfinementSettings,
    /// The kernel's own files, which a confined server may not use, but for a folder of its own.
    pub(crate) kernel_files: KernelFiles,
    /// The extensions that the server is known to have, for lists before it is connected.
    pub extensions: ExtensionSet,
    /// The permissions that all tools of the server need, whatever the server declares.
    pub permissions: Vec<Permission>,
    /// The permissions that are approved by the configuration, by name.
    pub approved: Vec<String>,
    /// The validator of every tool that has none of its own in `validators`.
    pub validator: Option<ValidatorName>,
    /// The validators of single tools.
    pub validators: BTreeMap<String, ValidatorName>,
    /// The rules for code that the server's tools take.
    pub code_safety: Option<CodeSafety>,
    /// The JSON pointers of the strings that the validators of single tools check.
    pub pointers: BTreeMap<String, Vec<String>>,
    /// The settings of the validator `sandbox`.
    pub sandbox: SandboxSettings,
    /// The settings of the validator `readonly`.
    pub readonly: ReadonlySettings,
    /// The rule for asking somebody before a call; `None` goes by the risk of each tool.
    pub confirmation: Option<Confirmation>,
    /// True if calls of moderate tools are asked about as those of dangerous ones are. Counts if `confirmation` is `None`.
    pub confirm_moderate: bool,
    /// The answer to secrets in what the server returns.
    pub secrets: SecretPolicy,
    /// The features of hosts that the server may ask for.
    pub host_features: Vec<HostFeature>,
    /// The era of MCP in which the server is spoken to.
    pub era: EraChoice,
    /// The policy for agents to whom nothing was granted.
    pub default_policy: DefaultPolicy,
    /// Tools that hosts are always shown, by the server's own names.
    pub pinned: Vec<String>,
    /// The categories of the server's tools, beside those that the tools name themselves (§16.4).
    pub categories: Vec<String>,
    /// Tools that are switched off, by the server's own names: they are not shown, and calls of them are refused with 4002.
    pub disabled: Vec<String>,
    /// Tools that may run twice without harm, by the server's own names.
    pub idempotent: Vec<String>,
    /// The calls that undo calls of the server's tools in transactions, by the tools' names.
    pub compensations: BTreeMap<String, CompensationTemplate>,
    /// The tools that stand in for the server's own when a call of these fails: by the server's own names, the names that hosts call
    /// the others by (§14.6).
    pub fallbacks: BTreeMap<String, String>,
    /// The bounds of the retries of failed calls (§14.6). Only calls that may be made again without harm are.
    pub retries: RetryPolicy,
    /// The bounds of the circuit breaker, which refuses calls for a while after several in a row failed.
    pub breaker: BreakerPolicy,
    /// The settings of restarts after the server's end.
    pub restart: RestartConfig,
    /// True if the server is started by the first request that needs it, and not with the kernel.
    pub lazy: bool,
    /// The time after which the server is stopped if nothing uses it, until a request needs it again; `None` for never.
    pub idle_timeout: Option<Duration>,
    /// True if the kernels of one state folder share the server's process. It applies to a child process that is spoken to in sessions, on
    /// Unix, where the kernel has a [state folder](super::super::KernelBuilder::state_folder); elsewhere the kernel warns and starts a process
    /// of its own.
    pub shared: bool,
    /// The time limit of one call, which begins again with each progress and each chunk.
    pub call_timeout: Duration,
    /// The time limit of a call with progress or chunks. If it is not longer than that of one call, progress does not count.
    pub call_max: Duration,
    /// The time limit of a call's wait for its turn. It counts no longer than what is left of the call's own.
    pub queue_timeout: Duration,
    /// The time limit of a host's answer to a question of the server. The time limit of the call stands still meanwhile.
    pub question_timeout: Duration,
    /// The time limit for the server to start, to answer the handshake and to list its tools the first time.
    pub startup_timeout: Duration,
    /// The time limit for the server to list its tools.
    pub discovery_timeout: Duration,
    /// The time limit for the server to stop.
    pub shutdown_timeout: Duration,
    /// The most calls that the server gets at once.
    pub max_concurrent: usize,
    /// The most tools that the server may list.
    pub max_tools: usize,
    /// The configuration keys that decide the time limits, for errors.
    pub(in crate::kernel) limit_keys: LimitKeys,
    /// The session of a host to which alone the server belongs (§16.6); `None` for a server of all sessions.
    pub(in crate::kernel) session: Option<SessionTag>,
    /// The time between two health checks of the server.
    pub health_pause: Duration,
}

impl ServerSpec {
    /// Creates the settings of a server of the operator's own configuration, with every other setting at the default that `mgp.toml` has.
    #[must_use]
    pub fn new(id: impl Into<String>, endpoint: impl Into<Endpoint>) -> Self {
        let (settings, kernel) = (ServerMgp::default(), KernelConfig::default());
        let limit_keys = LimitKeys::OF_SERVER;
        Self { limit_keys, ..Self::with_settings(id, endpoint.into(), &settings, &kernel) }
    }

    /// Creates the settings of a server from those of a configuration.
    pub(in crate::kernel) fn with_settings(
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
            era: settings.era.into(),
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
            lazy: settings.lazy.unwrap_or(kernel.lazy),
            idle_timeout: match settings.idle_timeout_secs.unwrap_or(kernel.idle_timeout_secs) {
                0 => None,
                seconds => Some(Duration::from_secs(seconds)),
            },
            shared: settings.shared,
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
    pub(in crate::kernel) fn registered(&self, source: ServerSource) -> RegisteredServer {
        let mut entry = RegisteredServer::new(&*self.id, source);
        entry.extensions = self.extensions;
        entry.configured_permissions = self.permissions.iter().cloned().collect();
        entry.permissions = entry.configured_permissions.clone();
        entry
    }

    /// Returns the answer to tools whose definition changes, for a server that has this trust.
    pub(crate) fn on_change(&self, trust: TrustLevel) -> OnChange {
        self.on_change.unwrap_or(match trust {
            TrustLevel::Sandboxed => OnChange::Hold,
            _ => OnChange::Warn,
        })
    }

    /// Returns the configuration of one tool.
    pub(crate) fn configured(&self, tool_name: &str) -> ConfiguredTool {
        ConfiguredTool {
            permissions: self.permissions.clone(),
            validator: self.validators.get(tool_name).or(self.validator.as_ref()).cloned(),
            validator_of_server: !self.validators.contains_key(tool_name),
            code_safety: self.code_safety.clone(),
            confirmation: self.confirmation,
            confirm_moderate: self.confirm_moderate,
            pointers: self.pointers.get(tool_name).cloned().unwrap_or_default(),
            sandbox: self.sandbox.clone(),
            readonly: self.readonly.clone(),
        }
    }
}

/// Returns the calls that undo calls, as they are configured.
fn compensations(settings: &ServerMgp) -> BTreeMap<String, CompensationTemplate> {
    let template = |(tool, configured): (&String, &CompensationConfig)| {
        // Read from a file: writing cannot fail.
        let arguments = RawJson::from_value(&configured.arguments).ok()?;
        let undo = Compensation::new(&configured.tool).arguments(arguments);
        Some((tool.clone(), CompensationTemplate(undo)))
    };
    settings.compensations.iter().filter_map(template).collect()
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
