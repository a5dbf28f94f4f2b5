//! The whole of `mgp.toml`.

use super::{
    AccessConfig, AuditConfig, DiscoveryConfig, HttpConfig, KernelConfig, PermissionsConfig, ServerConfig,
};
use mgp_types::access::DefaultPolicy;
use serde::{Deserialize, Serialize};
use std::{collections::HashSet, time::Duration};

/// A configuration (§15.2). Every key stands in `docs/configuration.md`.
///
/// Shown and written, it says what its file says: values of `${VAR}` never leave it that way.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Who calls and what is shown.
    pub kernel: KernelConfig,
    /// Who decides on permissions.
    pub permissions: PermissionsConfig,
    /// What agents may call.
    pub access: AccessConfig,
    /// How audit events are stored.
    pub audit: AuditConfig,
    /// Where servers are looked for.
    pub discovery: DiscoveryConfig,
    /// Hosts over HTTP.
    pub http: HttpConfig,
    /// The tool servers, in the order that decides which of two equal tool names stays bare.
    pub servers: Vec<ServerConfig>,
}

impl Config {
    /// The servers that are not left out, in order.
    pub fn enabled(&self) -> impl Iterator<Item = &ServerConfig> {
        self.servers.iter().filter(|server| !server.disabled)
    }

    /// How long one call of a server may take.
    #[must_use]
    pub fn call_timeout(&self, server: &ServerConfig) -> Duration {
        let own = server.mgp.as_ref().and_then(|mgp| mgp.call_timeout_ms);
        Duration::from_millis(own.unwrap_or(self.kernel.call_timeout_ms))
    }

    /// What holds for a server that no grant speaks of.
    #[must_use]
    pub fn default_policy(&self, server: &ServerConfig) -> DefaultPolicy {
        server.default_policy.unwrap_or(self.kernel.default_policy)
    }

    /// The tools that are always shown: the kernel's names as they are, the servers' as `server__tool`.
    #[must_use]
    pub fn pinned(&self) -> HashSet<String> {
        let of_servers = self.enabled().flat_map(|server| {
            let names = server.mgp.as_ref().map_or(&[][..], |mgp| &mgp.pinned);
            names.iter().map(|tool| format!("{}__{tool}", server.id))
        });
        self.kernel.pinned.iter().cloned().chain(of_servers).collect()
    }
}
