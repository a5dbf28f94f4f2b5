//! Tests of recovery by the next process, from each state in which a process may be gone, over each store.

use super::support::*;
use crate::transaction::SqlTransactionStore;
use crate::{
    idempotency::IdempotencySettings,
    transaction::{Transaction, TransactionSettings},
};
use jiff::{SignedDuration, Timestamp};
use mgp_types::transaction::{StepState, TransactionParams, TransactionState};
use std::time::Duration;
use xtask_testing::{until, until_some};

/// A state in which a process was gone during a rollback.
struct CrashState {
    /// True if the process had been rolled back before, when `confluence` failed.
    was_tried: bool,
    change: fn(&mut Transaction),
    /// The state after the next process.
    end: &'static str,
    /// The removals by the next process.
    removed: &'static [&'static str],
}

const DONE: &str = "rolled_back: jira compensated, confluence compensated, slack failed";
const UNSURE: &str = "partially_rolled_back: jira compensated, confluence compensation_failed, slack failed";

/// Each state that is stored during a rollback.
const STATES: [CrashState; 7] = [
    CrashState {
        was_tried: false,
        change: |of| of.state = TransactionState::RollingBack,
        end: DONE,
        removed: &["confluence remove", "jira remove"],
    },
    CrashState {
        was_tried: false,
        change: |of| {
            of.state = TransactionState::RollingBack;
            of.steps[1].state = StepState::Compensating;
        },
        end: DONE,
        removed: &["confluence remove", "jira remove"],
    },
    CrashState {
        was_tried: false,
        change: |of| {
            of.state = TransactionState::RollingBack;
            (of.steps[1].state, of.steps[1].is_sent) = (StepState::Compensating, true);
        },
        end: UNSURE,
        removed: &["jira remove"],
    },
    CrashState {
        was_tried: false,
        change: |of| {
            of.state = TransactionState::RollingBack;
            (of.steps[1].state, of.steps[1].is_sent) = (StepState::Compensated, true);
        },
        end: DONE,
        removed: &["jira remove"],
    },
    CrashState {
        was_tried: false,
        change: |of| {
            of.state = TransactionState::RollingBack;
            of.steps[..2].iter_mut().for_each(|step| step.state = StepState::Compensated);
        },
        end: DONE,
        removed: &[],
    },
    CrashState {
        was_tried: true,
        change: |of| {
            of.state = TransactionState::RollingBack;
            (of.steps[1].state, of.steps[1].attempt) = (StepState::Compensating, 1);
            of.steps[1].is_sent = false;
        },
        end: DONE,
        removed: &["confluence remove"],
    },
    CrashState {
        was_tried: true,
        change: |of| {
            of.state = TransactionState::RollingBack;
            (of.steps[1].state, of.steps[1].attempt) = (StepState::Compensating, 1);
            of.steps[1].is_sent = true;
        },
        end: UNSURE,
        removed: &[],
    },
];

/// Makes a transaction of three steps, of which the third fails.
async fn saga(process: &Process) {
    process.begin().await;
    process.step("jira", "make").await;
    process.step("confluence", "make").await;
    process.step("slack", "post").await;
}

#[tokio::test]
async fn a_rollback_ends_in_a_true_state_wherever_its_process_died() {
    for (at, state) in STATES.iter().enumerate() {
        for backend in Backend::each().await {
            let world = World::default();
            {
                // After the first check, its watch leaves the rest to the next process.
                let settings = TransactionSettings { look: Duration::from_secs(3600), ..settings() };
                let first = Process::with(backend.open().await, settings, &world).start(&world);
                saga(&first).await;
                if state.was_tried {
                    world.0.lock().failing.insert("confluence".into());
                    assert_eq!(line(&first.rollback().await), UNSURE);
                    world.0.lock().failing.clear();
                }
            }
            let before = world.removed().len();
            backend.leave(state.change).await;
            let next =
                Process::over(backend.open().await, &world).start_layered(IdempotencySettings::default());
            assert_eq!(line(&next.over_at_last().await), state.end, "{at}");
            for _ in 0..2 {
                assert_eq!(world.removed()[before..], *state.removed, "{at}");
                // A repeated request sends no call that may have been sent before.
                assert_eq!(line(&next.rollback().await), state.end, "{at}");
            }
        }
    }
}

#[tokio::test]
async fn a_compensation_is_stored_before_it_is_sent() {
    for backend in Backend::each().await {
        let world = World::default();
        world.0.lock().hanging.insert("confluence".into());
        let first = Process::over(backend.open().await, &world).start_layered(IdempotencySettings::default());
        saga(&first).await;
        let transactions = first.transactions.clone();
        let params =
            mgp_types::transaction::RollbackTransactionParams { transaction_id: "tx-1".into(), reason: None };
        let rollback = tokio::spawn(async move { transactions.rollback(&ann(), params).await });
        until(|| !world.sent().is_empty()).await;
        let stored = backend.stored().await;
        assert_eq!((stored.steps[1].state, stored.steps[1].is_sent), (StepState::Compensating, true));
        rollback.abort();
        // The next process does not have the key.
        backend.leave(|_| {}).await;
        let next = Process::over(backend.open().await, &world).start_layered(IdempotencySettings::default());
        let report = next.over_at_last().await;
        assert_eq!(line(&report), UNSURE);
        let error = &report.steps[1].error.as_ref().unwrap().message;
        assert!(error.starts_with("it may have been undone"), "{error}");
        assert_eq!(line(&next.rollback().await), UNSURE);
        assert_eq!(world.sent(), ["confluence", "jira"]);
    }
}

