//! The resources of a server that hosts watch.

use mgp_types::{error::ErrorCode, rpc::ErrorObject};
use parking_lot::Mutex;
use std::{collections::BTreeMap, sync::Arc};
use tokio::sync::Notify;

/// The maximum number of watched resources of one server, over all hosts.
pub(crate) const MOST_WATCHED: usize = 4096;

/// The resources that hosts watch, with the number of hosts for each.
#[derive(Debug, Default)]
pub(crate) struct WatchedResources {
    uris: Mutex<BTreeMap<String, usize>>,
    /// Notified when a resource is added or removed, and by [`ring`](Self::ring).
    pub(super) changed: Notify,
}

impl WatchedResources {
    /// Adds a host for a resource, and returns whether there was room.
    pub(crate) fn add(&self, uri: &str) -> bool {
        let mut uris = self.uris.lock();
        if uris.len() >= MOST_WATCHED && !uris.contains_key(uri) {
            return false;
        }
        let hosts = uris.entry(uri.to_owned()).or_default();
        *hosts += 1;
        if *hosts == 1 {
            self.changed.notify_one();
        }
        true
    }

    /// Removes a host for a resource.
    pub(crate) fn remove(&self, uri: &str) {
        let mut uris = self.uris.lock();
        let Some(hosts) = uris.get_mut(uri) else { return };
        *hosts -= 1;
        if *hosts == 0 {
            uris.remove(uri);
            self.changed.notify_one();
        }
    }

    /// Signals that the hosts' subscriptions to other notifications have changed.
    pub(crate) fn ring(&self) {
        self.changed.notify_one();
    }

    /// Returns whether no host watches a resource.
    pub(super) fn is_empty(&self) -> bool {
        self.uris.lock().is_empty()
    }

    /// Waits until a host watches a resource.
    pub(super) async fn any(&self) {
        while self.is_empty() {
            self.changed.notified().await;
        }
    }

    /// Returns whether a host watches a resource.
    pub(super) fn has(&self, uri: &str) -> bool {
        self.uris.lock().contains_key(uri)
    }

    pub(super) fn all(&self) -> Vec<String> {
        self.uris.lock().keys().cloned().collect()
    }
}

/// Resources of a server that a host watches, until this value is dropped.
#[derive(Debug)]
pub(crate) struct WatchGuard {
    /// The watched resources of the server, and of its successor.
    watched: Arc<WatchedResources>,
    uris: Vec<String>,
}

impl WatchGuard {
    /// Adds the resources.
    ///
    /// # Errors
    /// 3001 if too many resources of the server are watched.
    pub(crate) fn new(watched: Arc<WatchedResources>, uris: Vec<String>) -> Result<Self, ErrorObject> {
        let mut watching = Self { watched, uris: Vec::new() };
        for uri in uris {
            if !watching.watched.add(&uri) {
                let problem = "too many resources are watched";
                return Err(ErrorCode::ResourceExhausted.error(problem));
            }
            watching.uris.push(uri);
        }
        Ok(watching)
    }
}

impl Drop for WatchGuard {
    fn drop(&mut self) {
        for uri in &self.uris {
            self.watched.remove(uri);
        }
    }
}
