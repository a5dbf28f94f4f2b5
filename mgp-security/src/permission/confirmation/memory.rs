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
    /// Held while a row is read and its answer is recorded and stored.
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

    async fn candidates(
        &self,
        key: &ConfirmationKey,
        session: Option<&str>,
        now: Timestamp,
    ) -> Result<Vec<ConfirmationRow>, StoreError> {
        let covers = |row: &&ConfirmationRow| {
            row.holds(now)
                && (row.key == *key || (row.pattern.is_some() && row.key.is_of_same_tool(key)))
                && row.bound_to().is_none_or(|bound| session == Some(bound))
        };
        Ok(self.rows.lock().rows.iter().filter(covers).cloned().collect())
    }

    async fn spend(&self, id: &str) -> Result<bool, StoreError> {
        let mut rows = self.rows.lock();
        let once = |row: &ConfirmationRow| row.id == id && row.state == ConfirmationState::ApprovedOnce;
        let place = rows.rows.iter().position(once);
        Ok(place.map(|place| rows.remove(place)).is_some())
    }

    async fn ask_confirmation(
        &self,
        row: ConfirmationRow,
        bounds: ConfirmationBounds,
    ) -> Result<AskOutcome, StoreError> {
        let mut rows = self.rows.lock();
        rows.rows.retain(|there| there.holds(row.asked_at));
        let same = |there: &ConfirmationRow| there.key == row.key && there.bound_to().is_none();
        if let Some(place) = rows.rows.iter().position(same) {
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
        if rows.place(&row.id, replaces).is_none() {
            return Ok(false);
        }
        let same = |there: &ConfirmationRow| there.key == row.key && there.bound_to() == row.bound_to();
        rows.rows.retain(|there| there.id != row.id && !same(there));
        rows.rows.push(row);
        rows.version += 1;
        Ok(true)
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