#[tokio::test]
async fn a_refused_call_that_may_have_been_sent_keeps_its_key() {
    let (backend, world) =
        (Backend::Memory(std::sync::Arc::new(SqlTransactionStore::in_memory())), World::default());
    let first = Process::over(backend.open().await, &world);
    saga(&first).await;
    backend.leave(STATES[2].change).await;
    // As refused by a gate.
    world.0.lock().failing.insert("confluence".into());
    let report = Process::over(backend.open().await, &world).start(&world).over_at_last().await;
    assert_eq!(line(&report), UNSURE);
    let error = report.steps[1].error.as_ref().map(|error| error.message.as_str());
    assert_eq!(error, Some("it may have been undone before: the API is down"));
    world.0.lock().failing.clear();
    let next = Process::over(backend.open().await, &world).start_layered(IdempotencySettings::default());
    assert_eq!(line(&next.rollback().await), UNSURE);
    assert_eq!((world.sent().len(), backend.stored().await.steps[1].is_uncertain), (0, true));
}

#[tokio::test(start_paused = true)]
async fn an_unsent_compensation_may_be_sent_later() {
    let world = World::default();
    world.0.lock().unsent = 4;
    let backend = Backend::Memory(std::sync::Arc::new(SqlTransactionStore::in_memory()));
    let process = Process::over(backend.open().await, &world).start_layered(IdempotencySettings::default());
    saga(&process).await;
    assert_eq!(line(&process.rollback().await), UNSURE);
    assert!(!backend.stored().await.steps[1].is_sent);
    assert_eq!(line(&process.rollback().await), DONE);
}

#[tokio::test]
async fn a_step_of_a_dead_process_is_unknown_to_every_reader() {
    for backend in Backend::each().await {
        let world = World::default();
        let process = Process::over(backend.open().await, &world);
        saga(&process).await;
        let runs = |of: &mut Transaction| {
            of.steps[2].state = StepState::Running;
            (of.steps[2].owner, of.steps[2].error) = (GONE.to_owned(), None);
        };
        let unknown = "jira ok, confluence ok, slack unknown";
        backend.leave(runs).await;
        assert_eq!(line(&process.status().await), format!("active: {unknown}"));
        // A commit is not delayed.
        backend.leave(runs).await;
        let params = TransactionParams { transaction_id: "tx-1".into() };
        let report = process.transactions.commit(&ann(), params).await.unwrap();
        assert_eq!(line(&report), format!("committed: {unknown}"));
        // The watch checks by itself.
        backend
            .leave(move |of| {
                runs(of);
                of.state = TransactionState::Active;
            })
            .await;
        let _process = process.start(&world);
        let ended = |state: &StepState| *state != StepState::Running;
        until_some(async || Some(backend.stored().await.steps[2].state).filter(ended)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_requested_rollback_resumes_that_of_a_dead_process() {
    for backend in Backend::both() {
        let world = World::default();
        // No watch is faster than the request.
        let settings = TransactionSettings { look: Duration::from_secs(3600), ..settings() };
        let process = Process::with(backend.open().await, settings, &world).start(&world);
        saga(&process).await;
        // The watch makes its first check.
        tokio::time::sleep(Duration::from_millis(20)).await;
        backend.leave(|of| of.state = TransactionState::RollingBack).await;
        assert_eq!(line(&process.rollback().await), DONE);
    }
}

#[tokio::test]
async fn the_watch_reads_only_due_entries() {
    for backend in Backend::each().await {
        let world = World::default();
        let process = Process::over(backend.open().await, &world);
        process.begin_with(Some(60)).await.unwrap();
        process.step("jira", "make").await;
        let active_at = Timestamp::from_microsecond(backend.stored().await.active_at).unwrap();
        let due = async |after: i64| {
            let now = active_at + SignedDuration::from_secs(after);
            backend.open().await.due(now).await.unwrap().len()
        };
        assert_eq!((due(0).await, due(59).await, due(61).await), (0, 0, 1), "its time is over");
        backend.leave(|of| of.steps[0].state = StepState::Running).await;
        assert_eq!(due(0).await, 1, "its step may run in a process that is gone");
        backend
            .leave(|of| {
                of.steps[0].state = StepState::Ok;
                of.state = TransactionState::RollingBack;
            })
            .await;
        assert_eq!(due(0).await, 1, "it is rolled back");
        backend.leave(|of| of.state = TransactionState::RolledBack).await;
        assert_eq!(due(61).await, 0, "it is over");
    }
}
