//! The servers as a set that changes while the kernel runs: for features that add and remove servers.

use crate::{
    catalog::tools::Tools,
    host::Hosts,
    rights::rights::Rights,
    upstream::{Command, KernelFiles, Server, Supervision, servers::Servers},
};
use mgp_discovery::registration::{Registration, Registrations};
use mgp_types::{
    context::{ActorType, Principal},
    lifecycle::ShutdownReason,
};
use std::{fmt, sync::Arc};
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
};

/// The servers, with the tables that name them. Servers are added and removed while the kernel runs.
pub(crate) struct ServerSet {
    pub(crate) servers: Arc<Servers>,
    pub(crate) tools: Arc<Tools>,
    pub(crate) rights: Arc<Rights>,
    pub(crate) hosts: Hosts,
    /// The registered servers. Others are those of the configuration, or belong to one session.
    pub(crate) registrations: Registrations,
    /// The kernel's own files, which confined servers may not use.
    pub(crate) kernel_files: KernelFiles,
    /// Makes servers, and starts them.
    pub(crate) supervision: Supervision,
    /// Called with each server that has ended, so that the state of features that belongs to it is dropped.
    pub(crate) ended: Box<dyn Fn(&Server) + Send + Sync>,
    /// Marked as changed when a server is gone, so that its id is free.
    pub(crate) vacancies: watch::Sender<()>,
}

impl ServerSet {
    /// Starts a server, after the others. Returns whether the kernel still accepts servers.
    pub(crate) fn start(
        &self,
        server: &Arc<Server>,
        commands: mpsc::Receiver<Command>,
        registration: Option<Arc<Registration>>,
    ) -> bool {
        self.supervision.add(server, registration, commands)
    }

    /// Drains a server, and removes it once it has ended. Returns at once.
    pub(crate) fn remove(self: &Arc<Self>, server: &Arc<Server>, reason: ShutdownReason) {
        server.commands.stop(reason, None);
        let wait = |supervisor: JoinHandle<()>| {
            let (set, server) = (Arc::downgrade(self), server.clone());
            tokio::spawn(async move {
                // A supervisor that panicked has dropped its connection and its process.
                let _ = supervisor.await;
                let Some(set) = set.upgrade() else { return };
                set.forget(&server).await;
                set.vacancies.send_replace(());
            })
        };
        self.servers.leave(server, wait);
    }

    /// Compares the definitions of all tools with the pins after a change of the pins. Those of a server that is leaving are not
    /// pinned again.
    pub(crate) async fn compare_definitions(&self) {
        let staying = self.servers.staying(&self.registrations.all());
        self.tools.compare_again(&staying, &self.servers.registry).await;
    }

    /// Compares the definitions that could not be pinned again.
    pub(crate) async fn compare_unpinned(&self) {
        let mut staying = self.servers.staying(&self.registrations.all());
        staying.retain(|server| self.tools.unpinned.contains(server.id()));
        self.tools.compare_again(&staying, &self.servers.registry).await;
    }

    /// Removes the pins of a server that is no longer registered, because the next server with its id is a different one. This is done
    /// after its end, because it still answers calls until then.
    async fn forget_definitions(&self, id: &str) {
        if self.registrations.find(id).is_some() {
            return;
        }
        self.supervision.listings.forget(id).await;
        let kernel = Principal::new("kernel", ActorType::Kernel, true);
        if let Err(error) = self.rights.definitions.forget(id, None, &kernel).await {
            tracing::error!(server = id, error = error.message, "the definitions of its tools stay pinned");
        }
    }

    /// Removes a server that has ended from all tables, and notifies the hosts.
    async fn forget(&self, server: &Arc<Server>) {
        let is_configured = self.servers.is_configured(server);
        server.stop_announcing();
        (self.ended)(server);
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

    /// Notifies hosts that the server's resources and prompts may have changed, if it has any.
    pub(crate) fn offers_changed(&self, server: &Server) {
        self.supervision.offers_changed(server);
    }
}

impl fmt::Debug for ServerSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerSet").field("servers", &self.servers).finish_non_exhaustive()
    }
}
