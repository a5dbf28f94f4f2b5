//! Tests of transactions that one process makes from beginning to end.

use super::support::*;
use crate::transaction::{SqlTransactionStore, Transaction};
use mgp_types::{
    context::Principal,
    transaction::{BeginTransactionParams, TransactionParams, TransactionState},
};
use std::sync::Arc;
use xtask_testing::{until, within};

#[tokio::test]
async fn a_saga_whose_third_server_fails_is_undone_in_reverse() {
    let world = World::default();
    let process = Process::in_memory(&world);
    process.begin().await;
    let made = process.step("jira", "make").await;
    let text = made.result().unwrap().as_str();
    assert!(text.contains(r#""transaction_id":"tx-1","step_id":"step-1""#), "{text}");
    process.step("confluence", "make").await;
    assert!(process.step("slack", "post").await.as_error().is_some());
    assert_eq!(line(&process.status().await), "active: jira ok, confluence ok, slack failed");
    assert_eq!(world.there().len(), 2);
    let report = process.rollback().await;
    assert_eq!(line(&report), "rolled_back: jira compensated, confluence compensated, slack failed");
    assert_eq!(world.removed(), ["confluence remove", "jira remove"]);
    let undone: Vec<_> = report
        .steps_compensated
        .iter()
        .flatten()
        .map(|step| format!("{} {}", step.step_id, step.status))
        .collect();
    assert_eq!(undone, ["step-2 compensated", "step-1 compensated"]);
    // A repeated request changes nothing.
    assert_eq!(process.rollback().await.status, TransactionState::RolledBack);
    assert_eq!(world.removed().len(), 2);
}

#[tokio::test]
async fn a_failed_compensation_is_reported_and_can_be_retried() {
    let world = World::default();
    world.0.lock().failing.insert("confluence".into());
    let process = Process::in_memory(&world);
    process.begin().await;
    process.step("jira", "make").await;
    process.step("confluence", "make").await;
    let report = process.rollback().await;
    assert_eq!(line(&report), "partially_rolled_back: jira compensated, confluence compensation_failed");
    assert!(report.explanation.contains("not undone, or not known to be: step-2"), "{}", report.explanation);
    let failed = &report.steps_compensated.unwrap()[0];
    assert_eq!(failed.error.as_ref().unwrap().message, "the API is down");
    world.0.lock().failing.clear();
    assert_eq!(line(&process.rollback().await), "rolled_back: jira compensated, confluence compensated");
    assert!(world.there().is_empty());
}

#[tokio::test]
async fn an_operator_lists_running_and_partly_undone_transactions() {
    for backend in Backend::shared().await {
        an_operator_lists(Arc::new(backend.open_sql().await)).await;
    }
}

async fn an_operator_lists(store: Arc<SqlTransactionStore>) {
    let world = World::default();
    world.0.lock().failing.insert("confluence".into());
    let process = Process::over(store.clone(), &world).start(&world);
    let states = |listed: Vec<Transaction>| {
        listed.iter().map(|one| format!("{} {}", one.id, one.state)).collect::<Vec<_>>()
    };
    process.begin().await;
    process.step("confluence", "make").await;
    assert_eq!(states(store.unsettled(9).await.unwrap()), ["tx-1 active"]);
    process.rollback().await;
    let transactions = &process.transactions;
    for id in ["done", "open"] {
        let params =
            BeginTransactionParams { transaction_id: id.into(), timeout_seconds: None, description: None };
        transactions.begin(&Principal::agent("bob"), params).await.unwrap();
    }
    let done = TransactionParams { transaction_id: "done".into() };
    transactions.commit(&Principal::agent("bob"), done).await.unwrap();
    let unsettled = store.unsettled(9).await.unwrap();
    assert_eq!(states(unsettled.clone()), ["open active", "tx-1 partially_rolled_back"]);
    assert_eq!(states(store.all(9).await.unwrap()).len(), 3);
    assert_eq!(states(store.all(1).await.unwrap()), ["open active"]);
    assert_eq!(states(store.named("done").await.unwrap()), ["done committed"]);
    assert_eq!(store.count_rolled_back_in_part().await.unwrap(), 1);
    // The operator sees what is hidden from the caller.
    let mut concealed = unsettled[1].clone();
    concealed.steps[0].is_concealed = true;
    assert_eq!(concealed.report().steps[0].compensation, None);
    let whole = concealed.whole_report();
    assert!(whole.steps[0].compensation.is_some());
    assert_eq!(whole.steps[0].error.as_ref().unwrap().message, "the API is down");
}

#[tokio::test]
async fn steps_that_cannot_be_undone_are_named() {
    let world = World::default();
    let process = Process::in_memory(&world);
    process.begin().await;
    process.step("jira", "make").await;
    process.step("mail", "touch").await;
    process.step("bank", "lose").await;
    let report = process.rollback().await;
    assert_eq!(line(&report), "partially_rolled_back: jira compensated, mail not_compensated, bank unknown");
    let codes: Vec<_> = report
        .steps_compensated
        .iter()
        .flatten()
        .map(|step| step.error.as_ref().map(|e| e.code.as_str()))
        .collect();
    assert_eq!(codes, [Some("OUTCOME_UNKNOWN"), Some("NO_COMPENSATION"), None]);
}

#[tokio::test]
async fn a_committed_transaction_stays_and_accepts_no_step() {
    let world = World::default();
    let process = Process::in_memory(&world);
    process.begin().await;
    process.step("jira", "make").await;
    let params = || TransactionParams { transaction_id: "tx-1".into() };
    for _ in 0..2 {
        let report = process.transactions.commit(&ann(), params()).await.unwrap();
        assert_eq!(line(&report), "committed: jira ok");
    }
    let late = process.step("jira", "make").await;
    let late = late.as_error().unwrap();
    assert!(late.message.starts_with("TRANSACTION_CONFLICT") && late.message.contains("committed"), "{late}");
    let rollback =
        mgp_types::transaction::RollbackTransactionParams { transaction_id: "tx-1".into(), reason: None };
    assert!(process.transactions.rollback(&ann(), rollback).await.unwrap_err().message.contains("committed"));
    assert_eq!((world.there().len(), world.removed().len()), (1, 0));
}

#[tokio::test]
async fn a_transaction_belongs_to_its_caller_and_its_name_is_unique() {
    let world = World::default();
    let process = Process::in_memory(&world);
    process.begin().await;
    assert!(process.begin_with(None).await.unwrap_err().message.contains("TRANSACTION_CONFLICT"));
    let bob = Principal::agent("bob");
    let unknown = process.transactions.status(&bob, "tx-1").await.unwrap_err();
    assert_eq!(unknown.code, 4004);
    for wrong in [Some(0), Some(86_401)] {
        assert!(process.begin_with(wrong).await.unwrap_err().message.contains("timeout_seconds"));
    }
    let begin = |id: &str| BeginTransactionParams {
        transaction_id: id.to_owned(),
        timeout_seconds: None,
        description: None,
    };
    assert!(
        process
            .transactions
            .begin(&ann(), begin("a b"))
            .await
            .unwrap_err()
            .message
            .contains("transaction_id")
    );
    process.transactions.begin(&ann(), begin("tx-2")).await.unwrap();
    assert_eq!(process.transactions.begin(&ann(), begin("tx-3")).await.unwrap_err().code, 3001);
    process.transactions.begin(&bob, begin("tx-1")).await.unwrap();
}

#[tokio::test]
async fn a_call_of_an_unknown_transaction_is_not_made() {
    let world = World::default();
    let process = Process::in_memory(&world);
    assert_eq!(process.step("jira", "make").await.as_error().unwrap().code, 4004);
    assert!(world.there().is_empty());
}

#[tokio::test]
async fn an_abandoned_transaction_is_rolled_back() {
    let world = World::default();
    let process = Process::in_memory(&world);
    let heard = HeardEvents::default();
    process.transactions.observed_by(Arc::new(heard.clone()));
    process.begin_with(Some(60)).await.unwrap();
    process.step("jira", "make").await;
    process.age(61).await;
    let report = process.over_at_last().await;
    assert_eq!(line(&report), "rolled_back: jira compensated");
    assert_eq!(report.reason.as_deref(), Some("no step came for 60 s"));
    let told = ["Begun by ann: active", "RollbackBegun: rolling_back", "RollbackEnded: rolled_back"];
    until(|| heard.lines().len() >= told.len()).await;
    assert_eq!(heard.lines(), told);
}

#[tokio::test(start_paused = true)]
async fn a_rollback_waits_for_a_running_step() {
    let world = World::default();
    let process = Process::in_memory(&world);
    process.begin().await;
    let running = tokio::spawn(process.starting("jira", "hang"));
    process.until_it_has_a_step().await;
    let params = TransactionParams { transaction_id: "tx-1".into() };
    let refused = process.transactions.commit(&ann(), params).await.unwrap_err();
    assert!(refused.message.contains("still runs"), "{refused}");
    let transactions = process.transactions.clone();
    let rollback = tokio::spawn(async move {
        let params =
            mgp_types::transaction::RollbackTransactionParams { transaction_id: "tx-1".into(), reason: None };
        transactions.rollback(&ann(), params).await.unwrap()
    });
    tokio::time::sleep(std::time::Duration::from_millis(120)).await;
    assert_eq!(process.status().await.status, TransactionState::RollingBack);
    running.abort();
    let report = within(rollback).await.unwrap();
    assert_eq!(line(&report), "partially_rolled_back: jira unknown");
}

#[tokio::test]
async fn a_step_answered_with_a_task_is_unknown_and_not_undone() {
    let world = World::default();
    let process = Process::in_memory(&world);
    process.begin().await;
    for tool in ["task", "other_task"] {
        process.step("jira", tool).await;
    }
    let report = process.rollback().await;
    assert_eq!(line(&report), "partially_rolled_back: jira unknown, jira unknown");
    for step in report.steps {
        let error = step.error.unwrap();
        assert!(error.message.contains("a task"), "{error:?}");
    }
}

#[tokio::test]
async fn a_step_that_ends_after_its_rollback_leaves_a_true_state() {
    let world = World::default();
    let settings = crate::transaction::TransactionSettings {
        step_wait: std::time::Duration::from_millis(100),
        ..settings()
    };
    let process = Process::in_memory_with(&world, settings);
    process.begin().await;
    let running = tokio::spawn(process.starting("jira", "slow"));
    process.until_it_has_a_step().await;
    assert_eq!(line(&process.rollback().await), "partially_rolled_back: jira unknown");
    world.0.lock().is_released = true;
    within(running).await.unwrap().unwrap();
    let report = process.status().await;
    assert_eq!(line(&report), "rolled_back: jira failed");
}
