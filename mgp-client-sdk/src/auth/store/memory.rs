//! A token store in memory.

use super::{KeptGrant, StoreError, TokenStore};
use async_trait::async_trait;
use parking_lot::Mutex;
use std::collections::HashMap;

/// A token store in memory, which ends with the process.
#[derive(Debug, Default)]
pub struct TokenMemory(Mutex<HashMap<String, KeptGrant>>);

impl TokenMemory {
    fn with<R>(&self, change: impl FnOnce(&mut HashMap<String, KeptGrant>) -> R) -> R {
        change(&mut self.0.lock())
    }
}

#[async_trait]
impl TokenStore for TokenMemory {
    async fn load(&self, server: &str) -> Result<Option<KeptGrant>, StoreError> {
        Ok(self.with(|grants| grants.get(server).cloned()))
    }

    async fn save(&self, server: &str, grant: &KeptGrant) -> Result<(), StoreError> {
        self.with(|grants| grants.insert(server.to_owned(), grant.clone()));
        Ok(())
    }

    async fn remove(&self, server: &str) -> Result<(), StoreError> {
        self.with(|grants| grants.remove(server));
        Ok(())
    }
}
