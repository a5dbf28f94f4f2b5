//! The registry's entry for one server.

use super::{ServerSource, trust_level};
use crate::config::ServerConfig;
use mgp_types::{
    context::{ToolId, TrustLevel},
    discovery::ServerEntry,
    lifecycle::{HealthStatus, ServerState},
    negotiation::{ExtensionSet, MgpVersion, Negotiation},
    permission::Permission,
};
use std::{collections::BTreeSet, sync::Arc};

/// The registry's entry for one server. A clone is cheap enough for a list.
#[derive(Debug, Clone)]
pub struct RegisteredServer {
    /// The id of the server.
    pub id: Arc<str>,
    /// The source from which the kernel knows the server.
    pub source: ServerSource,
    /// The state of the server.
    pub state: ServerState,
    /// True if the server is stopped while unused, and the next request that needs it starts it.
    pub on_demand: bool,
    /// The health as reported by the server. `None` without a report, and while the server is not connected.
    pub health: Option<HealthStatus>,
    /// The version of MGP that the server speaks. `None` for a plain MCP server, and for one that never connected.
    pub version: Option<MgpVersion>,
    /// The extensions that were negotiated with the server; before that, those in the configuration.
    pub extensions: ExtensionSet,
    /// The permissions that all of the server's tools need, according to the configuration.
    pub configured_permissions: BTreeSet<Permission>,
    /// The permissions that all of the server's tools need, according to the configuration or to the server.
    pub permissions: BTreeSet<Permission>,
    /// The names of the server's tools, as the server lists them.
    pub tools: Arc<[Arc<str>]>,
    /// The trust in the server.
    pub trust: TrustLevel,
}

impl RegisteredServer {
    /// Creates the entry of a server with only its source.
    pub fn new(id: impl Into<Arc<str>>, source: ServerSource) -> Self {
        Self {
            id: id.into(),
            source,
            state: ServerState::Registered,
            on_demand: false,
            health: None,
            version: None,
            extensions: ExtensionSet::EMPTY,
            configured_permissions: BTreeSet::new(),
            permissions: BTreeSet::new(),
            tools: Arc::default(),
            trust: trust_level(source, None),
        }
    }

    /// Creates the entry of a server as the configuration describes it.
    #[must_use]
    pub fn from_config(config: &ServerConfig) -> Self {
        let mgp = config.mgp.as_ref();
        let mut server =
            Self::new(config.id.as_str(), ServerSource::Configuration(mgp.and_then(|mgp| mgp.trust_level)));
        if let Some(mgp) = mgp {
            server.extensions = ExtensionSet::from_spellings(&mgp.extensions);
            server.configured_permissions = mgp.permissions().into_iter().collect();
            server.permissions = server.configured_permissions.clone();
        }
        server
    }

    /// Sets the result of the handshake. `None` stands for a plain MCP server.
    ///
    /// The server's own statements can add permissions and lower its trust, but not the reverse. A later handshake
    /// replaces them.
    pub fn negotiated(&mut self, negotiated: Option<&Negotiation>) {
        self.version = negotiated.map(|negotiated| negotiated.version);
        self.extensions = negotiated.map_or(ExtensionSet::EMPTY, |negotiated| negotiated.extensions);
        self.trust = trust_level(self.source, negotiated.and_then(|negotiated| negotiated.claimed_trust));
        self.permissions = self.configured_permissions.clone();
        let names = negotiated.map_or(&[][..], |negotiated| &negotiated.permissions_required);
        for name in names {
            match Permission::expand(name) {
                Ok(permissions) => self.permissions.extend(permissions),
                Err(error) => {
                    tracing::warn!(server = &*self.id, %error, "the server requires an unknown permission");
                }
            }
        }
    }

    /// Returns the effective health of the server: its own report, or unhealthy while it is not connected, unless a request would start it.
    #[must_use]
    pub fn current_health(&self) -> HealthStatus {
        match self.state {
            ServerState::Connected => self.health.unwrap_or(HealthStatus::Healthy),
            _ if self.on_demand => HealthStatus::Healthy,
            _ => HealthStatus::Unhealthy,
        }
    }

    /// Returns the server as a list shows it, with the tools that `shows` lets through.
    pub(super) fn entry(&self, shows: impl Fn(&ToolId) -> bool) -> ServerEntry {
        let visible = |name: &&Arc<str>| shows(&ToolId::new(Arc::clone(&self.id), Arc::clone(name)));
        ServerEntry {
            id: self.id.to_string(),
            status: self.state,
            health: self.health,
            mgp_version: self.version.map(|version| version.to_string()).into(),
            extensions: self.extensions.iter().map(|extension| extension.to_string()).collect(),
            tools: self.tools.iter().filter(visible).map(ToString::to_string).collect(),
            trust_level: Some(self.trust),
        }
    }
}
