//! Synchronizes the kernel's servers with the registrations: new servers are started, and deregistered ones are drained and
//! stopped.

use crate::kernel::{
    boot::core::Core,
    upstream::{Server, supervise},
};
use mgp_discovery::{registration::Registration, registry::ServerSource};
use mgp_types::{
    context::{ActorType, Principal},
    lifecycle::ShutdownReason,
};
use std::sync::{Arc, Weak};
use tokio::{sync::watch, task::JoinHandle};

/// Follows changes of the registrations by any process, until the kernel is gone.
pub(in crate::kernel) async fn follow(core: Weak<Core>, mut changes: watch::Receiver<()>) {
    while changes.changed().await.is_ok() {
        let Some(core) = core.upgrade() else { return };
        core.come_and_go(true).await;
    }
}

impl Core {
    /// Starts newly registered servers, and removes those that are no longer registered. `late` is true if the kernel already runs,
    /// so that no host's list waits for the new servers.
    pub(in crate::kernel) async fn come_and_go(self: &Arc<Self>, late: bool) {
        let _turn = self.registered.turn.lock().await;
        let wanted = self.registered.registrar.registrations().all();
        for server in self.servers.registered_but_not_in(&wanted) {
            self.leaves(&server, ShutdownReason::OperatorRequest);
        }
        for registration in wanted.iter().filter(|wanted| self.servers.serving(wanted).is_none()) {
            if self.registered.registrar.is_configured(registration.id()) {
                tracing::warn!(
                    server = registration.id(),
                    "a registered server has the id of a server of the configuration, and is ignored"
                );
            } else if self.servers.lasting() >= self.registered.registrar.limit() {
                tracing::warn!(
                    server = registration.id(),
                    limit = self.registered.registrar.limit(),
                    "a registered server exceeds the maximum number of servers, and is ignored"
                );
            } else if !self.servers.has(registration.id())
                && let Err(reason) = self.comes(registration, late).await
            {
                tracing::error!(server = registration.id(), reason, "a registered server cannot be started");
            }
            // A server whose predecessor is still leaving is started when that is gone.
        }
    }

    async fn comes(self: &Arc<Self>, registration: &Arc<Registration>, late: bool) -> Result<(), String> {
        let spec = self.registered.spec(registration).map_err(|error| error.to_string())?;
        let entry = spec.registered(ServerSource::Registration);
        self.servers.registry.add(entry).map_err(|error| error.to_string())?;
        // Its position among the names is that of its registration, regardless of the order of connections.
        if let Err(error) = self.tools.names.update_server(registration.id(), Vec::new()).await {
            tracing::warn!(server = registration.id(), %error, "its names get their place when it connects");
        }
        self.rights.access.set_registered_server(registration.id());
        let calls = self.registered.calls.clone();
        let start_wait = self.servers.first_start_limit;
        let (server, commands) =
            Server::new(spec, start_wait, calls, self.rights.clone(), self.tasks.clone());
        if late {
            server.comes_late();
        }
        self.recall(std::slice::from_ref(&server)).await;
        let supervisor = || tokio::spawn(supervise(self.clone(), server.clone(), commands));
        if !self.servers.add(server.clone(), Some(registration.clone()), supervisor) {
            return Err("the kernel stops".to_owned());
        }
        Ok(())
    }

    /// Drains a server, and removes it once it has ended. Returns at once.
    pub(in crate::kernel) fn leaves(self: &Arc<Self>, server: &Arc<Server>, reason: ShutdownReason) {
        server.stop(reason, None);
        let wait = |supervisor: JoinHandle<()>| {
            let (core, server) = (Arc::downgrade(self), server.clone());
            tokio::spawn(async move {
                // A supervisor that panicked has dropped its connection and its process.
                let _ = supervisor.await;
                let Some(core) = core.upgrade() else { return };
                core.forget(&server).await;
                // In a separate task, because the kernel waits for this one when it stops.
                tokio::spawn(async move { core.come_and_go(true).await });
            })
        };
        self.servers.leave(server, wait);
    }

    /// Compares the definitions of all tools with the pins after a change of the pins. Those of a server that is leaving are not
    /// pinned again.
    pub(in crate::kernel) async fn compare_definitions(&self) {
        let staying = self.servers.staying(&self.registered.registrar.registrations().all());
        self.tools.compare_again(&staying, &self.servers.registry).await;
    }

    /// Compares the definitions that could not be pinned again.
    pub(in crate::kernel) async fn compare_unpinned(&self) {
        let mut staying = self.servers.staying(&self.registered.registrar.registrations().all());
        staying.retain(|server| self.tools.unpinned.contains(server.id()));
        self.tools.compare_again(&staying, &self.servers.registry).await;
    }

    /// Removes the pins of a server that is no longer registered, because the next server with its id is a different one. This is done
    /// after its end, because it still answers calls until then.
    async fn forget_definitions(&self, id: &str) {
        if self.registered.registrar.registrations().find(id).is_some() {
            return;
        }
        self.listings.forget(id).await;
        let kernel = Principal::new("kernel", ActorType::Kernel, true);
        if let Err(error) = self.rights.definitions.forget(id, None, &kernel).await {
            tracing::error!(server = id, error = error.message, "the definitions of its tools stay pinned");
        }
    }

    /// Removes a server that has ended from all tables, and notifies the hosts.
    async fn forget(&self, server: &Arc<Server>) {
        let is_configured = self.servers.is_configured(server);
        server.announces_nothing();
        self.session_states.forget_server(server.generation());
        {
            let _order = self.tools.rebuilding.lock().await;
            if let Err(error) = self.tools.names.remove_server(server.id()).await {
                tracing::error!(server = server.id(), %error, "its tools could not be taken out of the index");
            }
            let table = self.tools.load().without(self.tools.names.view(), server);
            self.tools.table.store(Arc::new(table));
            self.rights.access.remove_server(server.id());
            if let Err(error) = self.servers.registry.remove(server.id()) {
                tracing::error!(server = server.id(), %error, "a server is missing from the registry");
            }
            self.servers.remove(server);
            self.tools.unpinned.remove(server.id());
            if server.spec.session.is_some() {
                self.rights.definitions.remove_server(server.id());
            }
            // A later server with this id is a different one.
            self.rights.stopped.set(server.id(), false);
        }
        // The pins of a configured server are kept, in case it is configured again.
        if !is_configured {
            self.forget_definitions(server.id()).await;
        }
        // The tools of a session's server were hidden from all other sessions.
        if server.spec.session.is_none() {
            self.tools.shown_changed(&self.hosts);
        }
        self.offers_changed(server);
    }
}
