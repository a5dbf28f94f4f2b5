//! `[servers.mgp]`: a server's settings for MGP (§15.2), including its restarts (§11.5).

use super::{
    CompensationConfig,
    code_safety::CodeSafetyConfig,
    host_feature::{HostFeature, InstanceScope, ServerEra},
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>, extend("x-also" = super::annotate::other_timeout_names())))]
#[serde(default, deny_unknown_fields)]
pub struct ServerMgp {
    /// The server's extensions, for lists that are made before it connects. The handshake replaces this value.
    pub extensions: Vec<String>,
    /// [Permissions](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#names-of-permissions) that all of its tools need.
    pub permissions_required: Vec<String>,
    /// The trust in the server. Default: `standard`. The server's own claim can only lower this. Other names for these levels: `core` is `trusted`,
    /// `experimental` and `untrusted` are `sandboxed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("x-also" = {"core": "trusted", "experimental": "sandboxed", "untrusted": "sandboxed"})))]
    pub trust_level: Option<TrustLevel>,
    /// The treatment of a tool whose definition changes, see [definitions.md](https://github.com/mgp-rs/mgp/blob/main/docs/definitions.md). Default:
    /// `hold` if the trust is `sandboxed`, else `warn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_change: Option<OnChange>,
    /// The policy for starting the server again after it has ended ([kernel.md](https://github.com/mgp-rs/mgp/blob/main/docs/kernel.md#restarts)).
    /// With `on_failure`, a server that ended without an error is started by the next request that needs it.
    pub restart_policy: RestartPolicy,
    /// The most restarts within the window, for a process that comes up and dies. After these, the server's state is `error`. A server that does not
    /// start, or that is lost at a `url`, is retried without end.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1000)))]
    pub max_restarts: u32,
    /// The length of the window, in seconds.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400)))]
    pub restart_window_secs: u64,
    /// The wait before the first restart, in milliseconds; it doubles each time.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400_000)))]
    pub backoff_base_ms: u64,
    /// The longest wait, in milliseconds. At least `backoff_base_ms`. For a server that is retried without end, at most a minute.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400_000)))]
    pub backoff_max_ms: u64,
    /// The validator of every tool that has none in `validators`. See
    /// [Validators](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#validators).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(transform = super::annotate::closed))]
    pub validator: Option<ValidatorName>,
    /// The validator of the tool of that name. See [Validators](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#validators).
    #[cfg_attr(feature = "schema", schemars(transform = super::annotate::closed))]
    pub validators: BTreeMap<String, ValidatorName>,
    /// The rules for code that the server's tools take. Without this table, those that each tool declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_safety: Option<CodeSafetyConfig>,
    /// The JSON pointers of the strings that the validators of the tool of that name check, such as `"/command"`. Default: every string.
    pub pointers: BTreeMap<String, Vec<String>>,
    /// The settings of the validator `sandbox`.
    #[cfg_attr(feature = "schema", schemars(transform = super::annotate::ordered::<SandboxSettings>))]
    pub sandbox: SandboxSettings,
    /// The settings of the validator `readonly`.
    pub readonly: ReadonlySettings,
    /// The calls that must be confirmed, see [Confirmation](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#confirmation).
    pub confirmation: Confirmation,
    /// The treatment of the server's results.
    pub results: ResultsConfig,
    /// The requests that the server may make of hosts, see [Requests to
    /// hosts](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#requests-to-hosts).
    pub host_features: Vec<HostFeature>,
    /// The server's era of MCP, see [Era](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#era).
    pub era: ServerEra,
    /// The server's tools that `hybrid` always shows.
    pub pinned: Vec<String>,
    /// Categories of the server's tools, such as `"work/reports"`, in addition to those that the tools declare. 1 to 4 levels, each category at most
    /// 128 bytes, at most 16 categories. See [tool-index.md](https://github.com/mgp-rs/mgp/blob/main/docs/tool-index.md#categories).
    pub categories: Vec<String>,
    /// Tools that are switched off, by the server's own names. They are not shown, and calls of them are refused with 4002.
    pub disabled: Vec<String>,
    /// The server's tools that may run twice without harm, by its own names. See [Idempotent
    /// tools](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#idempotent-tools).
    pub idempotent: Vec<String>,
    /// The tool that is called where the tool of that name fails, by the name that hosts call it by, such as `"backup__search"`
    /// ([errors.md](https://github.com/mgp-rs/mgp/blob/main/docs/errors.md)).
    pub fallbacks: BTreeMap<String, String>,
    /// The calls that undo calls of this server's tools in transactions, by the tools' names.
    pub compensations: BTreeMap<String, CompensationConfig>,
    /// The number of times that a failed call of this server is made again. Default: `kernel.max_retries`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 10)))]
    pub max_retries: Option<u32>,
    /// The number of unanswered calls in a row after which calls are refused for a while. `0`: never
    /// ([errors.md](https://github.com/mgp-rs/mgp/blob/main/docs/errors.md)).
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1000)))]
    pub breaker_failures: u32,
    /// The time for which calls are refused, in milliseconds. It doubles, up to a minute, each time that the call that then tries the server fails.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400_000)))]
    pub breaker_pause_ms: u64,
    /// The time between two health checks, in milliseconds. A server with MGP's health check is also checked as soon as it is connected
    /// ([kernel.md](https://github.com/mgp-rs/mgp/blob/main/docs/kernel.md#health)).
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400_000)))]
    pub health_pause_ms: u64,
    /// True if the server is started by the first request that needs it
    /// ([kernel.md](https://github.com/mgp-rs/mgp/blob/main/docs/kernel.md#servers-on-demand)). Default: `kernel.lazy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lazy: Option<bool>,
    /// The time without use after which the server is stopped, in seconds, until a request needs it again. `0`: never. Default:
    /// `kernel.idle_timeout_secs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 2_592_000)))]
    pub idle_timeout_secs: Option<u64>,
    /// The hosts that share a process of the server: all, or each session its own
    /// ([cli.md](https://github.com/mgp-rs/mgp/blob/main/docs/cli.md#a-process-for-each-session)).
    pub instances: InstanceScope,
    /// The most processes for sessions at once, with `instances = "session"`. A request of another session is refused with 3001 and is not sent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    pub max_instances: usize,
    /// Has no effect: all hosts share [one
    /// gateway](https://github.com/mgp-rs/mgp/blob/main/docs/cli.md#one-gateway-for-all-hosts), and so one process of each server.
    pub shared: bool,
    /// The longest time that one call may take, in milliseconds, from its start or its last progress. Default: `kernel.call_timeout_ms`.
    #[serde(alias = "tool_timeout_ms", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400_000)))]
    pub call_timeout_ms: Option<u64>,
    /// The longest time that a call with progress may take, in milliseconds. `0`: no longer than `call_timeout_ms`. Default: `kernel.call_max_ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 86_400_000)))]
    pub call_max_ms: Option<u64>,
    /// The longest time that a call may wait for its turn, in milliseconds. Default: `kernel.queue_timeout_ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400_000)))]
    pub queue_timeout_ms: Option<u64>,
    /// The longest time that the server may take to list its tools, in milliseconds. Default: `kernel.discovery_timeout_ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400_000)))]
    pub discovery_timeout_ms: Option<u64>,
    /// The longest time that the server may take to start, to answer the handshake and to list its tools the first time, in milliseconds. Default:
    /// `kernel.startup_timeout_ms`.
    #[serde(alias = "initialize_timeout_ms", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400_000)))]
    pub startup_timeout_ms: Option<u64>,
    /// The longest time that the server may take to stop before it is killed, in milliseconds. Default: `kernel.shutdown_timeout_ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400_000)))]
    pub shutdown_timeout_ms: Option<u64>,
    /// The most calls that the server gets at once. Others wait for their turn. A call that gets no turn within its time limit is refused with 3001
    /// and is not sent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 100_000)))]
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
            instances: InstanceScope::Shared,
            max_instances: 16,
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
