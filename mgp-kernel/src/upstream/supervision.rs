//! The parts that the servers of one kernel and their supervisors share.

use super::{
    Server, ServerSpec, commands::Command, ending::disconnected, kept::recall, listings::Listings,
    observer::ServerObserver, server::SharedParts, servers::Servers,
};
use crate::ground::changes::Change;
use mgp_lifecycle::state::{Outlook, may_follow};
use mgp_types::{audit::AuditResult, lifecycle::ServerState};
use std::{fmt, sync::Arc, time::Duration};
use tokio::sync::mpsc;

/// The parts that the servers of one kernel and their supervisors share. Clones share them, too.
#[derive(Clone)]
pub(crate) struct Supervision {
    pub(crate) servers: Arc<Servers>,
    pub(crate) listings: Listings,
    pub(crate) observer: Arc<dyn ServerObserver>,
    pub(crate) shared: SharedParts,
}

impl Supervision {
    /// Creates a server, with the receiver of its commands.
    pub(crate) fn server(&self, spec: ServerSpec) -> (Arc<Server>, mpsc::Receiver<Command>) {
        Server::new(spec, self.servers.first_start_limit, &self.shared)
    }

    /// Notifies hosts that the server's resources and prompts may have changed, if it has any.
    pub(crate) fn offers_changed(&self, server: &Server) {
        if !server.offers.is_empty() {
            self.observer.offers_changed(Change::Resources);
            self.observer.offers_changed(Change::Prompts);
        }
    }

    /// Hides the tools of a server that the operator stopped.
    pub(super) fn stopped(&self, server: &Server) {
        self.observer.set_stopped(server, true);
        // Its resources and prompts ended with its connection.
        self.offers_changed(server);
    }

    /// Sets the state of an ended server that is restarted at once.
    pub(super) fn restarting(&self, server: &Server) {
        if may_follow(server.status().state, ServerState::Restarting) {
            self.servers.move_to(server, ServerState::Restarting, "restarted by the operator");
        }
    }

    /// Records that a server has used up its restarts.
    pub(super) async fn gave_up(&self, server: &Server, restarts: u32, window: Duration) {
        if server.status().state != ServerState::Error {
            // A server that ended without an error is disconnected, and would be restarted.
            let restarting = ServerState::Restarting;
            self.servers.move_with(server, restarting, "would be started again", Outlook::Final);
            self.servers.move_with(server, ServerState::Error, "used its restarts up", Outlook::Final);
        }
        server.path.gate.machine().set_outlook(Outlook::Final);
        let event = disconnected(server, AuditResult::Failure, "restart_limit_exceeded")
            .detail("restart_limit_exceeded", &true)
            .detail("restarts", &restarts)
            .detail("window_secs", &window.as_secs());
        server.rights.trail.store(event.finish()).await;
    }

    /// Loads the kept listings of servers, to be used until they list their tools again. Lazy servers with one stay asleep; those without one are
    /// started once.
    pub(crate) async fn recall(&self, servers: &[Arc<Server>]) {
        if self.listings.store.is_none() && !servers.iter().any(|server| server.spec.lazy) {
            return;
        }
        let kept = self.listings.load().await;
        let is_recalled =
            |server: &Arc<Server>| kept.get(server.id()).is_some_and(|kept| recall(server, kept));
        let (known, new): (Vec<_>, Vec<_>) = servers.iter().cloned().partition(is_recalled);
        for server in new.iter().filter(|server| server.spec.lazy) {
            if self.listings.asleep {
                self.servers.put_to_sleep(server);
            } else {
                server.connection.set_lists_only();
            }
        }
        if known.is_empty() {
            return;
        }
        self.observer.tools_recalled(&known).await;
        for server in &known {
            if server.spec.lazy {
                self.servers.put_to_sleep(server);
            } else {
                server.path.gate.machine().note("is about to be started", Outlook::FirstStart);
            }
        }
        self.servers.warn_of_resource_overlaps();
    }
}

impl fmt::Debug for Supervision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supervision").field("servers", &self.servers).finish_non_exhaustive()
    }
}

/// The prospect of a server that ended permanently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prospect {
    /// The operator may start the server again.
    Rest,
    /// The server is removed, or the kernel stops.
    Leave,
}
