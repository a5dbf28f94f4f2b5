//! The keys in force.

use super::{KeyHash, KeyStore, StoredKey};
use crate::access::AccessControl;
use arc_swap::ArcSwap;
use jiff::Timestamp;
use mgp_store::{
    StoreError,
    follow::{SnapshotOwner, follow},
};
use mgp_transport::seam::{Authentication, KeyRing};
use mgp_types::lifecycle::OperatorRole;
use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
};
use tokio::sync::Mutex;

/// The interval in which the use of a key is written at most once, in seconds.
pub const USE_INTERVAL: i64 = 60;

/// The keys in force. Clones share the keys.
#[derive(Debug, Clone)]
pub struct Keys(Arc<KeysState>);

struct KeysState {
    snapshot: ArcSwap<HashMap<KeyHash, KnownKey>>,
    store: Arc<dyn KeyStore>,
    /// The rules for the owners of keys.
    access: AccessControl,
    /// The clock by which keys expire.
    clock: fn() -> Timestamp,
    /// True once there was a key. From then on, callers need one, even after the last is revoked.
    had_some: AtomicBool,
    /// Held while the keys are read and put in place, so that an older version never replaces a newer one.
    reloading: Mutex<()>,
}

struct KnownKey {
    key: StoredKey,
    rights: Authentication,
    /// The second since 1970 at which the last use was written.
    used: AtomicI64,
}

impl fmt::Debug for KeysState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("store", &self.store).finish_non_exhaustive()
    }
}

impl SnapshotOwner for KeysState {
    async fn version(&self) -> Result<i64, StoreError> {
        self.store.version().await
    }

    async fn reload(&self) -> Result<(), StoreError> {
        let _order = self.reloading.lock().await;
        let known = |key: StoredKey| {
            let used = AtomicI64::new(key.last_used.map_or(i64::MIN, Timestamp::as_second));
            (key.hash, KnownKey { rights: key.rights(), key, used })
        };
        let before = self.store.names().await?;
        let keys: HashMap<_, _> = self.store.load().await?.into_iter().map(known).collect();
        let is_of_console = |known: &KnownKey| known.key.console.is_some();
        // A key that was added or revoked meanwhile is not unreadable.
        let after = self.store.names().await?;
        let is_unreadable = |name: &&String| !keys.values().any(|known| known.key.name == **name);
        let has_unreadable = before.intersection(&after).any(|name| is_unreadable(&name));
        // An unreadable key admits nobody, but still means that callers need a key.
        let has_some = has_unreadable || keys.values().any(|known| !is_of_console(known));
        self.had_some.fetch_or(has_some, Ordering::AcqRel);
        // Before a key is accepted, so that default policies apply to its agent from the first call on.
        let calling = keys.values().filter(|known| !is_of_console(known));
        let agents: BTreeSet<_> = calling.map(|known| &*known.key.agent).collect();
        agents.into_iter().for_each(|agent| self.access.add_agent(agent));
        self.snapshot.store(Arc::new(keys));
        Ok(())
    }
}

impl Keys {
    /// Reads the keys, adds their agents to `access`, and follows the store until the last clone is dropped.
    ///
    /// # Errors
    /// [`StoreError`] if the keys cannot be read.
    pub async fn open(store: Arc<dyn KeyStore>, access: AccessControl) -> Result<Self, StoreError> {
        Self::by_clock(store, access, Timestamp::now).await
    }

    pub(super) async fn by_clock(
        store: Arc<dyn KeyStore>,
        access: AccessControl,
        clock: fn() -> Timestamp,
    ) -> Result<Self, StoreError> {
        let state = KeysState {
            snapshot: ArcSwap::default(),
            store,
            access,
            clock,
            had_some: AtomicBool::new(false),
            reloading: Mutex::new(()),
        };
        let state = Arc::new(state);
        state.reload().await?;
        tokio::spawn(follow(Arc::downgrade(&state)));
        Ok(Self(state))
    }
}

impl Keys {
    /// Returns the name of a key that opens the console, and the role of its owner there; `None` if the key does not open it, or not any more.
    #[must_use]
    pub fn operator(&self, hash: &KeyHash) -> Option<(String, OperatorRole)> {
        let keys = self.0.snapshot.load();
        let key = &keys.get(hash).filter(|known| known.key.holds_at((self.0.clock)()))?.key;
        key.console_role().map(|role| (key.name.clone(), role))
    }
}

impl KeyRing for Keys {
    fn owner(&self, hash: &KeyHash) -> Option<Authentication> {
        let keys = self.0.snapshot.load();
        let calls = |known: &&KnownKey| known.key.console.is_none() && known.key.holds_at((self.0.clock)());
        let known = keys.get(hash).filter(calls)?;
        Some(known.rights.clone())
    }

    /// Writes the use to the store, at most once in an interval.
    fn note_use(&self, hash: &KeyHash) {
        let keys = self.0.snapshot.load();
        let Some(known) = keys.get(hash) else { return };
        let now = (self.0.clock)();
        let (last, second) = (known.used.load(Ordering::Acquire), now.as_second());
        let is_due = second.saturating_sub(last) >= USE_INTERVAL;
        let is_first =
            || known.used.compare_exchange(last, second, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if !is_due || !is_first() {
            return;
        }
        let (store, hash, name) = (self.0.store.clone(), *hash, known.key.name.clone());
        tokio::spawn(async move {
            if let Err(error) = store.used(hash, now).await {
                tracing::warn!(%error, name, "the use of an API key could not be noted");
            }
        });
    }

    fn is_empty(&self) -> bool {
        !self.0.had_some.load(Ordering::Acquire)
    }
}
