//! The whole of `mgp.toml`.

use super::{
    AccessConfig, AgentConfig, ApprovalsConfig, AuditConfig, ConsoleConfig, DiscoveryConfig, HttpConfig,
    IdempotencyConfig, KernelConfig, LimitsConfig, PermissionsConfig, ReferencesConfig, ReplicasConfig,
    ResultLimits, RoleConfig, ServerConfig, StoreConfig, TelemetryConfig, ToolCreationConfig,
};
use mgp_types::access::{DefaultPolicy, RoleRule, Roles};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, HashSet},
    time::Duration,
};

/// The address of the JSON Schema of `mgp.toml`, which editors read from the line `#:schema URL` of a file.
pub const SCHEMA_URL: &str = "https://raw.githubusercontent.com/mgp-rs/mgp/main/docs/schemas/mgp.toml.json";

/// A configuration (§15.2). Every key is described in `docs/configuration.md`.
///
/// A printed or serialized configuration contains the text of its file. The values of `${VAR}` are never revealed that way.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The calling agent, and the tools that are shown to hosts.
    pub kernel: KernelConfig,
    /// The decisions on permissions.
    pub permissions: PermissionsConfig,
    /// The notifications about what waits for a decision.
    pub approvals: ApprovalsConfig,
    /// The grants of agents.
    pub access: AccessConfig,
    /// The grants that agents have in common, by the name of the role.
    pub roles: BTreeMap<String, RoleConfig>,
    /// The agents that have roles.
    pub agents: Vec<AgentConfig>,
    /// The rate limits of agents, keys, servers and tools.
    pub limits: LimitsConfig,
    /// The storage of audit events.
    pub audit: AuditConfig,
    /// The registry in which servers are looked up.
    pub discovery: DiscoveryConfig,
    /// Hosts over HTTP.
    pub http: HttpConfig,
    /// The console for operators of other machines.
    pub console: ConsoleConfig,
    /// The results that the kernel keeps.
    pub references: ReferencesConfig,
    /// The results that are sent to hosts.
    pub results: ResultLimits,
    /// The calls that carry a key and are made only once.
    pub idempotency: IdempotencyConfig,
    /// The database of the state.
    pub store: StoreConfig,
    /// The network between gateways that share sessions.
    pub replicas: ReplicasConfig,
    /// The metrics and the spans.
    pub telemetry: TelemetryConfig,
    /// The tools that are created from agents' code.
    pub tool_creation: ToolCreationConfig,
    /// The tool servers, in the order that decides which of two equal tool names stays bare.
    pub servers: Vec<ServerConfig>,
}

impl Config {
    /// Returns the servers that are not disabled, in order.
    pub fn enabled(&self) -> impl Iterator<Item = &ServerConfig> {
        self.servers.iter().filter(|server| !server.disabled)
    }

    /// Returns the time limit of one call of a server.
    #[must_use]
    pub fn call_timeout(&self, server: &ServerConfig) -> Duration {
        let own = server.mgp.as_ref().and_then(|mgp| mgp.call_timeout_ms);
        Duration::from_millis(own.unwrap_or(self.kernel.call_timeout_ms))
    }

    /// Returns the policy for a server without a grant.
    #[must_use]
    pub fn default_policy(&self, server: &ServerConfig) -> DefaultPolicy {
        server.default_policy.unwrap_or(self.kernel.default_policy)
    }

    /// Returns the roles, and the agents that have them.
    #[must_use]
    pub fn roles(&self) -> Roles {
        let roles = self.roles.iter().fold(Roles::new(), |roles, (name, role)| {
            roles.role(name, role.grants.iter().map(RoleRule::from))
        });
        self.agents.iter().fold(roles, |roles, agent| roles.agent(&agent.id, &agent.roles))
    }

    /// Returns the tools that are always shown: the kernel's names unchanged, the servers' as `server__tool`.
    #[must_use]
    pub fn pinned(&self) -> HashSet<String> {
        let of_servers = self.enabled().flat_map(|server| {
            let names = server.mgp.as_ref().map_or(&[][..], |mgp| &mgp.pinned);
            names.iter().map(|tool| format!("{}__{tool}", server.id))
        });
        self.kernel.pinned.iter().cloned().chain(of_servers).collect()
    }
}
