//! The handle on registered servers: in memory what the store holds, kept in step with it.

use super::{Added, Registration, RegistrationStore, StoreError};
use arc_swap::ArcSwap;
use std::{
    fmt,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::{Mutex, watch};

/// How often the store is asked whether somebody else has changed it.
const POLL: Duration = Duration::from_millis(100);

/// The servers that are registered. Answers from memory; a clone is the same list.
#[derive(Debug, Clone)]
pub struct Registrations(Arc<Shared>);

struct Shared {
    rows: ArcSwap<Vec<Arc<Registration>>>,
    store: Arc<dyn RegistrationStore>,
    /// Says that the rows in memory are other ones.
    changed: watch::Sender<()>,
    /// Held while the rows are read and put in place, so that an older reading never replaces a newer one.
    reloading: Mutex<()>,
    /// Whether the rows could not be read after a change of our own: the store's version does not tell of those.
    stale: AtomicBool,
}

impl Registrations {
    /// Reads the servers, and follows the store until the last clone is dropped.
    ///
    /// # Errors
    /// [`StoreError`] where they cannot be read.
    pub async fn open(store: Arc<dyn RegistrationStore>) -> Result<Self, StoreError> {
        let (rows, changed) = (ArcSwap::default(), watch::Sender::new(()));
        let (reloading, stale) = (Mutex::new(()), AtomicBool::new(false));
        let shared = Arc::new(Shared { rows, store, changed, reloading, stale });
        let version = shared.store.version().await?;
        shared.reload().await?;
        tokio::spawn(follow(Arc::downgrade(&shared), version));
        Ok(Self(shared))
    }

    /// Every registered server at this moment, oldest first.
    #[must_use]
    pub fn all(&self) -> Arc<Vec<Arc<Registration>>> {
        self.0.rows.load_full()
    }

    /// One of them.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Arc<Registration>> {
        self.0.rows.load().iter().find(|row| row.id() == id).cloned()
    }

    /// Keeps a server, unless its id is taken or there are `limit`. It is among [`all`](Self::all) when this returns; where the store
    /// can be written and not be read, soon after it can be read again.
    ///
    /// # Errors
    /// [`StoreError`] where it cannot be kept.
    pub async fn add(&self, registration: Registration, limit: usize) -> Result<Added, StoreError> {
        let added = self.0.store.add(registration, limit).await?;
        self.0.follow_own_change().await;
        Ok(added)
    }

    /// Removes a server where it is still the one that was found. Returns whether it was.
    ///
    /// # Errors
    /// [`StoreError`] where it cannot be removed.
    pub async fn remove(&self, found: &Registration) -> Result<bool, StoreError> {
        let removed = self.0.store.remove(found).await?;
        self.0.follow_own_change().await;
        Ok(removed.is_some())
    }

    /// Removes what is stored under an id and is not among [`all`](Self::all) because it cannot be used. Returns whether there was
    /// such a one.
    ///
    /// # Errors
    /// [`StoreError`] where it cannot be removed.
    pub async fn remove_unusable(&self, id: &str) -> Result<bool, StoreError> {
        self.0.store.remove_unusable(id).await
    }

    /// Tells each time the servers are other ones, whoever changed them, another process included.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }
}

impl Shared {
    /// Reads what was just changed. It is changed whether it can be read or not, so a failure is no answer to whoever changed it.
    async fn follow_own_change(&self) {
        if let Err(error) = self.reload().await {
            self.stale.store(true, Ordering::Relaxed);
            tracing::warn!(%error, "failed to read the registered servers after a change; it is tried again");
        }
    }

    async fn reload(&self) -> Result<(), StoreError> {
        let _order = self.reloading.lock().await;
        let before = self.rows.load_full();
        // One that did not change keeps its place in memory, so that who holds it can tell.
        let keep = |row: Registration| {
            let known = before.iter().find(|known| ***known == row).cloned();
            known.unwrap_or_else(|| Arc::new(row))
        };
        let rows: Vec<_> = self.store.load().await?.into_iter().map(keep).collect();
        let same =
            rows.len() == before.len() && rows.iter().zip(before.iter()).all(|(a, b)| Arc::ptr_eq(a, b));
        if !same {
            self.rows.store(Arc::new(rows));
            self.changed.send_replace(());
        }
        Ok(())
    }
}

/// Reads the store again whenever it has changed, until the last handle is dropped.
async fn follow(shared: Weak<Shared>, mut seen: i64) {
    let mut ticks = tokio::time::interval(POLL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Some(shared) = shared.upgrade() else { return };
        let looked = async {
            let version = shared.store.version().await?;
            if version != seen || shared.stale.load(Ordering::Relaxed) {
                // First this: a change that fails to be read meanwhile is read at the next tick.
                shared.stale.store(false, Ordering::Relaxed);
                shared.reload().await.inspect_err(|_| shared.stale.store(true, Ordering::Relaxed))?;
                // Only now: a reading that failed is tried again.
                seen = version;
            }
            Ok::<_, StoreError>(())
        };
        if let Err(error) = looked.await {
            // The list stays as it is; the next tick tries again.
            tracing::warn!(%error, "failed to follow the registered servers");
        }
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registrations").field("rows", &self.rows.load().len()).finish_non_exhaustive()
    }
}
