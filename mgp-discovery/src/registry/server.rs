//! What the registry knows of one server.

use super::{ServerSource, trust_level};
use crate::config::ServerConfig;
use mgp_types::{
    context::{ToolId, TrustLevel},
    discovery::ServerEntry,
    lifecycle::ServerState,
    negotiation::{ExtensionSet, MgpVersion, Negotiated},
    permission::Permission,
};
use std::{collections::BTreeSet, sync::Arc};

/// What the registry knows of one server. A clone is cheap enough for a list.
#[derive(Debug, Clone)]
pub struct RegisteredServer {
    /// Its id.
    pub id: Arc<str>,
    /// Where the kernel knows it from.
    pub source: ServerSource,
    /// Where it stands.
    pub state: ServerState,
    /// The version of MGP that it speaks; none for a plain MCP server and for one that never connected.
    pub version: Option<MgpVersion>,
    /// What was negotiated with it; before that, what the configuration says.
    pub extensions: ExtensionSet,
    /// The permissions that the configuration says all of its tools need.
    pub configured_permissions: BTreeSet<Permission>,
    /// The permissions that all of its tools need: the configuration's and the server's own.
    pub permissions: BTreeSet<Permission>,
    /// The names of its tools, as it lists them.
    pub tools: Arc<[Arc<str>]>,
    /// How far it is trusted.
    pub trust: TrustLevel,
}

impl RegisteredServer {
    /// A server of which nothing is known but where it comes from.
    pub fn new(id: impl Into<Arc<str>>, source: ServerSource) -> Self {
        Self {
            id: id.into(),
            source,
            state: ServerState::Registered,
            version: None,
            extensions: ExtensionSet::EMPTY,
            configured_permissions: BTreeSet::new(),
            permissions: BTreeSet::new(),
            tools: Arc::default(),
            trust: trust_level(source, None),
        }
    }

    /// A server as the configuration describes it.
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

    /// Takes over what the handshake told. `None` is a plain MCP server.
    ///
    /// What it says can add permissions and lower its trust, and nothing else of either. A later handshake judges anew.
    pub fn negotiated(&mut self, negotiated: Option<&Negotiated>) {
        self.version = negotiated.map(|negotiated| negotiated.version);
        self.extensions = negotiated.map_or(ExtensionSet::EMPTY, |negotiated| negotiated.extensions);
        self.trust = trust_level(self.source, negotiated.and_then(|negotiated| negotiated.claimed_trust));
        self.permissions = self.configured_permissions.clone();
        let names = negotiated.map_or(&[][..], |negotiated| &negotiated.permissions_required);
        for name in names {
            match Permission::expand(name) {
                Ok(permissions) => self.permissions.extend(permissions),
                Err(error) => {
                    tracing::warn!(server = &*self.id, %error, "the server needs something unknown");
                }
            }
        }
    }

    /// The server as a list shows it, with the tools that `shows` lets through.
    pub(super) fn entry(&self, shows: impl Fn(&ToolId) -> bool) -> ServerEntry {
        let visible = |name: &&Arc<str>| shows(&ToolId::new(Arc::clone(&self.id), Arc::clone(name)));
        ServerEntry {
            id: self.id.to_string(),
            status: self.state,
            mgp_version: self.version.map(|version| version.to_string()).into(),
            extensions: self.extensions.iter().map(|extension| extension.to_string()).collect(),
            tools: self.tools.iter().filter(visible).map(ToString::to_string).collect(),
            trust_level: Some(self.trust),
        }
    }
}
