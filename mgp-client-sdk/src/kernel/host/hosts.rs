//! The hosts that are there.

use mgp_transport::seam::Peer;
use mgp_types::{
    mcp::ToolListChanged,
    rpc::{Empty, Notice},
};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};
use tokio::sync::Notify;

/// The hosts that have done their handshake. A clone is the same list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hosts(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    peers: Mutex<Vec<Peer>>,
    /// Rings when there is something to tell, and when the list is dropped.
    changed: Arc<Notify>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.changed.notify_one();
    }
}

/// How long one host may hold up the others when all are told something.
const TIME_LIMIT: Duration = Duration::from_secs(1);

impl Hosts {
    /// Adds a host that has just said `notifications/initialized`. Those that are gone are forgotten.
    pub(crate) fn add(&self, peer: Peer) {
        let mut peers = self.peers();
        peers.retain(|known| !known.is_closed());
        peers.push(peer);
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.peers().iter().filter(|peer| !peer.is_closed()).count()
    }

    /// Has every host told that the tools changed. Changes in quick succession are told once.
    pub(crate) fn tools_changed(&self) {
        self.0.changed.notify_one();
    }

    /// Tells the hosts, until the kernel is gone.
    pub(crate) fn start(&self) {
        tokio::spawn(tell(self.0.changed.clone(), Arc::downgrade(&self.0)));
    }

    fn peers(&self) -> MutexGuard<'_, Vec<Peer>> {
        self.0.peers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn tell(changed: Arc<Notify>, inner: Weak<Inner>) {
    loop {
        changed.notified().await;
        let Some(hosts) = inner.upgrade() else { return };
        let peers = hosts.peers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for peer in peers.iter().filter(|peer| !peer.is_closed()) {
            let nothing = Empty::default();
            let told = peer.notice::<ToolListChanged>(&nothing);
            if tokio::time::timeout(TIME_LIMIT, told).await.is_err() {
                tracing::debug!(
                    session = peer.session().id(),
                    method = ToolListChanged::METHOD,
                    "a host reads slowly"
                );
            }
        }
    }
}
