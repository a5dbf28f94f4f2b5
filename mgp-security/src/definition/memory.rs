//! A store of pins in memory.

use super::{
    DecisionError, DefinitionStore, MAX_PINS, PinnedDefinition, RecordFuture, StoreError, StoredRows,
    UnreadablePin,
};
use async_trait::async_trait;
use mgp_types::context::ToolId;
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc};

/// A store of pins that live as long as the process: for tests, and for kernels without a state folder.
#[derive(Debug, Default)]
pub struct MemoryDefinitionStore {
    rows: Mutex<Rows>,
    /// Held while a row is read and its change is recorded and stored.
    changing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Rows {
    rows: HashMap<ToolId, PinnedDefinition>,
    version: i64,
}

impl MemoryDefinitionStore {
    /// Creates a store without pins.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

#[async_trait]
impl DefinitionStore for MemoryDefinitionStore {
    async fn load(&self) -> Result<StoredRows<PinnedDefinition, UnreadablePin>, StoreError> {
        Ok(StoredRows::of(self.rows.lock().rows.values().cloned().map(Ok)))
    }

    async fn pin(&self, pins: Vec<PinnedDefinition>) -> Result<Vec<ToolId>, StoreError> {
        let mut rows = self.rows.lock();
        let mut counts: HashMap<Arc<str>, usize> = HashMap::new();
        for tool in rows.rows.keys() {
            *counts.entry(tool.server_id.clone()).or_default() += 1;
        }
        let mut pinned = Vec::new();
        for pin in pins {
            let of_server = counts.entry(pin.tool.server_id.clone()).or_default();
            if *of_server >= MAX_PINS || rows.rows.contains_key(&pin.tool) {
                continue;
            }
            *of_server += 1;
            pinned.push(pin.tool.clone());
            rows.rows.insert(pin.tool.clone(), pin);
            rows.version += 1;
        }
        Ok(pinned)
    }

    async fn replace(
        &self,
        before: &PinnedDefinition,
        after: PinnedDefinition,
        event: Option<RecordFuture>,
    ) -> Result<bool, DecisionError> {
        let _turn = self.changing.lock().await;
        if !self.rows.lock().rows.get(&after.tool).is_some_and(|there| there.is_same(before)) {
            return Ok(false);
        }
        if let Some(event) = event {
            event.await?;
        }
        let mut rows = self.rows.lock();
        rows.rows.insert(after.tool.clone(), after);
        rows.version += 1;
        Ok(true)
    }

    async fn remove(&self, server_id: &str, tool_name: Option<&str>) -> Result<usize, StoreError> {
        let _turn = self.changing.lock().await;
        let mut rows = self.rows.lock();
        let before = rows.rows.len();
        rows.rows.retain(|tool, _| {
            *tool.server_id != *server_id || tool_name.is_some_and(|name| *tool.tool_name != *name)
        });
        let removed = before - rows.rows.len();
        rows.version += i64::from(removed > 0);
        Ok(removed)
    }

    async fn version(&self) -> Result<i64, StoreError> {
        Ok(self.rows.lock().version)
    }
}
