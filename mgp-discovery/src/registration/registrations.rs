//! The handle to registered servers: a copy of the store in memory, kept up to date.

use super::{AddOutcome, Registration, RegistrationStore, RequestOutcome, RequestedServer, StoreError};
use arc_swap::ArcSwap;
use mgp_store::follow::{SnapshotOwner, follow};
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::{Mutex, watch};

/// The registered servers, served from memory. Clones share the list.
#[derive(Debug, Clone)]
pub struct Registrations(Arc<Inner>);

struct Inner {
    rows: ArcSwap<Vec<Arc<Registration>>>,
    store: Arc<dyn RegistrationStore>,
    /// Notifies when the rows in memory change.
    changed: watch::Sender<()>,
    /// Held while the rows are read and replaced, so that an older reading never replaces a newer one.
    reloading: Mutex<()>,
    /// True if the rows could not be read at the last attempt.
    stale: AtomicBool,
}

impl Registrations {
    /// Reads the servers, and follows the store until the last clone is dropped.
    ///
    /// # Errors
    /// [`StoreError`] if the servers cannot be read.
    pub async fn open(store: Arc<dyn RegistrationStore>) -> Result<Self, StoreError> {
        let (rows, changed) = (ArcSwap::default(), watch::Sender::new(()));
        let (reloading, stale) = (Mutex::new(()), AtomicBool::new(false));
        let shared = Arc::new(Inner { rows, store, changed, reloading, stale });
        shared.reload().await?;
        tokio::spawn(follow(Arc::downgrade(&shared)));
        Ok(Self(shared))
    }

    /// Returns every registered server at this moment, oldest first.
    #[must_use]
    pub fn all(&self) -> Arc<Vec<Arc<Registration>>> {
        self.0.rows.load_full()
    }

    /// Returns the registered server with an id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Arc<Registration>> {
        self.0.rows.load().iter().find(|row| row.id() == id).cloned()
    }

    /// Stores a server, unless its id is taken or there are `limit` servers already. The server is among [`all`](Self::all) when this
    /// function returns; if the store can be written but not read, it appears soon after the store is readable again.
    ///
    /// # Errors
    /// [`StoreError`] if the server cannot be stored.
    pub async fn add(&self, registration: Registration, limit: usize) -> Result<AddOutcome, StoreError> {
        let added = self.0.store.add(registration, limit).await?;
        self.0.follow_own_change().await;
        Ok(added)
    }

    /// Removes a server if it is still the one that was found. Returns whether it was removed.
    ///
    /// # Errors
    /// [`StoreError`] if the server cannot be removed.
    pub async fn remove(&self, found: &Registration) -> Result<bool, StoreError> {
        let removed = self.0.store.remove(found).await?;
        self.0.follow_own_change().await;
        Ok(removed.is_some())
    }

    /// Removes the server that is stored under an id but is missing from [`all`](Self::all), because it cannot be used. Returns whether it
    /// existed.
    ///
    /// # Errors
    /// [`StoreError`] if the server cannot be removed.
    pub async fn remove_unusable(&self, id: &str) -> Result<bool, StoreError> {
        self.0.store.remove_unusable(id).await
    }

    /// Returns the requests for servers that are open or were denied, oldest first.
    ///
    /// # Errors
    /// [`StoreError`] if the requests cannot be read.
    pub async fn requests(&self) -> Result<Vec<RequestedServer>, StoreError> {
        self.0.store.requests().await
    }

    /// Keeps a request for a server until an operator decides on it, for at most a day. A repeated request keeps its answer.
    ///
    /// # Errors
    /// [`StoreError`] if the request cannot be stored.
    pub async fn request(&self, registration: Registration) -> Result<RequestOutcome, StoreError> {
        self.0.store.request(registration).await
    }

    /// Denies a request, until it is [removed](Self::remove_request). Returns whether a request with this id was waiting.
    ///
    /// # Errors
    /// [`StoreError`] if the answer cannot be stored.
    pub async fn deny_request(&self, request_id: &str, by: &str) -> Result<bool, StoreError> {
        self.0.store.deny_request(request_id, by).await
    }

    /// Removes and returns the request with this id, if it exists and was not denied. Of several callers, only one gets it.
    ///
    /// # Errors
    /// [`StoreError`] if the request cannot be removed.
    pub async fn take_request(&self, request_id: &str) -> Result<Option<RequestedServer>, StoreError> {
        self.0.store.take_request(request_id).await
    }

    /// Removes and returns the request or denial with this id, if it exists.
    ///
    /// # Errors
    /// [`StoreError`] if the request cannot be removed.
    pub async fn remove_request(&self, request_id: &str) -> Result<Option<RequestedServer>, StoreError> {
        self.0.store.remove_request(request_id).await
    }

    /// Returns a receiver that is notified each time the servers change, including changes by other processes.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }
}

impl Inner {
    /// Reads the servers after a change by this process. The change is made whether or not it can be read, so a failure is only logged.
    async fn follow_own_change(&self) {
        if let Err(error) = self.reload().await {
            tracing::warn!(%error, "failed to read the registered servers after a change; it is tried again");
        }
    }
}

impl SnapshotOwner for Inner {
    async fn version(&self) -> Result<i64, StoreError> {
        self.store.version().await
    }

    fn is_stale(&self) -> bool {
        self.stale.load(Ordering::Relaxed)
    }

    async fn reload(&self) -> Result<(), StoreError> {
        let _order = self.reloading.lock().await;
        // Until the servers are read: a failed read is retried, even if the store's version stays the same.
        self.stale.store(true, Ordering::Relaxed);
        let before = self.rows.load_full();
        // An unchanged row keeps its allocation, so that its holders can detect that it is unchanged.
        let keep = |row: Registration| {
            let known = before.iter().find(|known| ***known == row).cloned();
            known.unwrap_or_else(|| Arc::new(row))
        };
        let rows: Vec<_> = self.store.load().await?.into_iter().map(keep).collect();
        self.stale.store(false, Ordering::Relaxed);
        let same =
            rows.len() == before.len() && rows.iter().zip(before.iter()).all(|(a, b)| Arc::ptr_eq(a, b));
        if !same {
            self.rows.store(Arc::new(rows));
            self.changed.send_replace(());
        }
        Ok(())
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registrations").field("rows", &self.rows.load().len()).finish_non_exhaustive()
    }
}
