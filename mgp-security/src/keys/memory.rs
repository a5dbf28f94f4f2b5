//! A store of keys in memory.

use super::{KeyHash, KeyStore, StoredKey};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::StoreError;
use parking_lot::Mutex;
use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicI64, Ordering},
};

/// A store of keys that lives as long as the process.
#[derive(Debug, Default)]
pub struct MemoryKeyStore {
    keys: Mutex<Vec<StoredKey>>,
    version: AtomicI64,
}

impl MemoryKeyStore {
    /// Creates a store without keys.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn changed(&self) {
        self.version.fetch_add(1, Ordering::Release);
    }
}

#[async_trait]
impl KeyStore for MemoryKeyStore {
    async fn load(&self) -> Result<Vec<StoredKey>, StoreError> {
        Ok(self.keys.lock().clone())
    }

    async fn add(&self, key: StoredKey) -> Result<bool, StoreError> {
        let mut keys = self.keys.lock();
        if keys.iter().any(|known| known.name == key.name) {
            return Ok(false);
        }
        keys.push(key);
        self.changed();
        Ok(true)
    }

    async fn names(&self) -> Result<BTreeSet<String>, StoreError> {
        Ok(self.keys.lock().iter().map(|key| key.name.clone()).collect())
    }

    async fn replace(&self, before: KeyHash, next: StoredKey, until: Timestamp) -> Result<bool, StoreError> {
        let mut keys = self.keys.lock();
        let is_before =
            |key: &StoredKey| key.hash == before && key.name == next.name && key.holds_at(next.created_at);
        if !keys.iter().any(is_before) {
            return Ok(false);
        }
        keys.retain(|key| key.name != next.name || key.holds_at(next.created_at));
        for key in keys.iter_mut().filter(|key| key.name == next.name) {
            key.expires_at = Some(key.expires_at.map_or(until, |end| end.min(until)));
        }
        keys.push(next);
        self.changed();
        Ok(true)
    }

    async fn revoke(&self, name: &str) -> Result<bool, StoreError> {
        let mut keys = self.keys.lock();
        let before = keys.len();
        keys.retain(|key| key.name != name);
        self.changed();
        Ok(keys.len() < before)
    }

    async fn used(&self, hash: KeyHash, at: Timestamp) -> Result<(), StoreError> {
        for key in self.keys.lock().iter_mut().filter(|key| key.hash == hash) {
            key.last_used = Some(at);
        }
        Ok(())
    }

    async fn version(&self) -> Result<i64, StoreError> {
        Ok(self.version.load(Ordering::Acquire))
    }
}
