//! The parts that the servers of one kernel and their supervisors share.

use super::{
    Server, ServerSpec, commands::Command, listings::Listings, observer::ServerObserver, server::SharedParts,
    servers::Servers, supervisor::supervise,
};
use crate::ground::changes::Change;
use mgp_discovery::registration::Registration;
use std::{fmt, sync::Arc};
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

    /// Adds a server after the others, and starts its supervisor. Returns whether the kernel still accepts servers.
    pub(crate) fn add(
        &self,
        server: &Arc<Server>,
        registration: Option<Arc<Registration>>,
        commands: mpsc::Receiver<Command>,
    ) -> bool {
        let supervisor = || tokio::spawn(supervise(self.clone(), server.clone(), commands));
        self.servers.add(server.clone(), registration, supervisor)
    }

    /// Notifies hosts that the server's resources and prompts may have changed, if it has any.
    pub(crate) fn offers_changed(&self, server: &Server) {
        if !server.offers.is_empty() {
            self.observer.offers_changed(Change::Resources);
            self.observer.offers_changed(Change::Prompts);
        }
    }
}

impl fmt::Debug for Supervision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supervision").field("servers", &self.servers).finish_non_exhaustive()
    }
}
