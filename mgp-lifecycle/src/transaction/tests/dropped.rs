//! Tests of steps whose calls are dropped while they are stored.

use super::support::*;
use crate::transaction::{
    Change, InsertBounds, InsertOutcome, SqlTransactionStore, Transaction, TransactionKey, TransactionStore,
};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::StoreError;
use mgp_types::{
    rpc::ErrorObject,
    transaction::{StepState, TransactionParams},
};
use std::sync::Arc;
use tokio::sync::Semaphore;
use xtask_testing::{until_some, within};

/// A store whose changes are made at once, and return when the test adds permits.
#[derive(Debug)]
struct SlowStore {
    inner: SqlTransactionStore,
    changed: Semaphore,
    gate: Semaphore,
}

#[async_trait]
impl TransactionStore for SlowStore {
    async fn insert(
        &self,
        key: &TransactionKey,
        new: Transaction,
        bounds: InsertBounds,
    ) -> Result<InsertOutcome, StoreError> {
        self.inner.insert(key, new, bounds).await
    }

    async fn load(&self, key: &TransactionKey) -> Result<Option<Transaction>, StoreError> {
        self.inner.load(key).await
    }

    async fn update(
        &self,
        key: &TransactionKey,
        change: Change,
    ) -> Result<Option<Result<Transaction, ErrorObject>>, StoreError> {
        let changed = self.inner.update(key, change).await;
        self.changed.add_permits(1);
        self.gate.acquire().await.unwrap().forget();
        changed
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<(TransactionKey, Transaction)>, StoreError> {
        self.inner.due(now).await
    }

    async fn sweep(&self, before: Timestamp) -> Result<usize, StoreError> {
        self.inner.sweep(before).await
    }

    fn me(&self) -> &str {
        self.inner.me()
    }

    async fn is_alive(&self, owner: &str) -> Result<bool, StoreError> {
        self.inner.is_alive(owner).await
    }
}

#[tokio::test]
async fn a_step_dropped_while_it_is_stored_ends_as_not_made() {
    let world = World::default();
    let store = SlowStore {
        inner: SqlTransactionStore::in_memory(),
        changed: Semaphore::new(0),
        gate: Semaphore::new(0),
    };
    let store = Arc::new(store);
    let process = Process::over(store.clone(), &world).start(&world);
    process.begin().await;
    let step = tokio::spawn(process.starting("jira", "make"));
    within(store.changed.acquire()).await.unwrap().forget();
    assert_eq!(process.status().await.steps[0].status, StepState::Running);
    step.abort();
    assert!(within(step).await.unwrap_err().is_cancelled());
    store.gate.add_permits(8);
    let ended = |state: &StepState| *state != StepState::Running;
    until_some(async || Some(process.status().await.steps[0].status).filter(ended)).await;
    let params = TransactionParams { transaction_id: "tx-1".to_owned() };
    let report = within(process.transactions.commit(&ann(), params)).await.unwrap();
    assert_eq!(line(&report), "committed: jira failed");
    assert!(world.there().is_empty(), "it was not made");
}

#[tokio::test(start_paused = true)]
async fn an_unstored_step_end_is_stored_once_the_store_recovers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("transactions.sqlite3");
    let world = World::default();
    let process = Process::on_disk(&path, &world).start(&world);
    process.begin().await;
    let step = tokio::spawn(process.starting("jira", "slow"));
    process.until_it_has_a_step().await;
    let disk = rusqlite::Connection::open(&path).unwrap();
    let full =
        "CREATE TRIGGER full BEFORE UPDATE ON transactions BEGIN SELECT RAISE(ABORT, 'disk full'); END;";
    disk.execute_batch(full).unwrap();
    world.0.lock().is_released = true;
    assert!(within(step).await.unwrap().unwrap().as_error().is_some());
    assert_eq!(line(&process.status().await), "active: jira running");
    disk.execute_batch("DROP TRIGGER full").unwrap();
    until_some(async || Some(line(&process.status().await)).filter(|line| line == "active: jira failed"))
        .await;
}
