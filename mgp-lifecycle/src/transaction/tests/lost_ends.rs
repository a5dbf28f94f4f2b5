//! Tests of calls that undo steps, if the process was gone before it stored their end.

use super::support::*;
use crate::{
    idempotency::{
        Claim, EntryBounds, EntryId, IdempotencySettings, IdempotencyStore, NewEntry, Outcome,
        SqlIdempotencyStore, StoreError,
    },
    transaction::Transaction,
};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_types::transaction::{RollbackTransactionParams, StepState, TransactionState};
use std::sync::Arc;
use xtask_testing::until_some;

const DONE: &str = "rolled_back: jira compensated";
const FAILED: &str = "partially_rolled_back: jira compensation_failed";

/// A store of keys whose process is gone before it stores an answer.
#[derive(Debug)]
struct GoneStore(SqlIdempotencyStore);

#[async_trait]
impl IdempotencyStore for GoneStore {
    async fn claim(&self, entry: NewEntry, bounds: EntryBounds) -> Result<Claim, StoreError> {
        self.0.claim(entry, bounds).await
    }

    async fn keep(&self, _: &EntryId, _: Outcome, _: EntryBounds) -> Result<(), StoreError> {
        std::future::pending().await
    }

    async fn release(&self, id: &EntryId) -> Result<(), StoreError> {
        self.0.release(id).await
    }

    async fn sweep(&self, now: Timestamp) -> Result<usize, StoreError> {
        self.0.sweep(now).await
    }

    async fn version(&self) -> Result<i64, StoreError> {
        self.0.version().await
    }
}

#[tokio::test]
async fn a_failure_known_only_to_the_key_store_is_reported() {
    for backend in Backend::each().await {
        let (world, keys) = (World::default(), Arc::new(SqlIdempotencyStore::in_memory()));
        let start =
            |process: Process| process.start_layered_over(keys.clone(), IdempotencySettings::default());
        let first = start(Process::over(backend.open().await, &world));
        first.begin().await;
        first.step("jira", "make").await;
        world.0.lock().failing.insert("jira".into());
        assert_eq!(line(&first.rollback().await), FAILED);
        drop(first);
        // As before the end was stored.
        backend
            .leave(|of: &mut Transaction| {
                of.state = TransactionState::RollingBack;
                (of.steps[0].state, of.steps[0].is_sent) = (StepState::Compensating, true);
                of.steps[0].error = None;
            })
            .await;
        let next = start(Process::over(backend.open().await, &world));
        let report = next.over_at_last().await;
        assert_eq!(line(&report), FAILED);
        let error = report.steps[0].error.clone().unwrap().message;
        assert!(error.contains("the API is down") && !error.contains("may have been undone"), "{error}");
        assert_eq!(world.sent(), ["jira"], "nothing is sent again unasked");
        world.0.lock().failing.clear();
        assert_eq!(line(&next.rollback().await), DONE);
        assert_eq!(world.sent(), ["jira", "jira"]);
    }
}

#[tokio::test]
async fn a_compensation_s_end_is_stored_before_its_key_s_answer() {
    for (is_failing, end) in [(true, FAILED), (false, DONE)] {
        for backend in Backend::each().await {
            let world = World::default();
            let keys = Arc::new(GoneStore(SqlIdempotencyStore::in_memory()));
            let first = Process::over(backend.open().await, &world);
            let first = first.start_layered_over(keys, IdempotencySettings::default());
            first.begin().await;
            first.step("jira", "make").await;
            if is_failing {
                world.0.lock().failing.insert("jira".into());
            }
            let transactions = first.transactions.clone();
            let params = RollbackTransactionParams { transaction_id: "tx-1".into(), reason: None };
            let rollback = tokio::spawn(async move { transactions.rollback(&ann(), params).await });
            let ended = |state: &StepState| !matches!(state, StepState::Ok | StepState::Compensating);
            until_some(async || Some(backend.stored().await.steps[0].state).filter(ended)).await;
            rollback.abort();
            world.0.lock().failing.clear();
            backend.leave(|_| {}).await;
            // The next process does not have the key.
            let next =
                Process::over(backend.open().await, &world).start_layered(IdempotencySettings::default());
            let report = next.over_at_last().await;
            assert_eq!(line(&report), end);
            assert_eq!(
                report.steps[0].error.as_ref().is_some_and(|error| error.message.contains("the API is down")),
                is_failing
            );
            assert_eq!(line(&next.rollback().await), DONE);
        }
    }
}
