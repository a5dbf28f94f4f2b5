//! A store of decisions on permissions in memory.

use super::{
    DecisionError, PermissionRow, PermissionStore, RecordFuture, ReplacedRows, StoreError, StoredRows,
    UnreadablePermission,
};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_types::permission::{Permission, PermissionState};
use parking_lot::Mutex;
use std::collections::HashMap;

/// A store of decisions that live as long as the process: for tests, and for kernels without a state folder.
#[derive(Debug, Default)]
pub struct MemoryPermissionStore {
    rows: Mutex<Rows>,
    /// Held while a row is read and its decision is recorded and stored.
    deciding: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Rows {
    rows: HashMap<(String, Permission), PermissionRow>,
    version: i64,
}

impl MemoryPermissionStore {
    /// Creates a store without decisions.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Rows {
    fn put(&mut self, row: PermissionRow) {
        self.version += 1;
        self.rows.insert((row.server_id.clone(), row.permission.clone()), row);
    }
}

#[async_trait]
impl PermissionStore for MemoryPermissionStore {
    async fn load(&self) -> Result<StoredRows<PermissionRow, UnreadablePermission>, StoreError> {
        Ok(StoredRows::of(self.rows.lock().rows.values().cloned().map(Ok)))
    }

    async fn put(&self, row: PermissionRow) -> Result<(), StoreError> {
        self.rows.lock().put(row);
        Ok(())
    }

    async fn put_undecided(&self, row: PermissionRow) -> Result<bool, StoreError> {
        let mut rows = self.rows.lock();
        let key = (row.server_id.clone(), row.permission.clone());
        let free = rows.rows.get(&key).is_none_or(|there| there.gives_way_to(&row));
        if free {
            rows.put(row);
        }
        Ok(free)
    }

    async fn decide(
        &self,
        row: PermissionRow,
        replaces: ReplacedRows,
        event: RecordFuture,
    ) -> Result<bool, DecisionError> {
        let _turn = self.deciding.lock().await;
        let key = (row.server_id.clone(), row.permission.clone());
        let wins = self.rows.lock().rows.get(&key).is_none_or(|there| there.is_replaced_by(replaces));
        if wins {
            event.await?;
            self.rows.lock().put(row);
        }
        Ok(wins)
    }

    async fn expire(
        &self,
        server_id: &str,
        permission: &Permission,
        at: Timestamp,
        event: RecordFuture,
    ) -> Result<bool, DecisionError> {
        let _turn = self.deciding.lock().await;
        let key = (server_id.to_owned(), permission.clone());
        let ends =
            |row: &&PermissionRow| row.state == PermissionState::Approved && row.expires_at == Some(at);
        if self.rows.lock().rows.get(&key).filter(ends).is_none() {
            return Ok(false);
        }
        event.await?;
        let mut rows = self.rows.lock();
        let Some(row) = rows.rows.get(&key).filter(ends).cloned() else { return Ok(false) };
        rows.put(PermissionRow { state: PermissionState::Expired, ..row });
        Ok(true)
    }

    async fn remove(
        &self,
        server_id: &str,
        permission: &Permission,
    ) -> Result<Option<PermissionRow>, StoreError> {
        let mut rows = self.rows.lock();
        rows.version += 1;
        Ok(rows.rows.remove(&(server_id.to_owned(), permission.clone())))
    }

    async fn version(&self) -> Result<i64, StoreError> {
        Ok(self.rows.lock().version)
    }
}
