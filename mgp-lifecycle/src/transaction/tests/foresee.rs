//! Tests of dry runs of requests about transactions, over each store.

use super::support::*;
use crate::transaction::Transaction;
use mgp_types::{
    rpc::ErrorObject,
    transaction::{
        BeginTransactionParams, RollbackTransactionParams, StepState, TransactionParams, TransactionState,
    },
};

fn begin(id: &str) -> BeginTransactionParams {
    BeginTransactionParams { transaction_id: id.to_owned(), timeout_seconds: None, description: None }
}

/// Returns the text of an error, or an empty text.
fn problem<T>(judged: Result<T, ErrorObject>) -> String {
    judged.err().map(|error| error.to_string()).unwrap_or_default()
}

#[tokio::test]
async fn a_dry_run_finds_room_for_a_transaction_like_the_real_request() {
    for backend in Backend::each().await {
        let world = World::default();
        let transactions = &Process::over(backend.open().await, &world).transactions;
        let mut refused = Vec::new();
        for id in ["a", "a", "b", "c"] {
            let foretold = problem(transactions.foresee_begin(&ann(), begin(id)).await);
            let real = problem(transactions.begin(&ann(), begin(id)).await);
            assert_eq!(foretold, real, "{id}");
            refused.extend(Some(real).filter(|real| !real.is_empty()));
        }
        assert!(refused[0].contains("there is a transaction \"a\" already"), "{refused:?}");
        assert!(refused[1].contains("2 transactions are open"), "{refused:?}");
        let params = TransactionParams { transaction_id: "a".to_owned() };
        transactions.commit(&ann(), params).await.unwrap();
        transactions.foresee_begin(&ann(), begin("c")).await.unwrap();
        assert_eq!(transactions.status(&ann(), "c").await.unwrap_err().code, 4004, "it begins none");
    }
}

#[tokio::test]
async fn a_dry_run_of_a_commit_foresees_a_dead_process_s_step() {
    for backend in Backend::each().await {
        let world = World::default();
        let process = Process::over(backend.open().await, &world);
        process.begin().await;
        process.step("jira", "touch").await;
        backend
            .leave(|of: &mut Transaction| {
                of.steps[0].state = StepState::Running;
                GONE.clone_into(&mut of.steps[0].owner);
            })
            .await;
        process.transactions.foresee_commit(&ann(), "tx-1").await.unwrap();
        process.transactions.foresee_status(&ann(), "tx-1").await.unwrap();
        let stored = backend.stored().await;
        assert_eq!((stored.state, stored.steps[0].state), (TransactionState::Active, StepState::Running));
        let params = TransactionParams { transaction_id: "tx-1".to_owned() };
        assert_eq!(
            process.transactions.commit(&ann(), params).await.unwrap().status,
            TransactionState::Committed
        );
    }
}

#[tokio::test]
async fn a_dry_run_of_a_rollback_reads_its_reason() {
    let world = World::default();
    let process = Process::in_memory(&world);
    process.begin().await;
    for reason in [None, Some("x".repeat(5000))] {
        let params = RollbackTransactionParams { transaction_id: "tx-1".to_owned(), reason };
        let foretold = problem(process.transactions.foresee_rollback(&ann(), &params, None).await);
        assert_eq!(foretold.contains("invalid reason"), params.reason.is_some(), "{foretold}");
        assert_eq!(problem(process.transactions.rollback(&ann(), params).await), foretold);
    }
}
