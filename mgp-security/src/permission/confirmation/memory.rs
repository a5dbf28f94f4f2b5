//! A store of questions about calls in memory.

use super::{
    AskOutcome, ConfirmationBounds, ConfirmationKey, ConfirmationRow, ConfirmationState, ConfirmationStore,
};
use crate::permission::{DecisionError, RecordFuture, ReplacedRows, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;

/// A store of questions about calls, and of their answers, that live as long as the process: for tests, and for kernels without a state
/// folder.
#[derive(Debug, Default)]
pub struct MemoryConfirmationStore {
    rows: Mutex<Rows>,
    /// Held from the look at a row until its answer is recorded and stored.
    deciding: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Rows {
    rows: Vec<ConfirmationRow>,
    version: i64,
}

impl MemoryConfirmationStore {
    /// Creates a store without questions.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Rows {
    /// Returns the index of the row with an id, if `replaces` covers the row.
    fn place(&self, id: &str, replaces: ReplacedRows) -> Option<usize> {
        let open = |row: &ConfirmationRow| row.state == ConfirmationState::Open;
        self.rows.iter().position(|row| row.id == id && (replaces == ReplacedRows::All || open(row)))
    }

    fn remove(&mut self, place: usize) -> ConfirmationRow {
        self.version += 1;
        self.rows.swap_remove(place)
    }
}

#[async_trait]
impl ConfirmationStore for MemoryConfirmationStore {
    async fn confirmations(&self) -> Result<Vec<ConfirmationRow>, StoreError> {
        Ok(self.rows.lock().rows.clone())
    }

    async fn confirmation(&self, id: &str) -> Result<Option<ConfirmationRow>, StoreError> {
        Ok(self.rows.lock().rows.iter().find(|row| row.id == id).cloned())
    }

    async fn take_confirmation(
        &self,
        key: &ConfirmationKey,
        now: Timestamp,
    ) -> Result<Option<ConfirmationRow>, StoreError> {
        let mut rows = self.rows.lock();
        let Some(place) = rows.rows.iter().position(|row| row.key == *key && row.holds(now)) else {
            return Ok(None);
        };
        if rows.rows[place].state == ConfirmationState::ApprovedOnce {
            return Ok(Some(rows.remove(place)));
        }
        Ok(Some(rows.rows[place].clone()))
    }

    async fn ask_confirmation(
        &self,
        row: ConfirmationRow,
        bounds: ConfirmationBounds,
    ) -> Result<AskOutcome, StoreError> {
        let mut rows = self.rows.lock();
        rows.rows.retain(|there| there.holds(row.asked_at));
        if let Some(place) = rows.rows.iter().position(|there| there.key == row.key) {
            let there = rows.rows[place].clone().asked_again(&row);
            if there != rows.rows[place] {
                rows.version += 1;
                rows.rows[place] = there.clone();
            }
            return Ok(AskOutcome::Row(Box::new(there)));
        }
        let open = || rows.rows.iter().filter(|there| there.state == ConfirmationState::Open);
        let of_agent = open().filter(|there| there.key.agent_id == row.key.agent_id).count();
        if let Some(bound) = bounds.reached(of_agent, open().count(), rows.rows.len()) {
            return Ok(AskOutcome::Full(bound));
        }
        rows.version += 1;
        rows.rows.push(row.clone());
        Ok(AskOutcome::Row(Box::new(row)))
    }

    async fn decide_confirmation(
        &self,
        row: ConfirmationRow,
        replaces: ReplacedRows,
        event: RecordFuture,
    ) -> Result<bool, DecisionError> {
        let _turn = self.deciding.lock().await;
        if self.rows.lock().place(&row.id, replaces).is_none() {
            return Ok(false);
        }
        event.await?;
        let mut rows = self.rows.lock();
        let place = rows.place(&row.id, replaces);
        if let Some(place) = place {
            rows.version += 1;
            rows.rows[place] = row;
        }
        Ok(place.is_some())
    }

    async fn remove_confirmation(
        &self,
        id: &str,
        replaces: ReplacedRows,
    ) -> Result<Option<ConfirmationRow>, StoreError> {
        let _turn = self.deciding.lock().await;
        let mut rows = self.rows.lock();
        Ok(rows.place(id, replaces).map(|place| rows.remove(place)))
    }

    async fn confirmations_version(&self) -> Result<i64, StoreError> {
        Ok(self.rows.lock().version)
    }
}
