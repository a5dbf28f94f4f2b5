//! `[servers.mgp]`: a server's settings for MGP (§15.2), including its restarts (§11.5).

use super::{
    CompensationConfig,
    code_safety::CodeSafetyConfig,
    host_feature::{HostFeature, ServerEra},
    results::ResultsConfig,
};
use mgp_types::{
    context::TrustLevel,
    lifecycle::{RestartConfig, RestartPolicy},
    permission::Permission,
    tool_security::{OnChange, ReadonlySettings, SandboxSettings, ValidatorName},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The `[servers.mgp]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerMgp {
    /// The extensions that the server is known to have before it is connected.
    pub extensions: Vec<String>,
    /// The permissions that all of the server's tools need, by name; a bare family stands for all of its members.
    pub permissions_required: Vec<String>,
    /// The trust in the server. `None` means `standard`, because the operator wrote the entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust_level: Option<TrustLevel>,
    /// The answer to tools whose definition changes. `None` means `hold` if the trust is `sandboxed`, and `warn` otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_change: Option<OnChange>,
    /// The policy for starting the server again after it ended.
    pub restart_policy: RestartPolicy,
    /// The most restarts in one window, for a process that starts and then dies.
    pub max_restarts: u32,
    /// The length of the window for restarts, in seconds.
    pub restart_window_secs: u64,
    /// The wait before the first restart, in milliseconds.
    pub backoff_base_ms: u64,
    /// The longest wait before a restart, in milliseconds. For a server that is away, at most a minute.
    pub backoff_max_ms: u64,
    /// The validator of every tool that is not in `validators`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validator: Option<ValidatorName>,
    /// The validator of single tools.
    pub validators: BTreeMap<String, ValidatorName>,
    /// The rules for code that the server's tools take. `None` means those that each tool declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_safety: Option<CodeSafetyConfig>,
    /// The JSON pointers of the strings that the validators of single tools check.
    pub pointers: BTreeMap<String, Vec<String>>,
    /// The settings of the validator `sandbox`.
    pub sandbox: SandboxSettings,
    /// The settings of the validator `readonly`.
    pub readonly: ReadonlySettings,
    /// The calls that need a confirmation.
    pub confirmation: Confirmation,
    /// The treatment of the server's results.
    pub results: ResultsConfig,
    /// The host features that the server may use.
    pub host_features: Vec<HostFeature>,
    /// The era of MCP that is used with the server.
    pub era: ServerEra,
    /// Tools that are always shown to hosts.
    pub pinned: Vec<String>,
    /// The categories that the server's tools are filed under, in addition to those that the tools declare (§16.4).
    pub categories: Vec<String>,
    /// Disabled tools, by the server's own names.
    pub disabled: Vec<String>,
    /// Tools that may safely run twice, by the server's own names.
    pub idempotent: Vec<String>,
    /// The tools that are called if a tool of this server fails. Keys are the server's own names, values the exposed names of the other
    /// tools.
    pub fallbacks: BTreeMap<String, String>,
    /// The calls that undo calls of this server's tools in transactions, by the tools' names.
    pub compensations: BTreeMap<String, CompensationConfig>,
    /// The maximum number of retries of a failed call. `None` means the kernel's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<u32>,
    /// The number of failures in a row after which calls are refused for a while; 0 for never.
    pub breaker_failures: u32,
    /// The time for which calls are refused at first, in milliseconds. It doubles while the server keeps failing.
    pub breaker_pause_ms: u64,
    /// The time between two health checks, in milliseconds.
    pub health_pause_ms: u64,
    /// True if the server is started by the first request that needs it. `None` means the kernel's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lazy: Option<bool>,
    /// The time after which an unused server is stopped, in seconds; 0 for never. `None` means the kernel's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_timeout_secs: Option<u64>,
    /// True if the kernels of one state folder share the server's process.
    pub shared: bool,
    /// The time limit of one call, in milliseconds. `None` means the kernel's.
    #[serde(alias = "tool_timeout_ms", skip_serializing_if = "Option::is_none")]
    pub call_timeout_ms: Option<u64>,
    /// The time limit of a call whose server reports progress, in milliseconds; 0 for the limit of every call. `None` means the kernel's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_max_ms: Option<u64>,
    /// The time limit of a call's wait for its turn, in milliseconds. `None` means the kernel's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_timeout_ms: Option<u64>,
    /// The time limit for the server to list its tools, in milliseconds. `None` means the kernel's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discovery_timeout_ms: Option<u64>,
    /// The time limit for the server to start and to answer the handshake, in milliseconds. `None` means the kernel's.
    #[serde(alias = "initialize_timeout_ms", skip_serializing_if = "Option::is_none")]
    pub startup_timeout_ms: Option<u64>,
    /// The time limit for the server to stop, in milliseconds. `None` means the kernel's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shutdown_timeout_ms: Option<u64>,
    /// The most concurrent calls to the server. Further calls wait for their turn.
    pub max_concurrent: usize,
}

impl Default for ServerMgp {
    fn default() -> Self {
        let restart = RestartConfig::default();
        Self {
            extensions: Vec::new(),
            permissions_required: Vec::new(),
            trust_level: None,
            on_change: None,
            restart_policy: restart.restart_policy,
            max_restarts: restart.max_restarts,
            restart_window_secs: restart.restart_window_secs,
            backoff_base_ms: restart.backoff_base_ms,
            backoff_max_ms: restart.backoff_max_ms,
            validator: None,
            validators: BTreeMap::new(),
            code_safety: None,
            pointers: BTreeMap::new(),
            sandbox: SandboxSettings::default(),
            readonly: ReadonlySettings::default(),
            confirmation: Confirmation::default(),
            results: ResultsConfig::default(),
            host_features: HostFeature::ALL.into(),
            era: ServerEra::default(),
            pinned: Vec::new(),
            categories: Vec::new(),
            disabled: Vec::new(),
            idempotent: Vec::new(),
            fallbacks: BTreeMap::new(),
            compensations: BTreeMap::new(),
            max_retries: None,
            breaker_failures: 5,
            breaker_pause_ms: 5_000,
            health_pause_ms: 15_000,
            lazy: None,
            idle_timeout_secs: None,
            shared: false,
            call_timeout_ms: None,
            call_max_ms: None,
            queue_timeout_ms: None,
            discovery_timeout_ms: None,
            startup_timeout_ms: None,
            shutdown_timeout_ms: None,
            max_concurrent: 32,
        }
    }
}

impl ServerMgp {
    /// Returns the settings for restarting the server.
    #[must_use]
    pub fn restart(&self) -> RestartConfig {
        RestartConfig {
            restart_policy: self.restart_policy,
            max_restarts: self.max_restarts,
            restart_window_secs: self.restart_window_secs,
            backoff_base_ms: self.backoff_base_ms,
            backoff_max_ms: self.backoff_max_ms,
        }
    }

    /// Returns the permissions that all of the server's tools need, with families expanded into their members.
    #[must_use]
    pub fn permissions(&self) -> Vec<Permission> {
        // An invalid permission name was refused when the file was read.
        self.permissions_required
            .iter()
            .flat_map(|name| Permission::expand(name).unwrap_or_default())
            .collect()
    }

    /// Returns the validator that the configuration sets for a tool.
    #[must_use]
    pub fn validator_of(&self, tool_name: &str) -> Option<&ValidatorName> {
        self.validators.get(tool_name).or(self.validator.as_ref())
    }
}

/// The calls that need a confirmation (§4.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confirmation {
    /// Before every call.
    Always,
    /// Before calls of tools that request it or are dangerous.
    #[default]
    Dangerous,
    /// Also before calls of moderate tools.
    Moderate,
    /// Never; the operator accepts the risk.
    Never,
}
