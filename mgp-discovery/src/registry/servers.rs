//! All servers, in the order of the configuration.

use super::RegisteredServer;
use crate::config::Config;
use mgp_types::{
    lifecycle::{HealthStatus, ServerState},
    negotiation::Negotiation,
};
use parking_lot::RwLock;
use std::{collections::HashSet, fmt, sync::Arc};
use thiserror::Error;

/// The most servers that a registry holds.
pub const MAX_SERVERS: usize = 1_000;

/// Every server that the kernel knows, with its live state. Clones share the registry.
#[derive(Clone, Default)]
pub struct Registry(Arc<RwLock<Arc<Vec<RegisteredServer>>>>);

/// The reason that the registry did not change.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Another server has the id (4101).
    #[error("a server {0:?} is registered already")]
    AlreadyRegistered(String),
    /// The registry does not have the server.
    #[error("no server {0:?} is registered")]
    NotRegistered(String),
    /// The registry holds [`MAX_SERVERS`] servers.
    #[error("{MAX_SERVERS} servers are registered: expected no more")]
    Full,
}

impl Registry {
    /// Creates an empty registry.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a registry of the enabled servers of a configuration.
    #[must_use]
    pub fn from_config(config: &Config) -> Self {
        let enabled = config.enabled().take(MAX_SERVERS);
        let servers = enabled.map(RegisteredServer::from_config).collect();
        Self(Arc::new(RwLock::new(Arc::new(servers))))
    }

    /// Adds a server after the others.
    ///
    /// # Errors
    /// [`RegistryError::AlreadyRegistered`] and [`RegistryError::Full`].
    pub fn add(&self, server: RegisteredServer) -> Result<(), RegistryError> {
        self.write(|servers| {
            if servers.iter().any(|known| known.id == server.id) {
                return Err(RegistryError::AlreadyRegistered(server.id.to_string()));
            }
            if servers.len() >= MAX_SERVERS {
                return Err(RegistryError::Full);
            }
            servers.push(server);
            Ok(())
        })
    }

    /// Removes a server.
    ///
    /// # Errors
    /// [`RegistryError::NotRegistered`].
    pub fn remove(&self, id: &str) -> Result<RegisteredServer, RegistryError> {
        self.write(|servers| {
            let at = servers.iter().position(|server| &*server.id == id);
            at.map(|at| servers.remove(at)).ok_or_else(|| RegistryError::NotRegistered(id.to_owned()))
        })
    }

    /// Sets the state of a server. The health of a server is unknown unless it is connected.
    ///
    /// # Errors
    /// [`RegistryError::NotRegistered`].
    pub fn set_state(&self, id: &str, state: ServerState) -> Result<(), RegistryError> {
        self.update(id, |server| {
            server.state = state;
            server.health = server.health.filter(|_| state == ServerState::Connected);
        })
    }

    /// Sets whether a server is stopped while unused.
    ///
    /// # Errors
    /// [`RegistryError::NotRegistered`].
    pub fn set_on_demand(&self, id: &str, on_demand: bool) -> Result<(), RegistryError> {
        self.update(id, |server| server.on_demand = on_demand)
    }

    /// Sets the health reported by a connected server, or `None` without a report.
    ///
    /// # Errors
    /// [`RegistryError::NotRegistered`].
    pub fn set_health(&self, id: &str, health: Option<HealthStatus>) -> Result<(), RegistryError> {
        self.update(id, |server| server.health = health.filter(|_| server.state == ServerState::Connected))
    }

    /// Sets the result of the handshake; `None` stands for a plain MCP server.
    ///
    /// # Errors
    /// [`RegistryError::NotRegistered`].
    pub fn set_negotiated(&self, id: &str, negotiated: Option<&Negotiation>) -> Result<(), RegistryError> {
        self.update(id, |server| server.negotiated(negotiated))
    }

    /// Sets the names of a server's tools, as the server lists them.
    ///
    /// # Errors
    /// [`RegistryError::NotRegistered`].
    pub fn set_tools(
        &self,
        id: &str,
        names: impl IntoIterator<Item = Arc<str>>,
    ) -> Result<(), RegistryError> {
        let names = names.into_iter().collect();
        self.update(id, |server| server.tools = names)
    }

    /// Changes the entry of a server.
    ///
    /// # Errors
    /// [`RegistryError::NotRegistered`].
    pub fn update(&self, id: &str, change: impl FnOnce(&mut RegisteredServer)) -> Result<(), RegistryError> {
        self.write(|servers| match servers.iter_mut().find(|server| &*server.id == id) {
            Some(server) => {
                change(server);
                Ok(())
            }
            None => Err(RegistryError::NotRegistered(id.to_owned())),
        })
    }

    /// Returns all servers at this moment, in order.
    #[must_use]
    pub fn servers(&self) -> Arc<Vec<RegisteredServer>> {
        Arc::clone(&self.0.read())
    }

    /// Returns one server at this moment.
    #[must_use]
    pub fn server(&self, id: &str) -> Option<RegisteredServer> {
        self.servers().iter().find(|server| &*server.id == id).cloned()
    }

    /// Returns the ids of the servers in a state.
    #[must_use]
    pub fn in_state(&self, state: ServerState) -> HashSet<Arc<str>> {
        let servers = self.servers();
        servers.iter().filter(|server| server.state == state).map(|server| Arc::clone(&server.id)).collect()
    }

    /// Changes the list. Readers keep their list: while there are readers, a copy is changed.
    fn write<R>(&self, change: impl FnOnce(&mut Vec<RegisteredServer>) -> R) -> R {
        change(Arc::make_mut(&mut self.0.write()))
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers = self.servers();
        f.debug_map().entries(servers.iter().map(|server| (&server.id, server.state))).finish()
    }
}
