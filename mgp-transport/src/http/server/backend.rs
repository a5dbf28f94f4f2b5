//! The service behind a server, which handles the messages of every session.

use super::auth::Authority;
use crate::seam::{BoxPeerService, ReplicaName, Session};
use mgp_types::context::Principal;
use std::sync::Arc;

/// A function that creates the service of a session, and the service of its lane.
pub(super) type MakeService = dyn Fn(&Session) -> (BoxPeerService, Option<BoxPeerService>) + Send + Sync;

/// The service behind a server. Each session, and each request without one, gets its own.
pub(super) struct Backend {
    make_service: Box<MakeService>,
    authority: Arc<Authority>,
    /// The name of this replica, if the server has replicas.
    replica: Option<ReplicaName>,
}

impl Backend {
    pub(super) fn new(
        make_service: Box<MakeService>,
        authority: Arc<Authority>,
        replica: Option<ReplicaName>,
    ) -> Self {
        Self { make_service, authority, replica }
    }

    /// Returns the authority on the callers.
    pub(super) fn authority(&self) -> &Authority {
        &self.authority
    }

    /// Begins a session of a principal. Returns the session, its service, and the service of its lane.
    pub(super) fn begin(
        &self,
        id: &str,
        principal: &Principal,
    ) -> (Session, BoxPeerService, Option<BoxPeerService>) {
        let session = Session::new(id);
        self.authority.introduce(&session, principal);
        if let Some(replica) = &self.replica {
            session.set(replica.clone());
        }
        let (service, lane) = (self.make_service)(&session);
        (session, service, lane)
    }
}
