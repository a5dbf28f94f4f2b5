//! A store of transactions in memory.

use super::{Change, InsertBounds, InsertOutcome, Transaction, TransactionKey, TransactionStore};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::StoreError;
use mgp_types::rpc::ErrorObject;
use parking_lot::Mutex;
use std::{cmp::Reverse, collections::HashMap};

/// A store of transactions that live as long as the process: for tests, and for kernels without a state folder.
#[derive(Debug, Default)]
pub struct MemoryTransactionStore(Mutex<HashMap<TransactionKey, Transaction>>);

impl MemoryTransactionStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// Returns the outcome of storing a new transaction.
fn outcome(
    rows: &HashMap<TransactionKey, Transaction>,
    key: &TransactionKey,
    new: &Transaction,
    bounds: InsertBounds,
) -> InsertOutcome {
    if rows.contains_key(key) {
        return InsertOutcome::Exists;
    }
    let is_open = |row: &&Transaction| row.caller.is_same(&new.caller) && !row.state.is_over();
    if rows.values().filter(is_open).count() >= bounds.open {
        return InsertOutcome::Full;
    }
    InsertOutcome::New
}

#[async_trait]
impl TransactionStore for MemoryTransactionStore {
    async fn insert(
        &self,
        key: &TransactionKey,
        new: Transaction,
        bounds: InsertBounds,
    ) -> Result<InsertOutcome, StoreError> {
        let mut rows = self.0.lock();
        let outcome = outcome(&rows, key, &new, bounds);
        if outcome != InsertOutcome::New {
            return Ok(outcome);
        }
        let own = rows.iter().filter(|(_, row)| row.caller.is_same(&new.caller));
        let over = own.filter(|(_, row)| row.state.is_over());
        let mut over: Vec<_> = over.map(|(of, row)| (Reverse(row.active_at), of.clone())).collect();
        over.sort_by_key(|(ended, _)| *ended);
        for (_, of) in over.into_iter().skip(bounds.over) {
            rows.remove(&of);
        }
        rows.insert(key.clone(), new);
        Ok(InsertOutcome::New)
    }

    async fn foresee_insert(
        &self,
        key: &TransactionKey,
        new: Transaction,
        bounds: InsertBounds,
    ) -> Result<InsertOutcome, StoreError> {
        Ok(outcome(&self.0.lock(), key, &new, bounds))
    }

    async fn load(&self, key: &TransactionKey) -> Result<Option<Transaction>, StoreError> {
        Ok(self.0.lock().get(key).cloned())
    }

    async fn update(
        &self,
        key: &TransactionKey,
        change: Change,
    ) -> Result<Option<Result<Transaction, ErrorObject>>, StoreError> {
        let mut rows = self.0.lock();
        let Some(row) = rows.get_mut(key) else { return Ok(None) };
        let mut changed = row.clone();
        Ok(Some(change(&mut changed).map(|()| {
            row.clone_from(&changed);
            changed
        })))
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<(TransactionKey, Transaction)>, StoreError> {
        let (rows, now) = (self.0.lock(), now.as_microsecond());
        let due = rows.iter().filter(|(_, row)| !row.state.is_over() && row.due_at() <= now);
        Ok(due.map(|(key, row)| (key.clone(), row.clone())).collect())
    }

    async fn sweep(&self, before: Timestamp) -> Result<usize, StoreError> {
        let mut rows = self.0.lock();
        let (there, before) = (rows.len(), before.as_microsecond());
        rows.retain(|_, row| !row.state.is_over() || row.active_at >= before);
        Ok(there - rows.len())
    }

    fn me(&self) -> &str {
        "here"
    }

    async fn is_alive(&self, owner: &str) -> Result<bool, StoreError> {
        Ok(owner == self.me())
    }
}
