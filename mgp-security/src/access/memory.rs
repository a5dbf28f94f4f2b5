//! A store of access rules in memory.

use super::{AccessKey, AccessStore, StoreError, StoredRows, UnreadableRule};
use async_trait::async_trait;
use mgp_types::access::AccessEntry;
use parking_lot::Mutex;
use std::collections::HashMap;

/// A store of rules that live as long as the process: for tests, and for kernels without a state folder.
#[derive(Debug, Default)]
pub struct MemoryAccessStore(Mutex<Rules>);

#[derive(Debug, Default)]
struct Rules {
    entries: HashMap<AccessKey, AccessEntry>,
    version: i64,
}

impl MemoryAccessStore {
    /// Creates a store without rules.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

#[async_trait]
impl AccessStore for MemoryAccessStore {
    async fn load(&self) -> Result<StoredRows<AccessEntry, UnreadableRule>, StoreError> {
        Ok(StoredRows::of(self.0.lock().entries.values().cloned().map(Ok)))
    }

    async fn put(&self, entry: AccessEntry) -> Result<(), StoreError> {
        let mut rules = self.0.lock();
        rules.version += 1;
        rules.entries.insert(AccessKey::from(&entry), entry);
        Ok(())
    }

    async fn remove(&self, key: AccessKey) -> Result<Option<AccessEntry>, StoreError> {
        let mut rules = self.0.lock();
        rules.version += 1;
        Ok(rules.entries.remove(&key))
    }

    async fn version(&self) -> Result<i64, StoreError> {
        Ok(self.0.lock().version)
    }
}
