//! The store of keys.

use super::{KeyHash, StoredKey};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::StoreError;
use std::{collections::BTreeSet, fmt};

/// A store of API keys.
#[async_trait]
pub trait KeyStore: fmt::Debug + Send + Sync + 'static {
    /// Reads every key. A row that cannot be read is logged and left out: it admits nobody.
    async fn load(&self) -> Result<Vec<StoredKey>, StoreError>;

    /// Stores a key, unless its name is in use. Returns whether it was stored.
    async fn add(&self, key: StoredKey) -> Result<bool, StoreError>;

    /// Returns the names of all keys, including unreadable ones.
    async fn names(&self) -> Result<BTreeSet<String>, StoreError>;

    /// Stores the successor of the key with the hash `before`: the keys with its name are accepted until `until`, unless they expire
    /// before. Returns whether that key still exists and is accepted; nothing is stored otherwise. Keys with its name that have expired by
    /// the
    /// new key's `created_at` are removed.
    async fn replace(&self, before: KeyHash, next: StoredKey, until: Timestamp) -> Result<bool, StoreError>;

    /// Removes all keys with a name. Returns whether there were any.
    async fn revoke(&self, name: &str) -> Result<bool, StoreError>;

    /// Notes that a key was used.
    async fn used(&self, hash: KeyHash, at: Timestamp) -> Result<(), StoreError>;

    /// Returns a number that changes when another process has changed the keys.
    async fn version(&self) -> Result<i64, StoreError>;
}
