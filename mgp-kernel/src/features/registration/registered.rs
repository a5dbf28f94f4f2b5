//! Synchronizes the kernel's servers with the registrations: new servers are started, and deregistered ones are drained and
//! stopped.

use super::{Registrar, RegistrationSettings};
use crate::features::server_set::ServerSet;
use mgp_discovery::{registration::Registration, registry::ServerSource};
use mgp_types::{
    context::Principal,
    discovery::{DeregisterServerParams, DeregisterServerResult, RegisterServerParams, RegisterServerResult},
    lifecycle::{ServerState, ShutdownReason},
    rpc::ErrorObject,
};
use std::sync::{Arc, Weak};
use tokio::sync::{Mutex, watch};

/// The registered servers: their registrar, and the set of servers that they belong to.
#[derive(Debug)]
pub(crate) struct RegisteredServers {
    /// The registrar, which adds and removes registrations.
    pub(crate) registrar: Registrar,
    settings: RegistrationSettings,
    pub(super) set: Arc<ServerSet>,
    /// Held while servers are added or removed, so that no registration becomes a server twice.
    pub(crate) turn: Mutex<()>,
}

/// Follows changes of the registrations by any process, and servers that are gone, until the kernel is gone.
pub(crate) async fn follow(
    registered: Weak<RegisteredServers>,
    mut changes: watch::Receiver<()>,
    mut vacancies: watch::Receiver<()>,
) {
    loop {
        let changed = tokio::select! {
            changed = changes.changed() => changed,
            vacant = vacancies.changed() => vacant,
        };
        match registered.upgrade() {
            Some(registered) if changed.is_ok() => registered.come_and_go(true).await,
            _ => return,
        }
    }
}

impl RegisteredServers {
    pub(crate) fn new(
        registrar: Registrar,
        settings: RegistrationSettings,
        set: Arc<ServerSet>,
    ) -> Arc<Self> {
        Arc::new(Self { registrar, settings, set, turn: Mutex::new(()) })
    }

    /// Starts newly registered servers, and removes those that are no longer registered. `late` is true if the kernel already runs,
    /// so that no host's list waits for the new servers.
    pub(crate) async fn come_and_go(&self, late: bool) {
        let _turn = self.turn.lock().await;
        let (wanted, servers) = (self.registrar.registrations().all(), &self.set.servers);
        for server in servers.registered_but_not_in(&wanted) {
            self.set.remove(&server, ShutdownReason::OperatorRequest);
        }
        for registration in wanted.iter().filter(|wanted| servers.serving(wanted).is_none()) {
            if self.registrar.is_configured(registration.id()) {
                tracing::warn!(
                    server = registration.id(),
                    "a registered server has the id of a server of the configuration, and is ignored"
                );
            } else if servers.lasting() >= self.registrar.limit() {
                tracing::warn!(
                    server = registration.id(),
                    limit = self.registrar.limit(),
                    "a registered server exceeds the maximum number of servers, and is ignored"
                );
            } else if !servers.has(registration.id())
                && let Err(reason) = self.comes(registration, late).await
            {
                tracing::error!(server = registration.id(), reason, "a registered server cannot be started");
            }
            // A server whose predecessor is still leaving is started when that is gone.
        }
    }

    async fn comes(&self, registration: &Arc<Registration>, late: bool) -> Result<(), String> {
        let set = &self.set;
        let mut spec = self.settings.spec(registration).map_err(|error| error.to_string())?;
        spec.kernel_files.clone_from(&set.kernel_files);
        let entry = spec.registered(ServerSource::Registration);
        set.servers.registry.add(entry).map_err(|error| error.to_string())?;
        // Its position among the names is that of its registration, regardless of the order of connections.
        if let Err(error) = set.tools.names.update_server(registration.id(), Vec::new()).await {
            tracing::warn!(server = registration.id(), %error, "its names get their place when it connects");
        }
        set.rights.access.set_registered_server(registration.id());
        let (server, commands) = set.supervision.server(spec);
        if late {
            server.succession.set_added_at_runtime();
        }
        set.supervision.recall(std::slice::from_ref(&server)).await;
        if !set.start(&server, commands, Some(registration.clone())) {
            return Err("the kernel stops".to_owned());
        }
        Ok(())
    }

    /// Registers a server, starts it, and waits a while for the start to succeed or fail.
    pub(crate) async fn register(
        &self,
        caller: &Principal,
        params: Result<RegisterServerParams, ErrorObject>,
    ) -> Result<RegisterServerResult, ErrorObject> {
        let registration = self.registrar.register(caller, params).await?;
        self.come_and_go(true).await;
        Ok(RegisterServerResult {
            status: self.first_state(registration.id()).await,
            id: registration.server.id,
            trust_level: Registration::TRUST,
            mgp: None,
        })
    }

    /// Removes a registered server, which then drains in the background.
    pub(crate) async fn deregister(
        &self,
        caller: &Principal,
        params: Result<DeregisterServerParams, ErrorObject>,
    ) -> Result<DeregisterServerResult, ErrorObject> {
        let (id, removed) = self.registrar.deregister(caller, params).await?;
        self.come_and_go(true).await;
        Ok(DeregisterServerResult { id, removed })
    }

    /// Returns the state of a new server after its first start, or after the time limit of hosts for a first start.
    async fn first_state(&self, id: &str) -> ServerState {
        let kept = self.registrar.registrations().find(id);
        // If there is none, its predecessor with the same id is still leaving.
        let Some(server) = kept.and_then(|kept| self.set.servers.serving(&kept)) else {
            return ServerState::Registered;
        };
        let _ = tokio::time::timeout(self.set.servers.first_start_limit, server.first_start()).await;
        server.status().state
    }
}
