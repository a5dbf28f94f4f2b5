//! Registered servers in memory.

use super::{AddOutcome, Registration, RegistrationStore, StoreError, store::is_same};
use async_trait::async_trait;
use parking_lot::Mutex;
use std::sync::Arc;

/// Registered servers that live as long as the process: for tests, and for kernels without a state folder. Clones share the servers.
#[derive(Debug, Clone, Default)]
pub struct MemoryRegistrationStore(Arc<Mutex<Rows>>);

#[derive(Debug, Default)]
struct Rows {
    rows: Vec<Registration>,
    version: i64,
}

impl MemoryRegistrationStore {
    /// Creates a store without servers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

#[async_trait]
impl RegistrationStore for MemoryRegistrationStore {
    async fn load(&self) -> Result<Vec<Registration>, StoreError> {
        Ok(self.0.lock().rows.clone())
    }

    async fn add(&self, registration: Registration, limit: usize) -> Result<AddOutcome, StoreError> {
        let mut stored = self.0.lock();
        if stored.rows.iter().any(|known| known.id() == registration.id()) {
            return Ok(AddOutcome::Taken);
        }
        if stored.rows.len() >= limit {
            return Ok(AddOutcome::Full);
        }
        stored.rows.push(registration);
        stored.version += 1;
        Ok(AddOutcome::Yes)
    }

    async fn remove(&self, found: &Registration) -> Result<Option<Registration>, StoreError> {
        let mut stored = self.0.lock();
        let Some(at) = stored.rows.iter().position(|known| is_same(known, found)) else { return Ok(None) };
        stored.version += 1;
        Ok(Some(stored.rows.remove(at)))
    }

    async fn version(&self) -> Result<i64, StoreError> {
        Ok(self.0.lock().version)
    }
}
