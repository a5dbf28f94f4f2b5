//! The servers whose definitions could not be pinned, because the store of pins could not be written.

use mgp_security::definition::Occasion;
use parking_lot::Mutex;
use std::collections::HashMap;
use tokio::sync::Notify;

/// The servers whose definitions could not be pinned.
#[derive(Debug, Default)]
pub(in crate::kernel) struct UnpinnedServers {
    servers: Mutex<HashMap<String, Occasion>>,
    added: Notify,
}

impl UnpinnedServers {
    /// Notes that the definitions of a server could not be pinned on an occasion.
    pub(in crate::kernel) fn add(&self, server_id: &str, occasion: Occasion) {
        self.servers.lock().insert(server_id.to_owned(), occasion);
        self.added.notify_one();
    }

    /// Notes that the definitions of a server are pinned.
    pub(in crate::kernel) fn remove(&self, server_id: &str) {
        self.servers.lock().remove(server_id);
    }

    /// Returns the occasion for comparing the definitions of a server: a listing if that of a listing failed, so that its changes are recorded.
    pub(in crate::kernel) fn first_occasion(&self, server_id: &str, occasion: Occasion) -> Occasion {
        match self.servers.lock().get(server_id) {
            Some(Occasion::Listing) => Occasion::Listing,
            _ => occasion,
        }
    }

    /// Waits until there are such servers.
    pub(in crate::kernel) async fn added(&self) {
        self.added.notified().await;
    }

    pub(in crate::kernel) fn contains(&self, server_id: &str) -> bool {
        self.servers.lock().contains_key(server_id)
    }

    pub(in crate::kernel) fn count(&self) -> usize {
        self.servers.lock().len()
    }
}
