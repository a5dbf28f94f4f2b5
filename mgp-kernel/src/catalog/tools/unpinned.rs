//! The servers whose definitions could not be pinned, because the store of pins could not be written.

use mgp_security::definition::Occasion;
use std::collections::HashMap;
use tokio::sync::watch;

/// The servers whose definitions could not be pinned, each with the occasion of the attempt.
#[derive(Debug, Default)]
pub(crate) struct UnpinnedServers(watch::Sender<HashMap<String, Occasion>>);

impl UnpinnedServers {
    /// Notes that the definitions of a server could not be pinned on an occasion.
    pub(crate) fn add(&self, server_id: &str, occasion: Occasion) {
        self.0.send_if_modified(|servers| servers.insert(server_id.to_owned(), occasion).is_none());
    }

    /// Notes that the definitions of a server are pinned, or that the server is gone.
    pub(crate) fn remove(&self, server_id: &str) {
        self.0.send_if_modified(|servers| servers.remove(server_id).is_some());
    }

    /// Returns `Listing` if the definitions of an earlier listing could not be pinned, so that their changes are recorded; otherwise the
    /// occasion itself.
    pub(crate) fn first_occasion(&self, server_id: &str, occasion: Occasion) -> Occasion {
        match self.0.borrow().get(server_id) {
            Some(Occasion::Listing) => Occasion::Listing,
            _ => occasion,
        }
    }

    pub(crate) fn contains(&self, server_id: &str) -> bool {
        self.0.borrow().contains_key(server_id)
    }

    /// Returns a receiver that changes when servers are added or removed, and ends with the kernel.
    pub(crate) fn watch(&self) -> watch::Receiver<HashMap<String, Occasion>> {
        self.0.subscribe()
    }
}
