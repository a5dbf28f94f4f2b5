//! The clients that can be told something.

use mgp_transport::seam::Peer;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The clients that are connected. A clone is the same list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Audience(Arc<Mutex<Vec<Peer>>>);

impl Audience {
    /// Adds a client. Those that are gone are forgotten, so that there are never more than are connected.
    pub(crate) fn join(&self, peer: &Peer) {
        let mut peers = self.lock();
        peers.retain(|other| !other.is_closed() && other.session().id() != peer.session().id());
        peers.push(peer.unbound());
    }

    /// Those that are connected.
    pub(crate) fn connected(&self) -> Vec<Peer> {
        self.lock().iter().filter(|peer| !peer.is_closed()).cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Peer>> {
        // Every critical section only moves whole values, so a panic elsewhere leaves them whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
