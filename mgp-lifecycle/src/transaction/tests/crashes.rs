//! Tests of transactions whose process is gone in one of their states, on the file that the next process opens.

use super::support::*;
use crate::transaction::{
    CompensationCall, CompensationEnd, Compensator, RollbackAsker, SqlTransactionStore,
};
use async_trait::async_trait;
use mgp_transport::{
    connection::Connection,
    seam::{BoxError, Incoming, Reply, Session},
};
use mgp_types::transaction::{RollbackTransactionParams, StepState, TransactionState};
use parking_lot::Mutex;
use std::{sync::Arc, time::Duration};
use tokio::sync::Semaphore;
use xtask_testing::{until, until_some, within};

/// Makes a transaction of three steps, of which the third fails, and lets the process be gone.
async fn crashed(backend: &Backend, world: &World, crash: impl AsyncFnOnce(&Process)) {
    let process = Process::over(backend.open().await, world).start(world);
    process.begin().await;
    process.step("jira", "make").await;
    process.step("confluence", "make").await;
    process.step("slack", "post").await;
    crash(&process).await;
}

/// Returns the transaction as the next process leaves it.
async fn resumed(backend: &Backend, world: &World) -> String {
    let next = Process::over(backend.open().await, world).start(world);
    line(&next.over_at_last().await)
}

#[tokio::test]
async fn an_active_transaction_can_be_resumed() {
    for backend in Backend::shared().await {
        let world = World::default();
        crashed(&backend, &world, async |_| {}).await;
        let next = Process::over(backend.open().await, &world).start(&world);
        assert_eq!(line(&next.status().await), "active: jira ok, confluence ok, slack failed");
        next.step("slack", "make").await;
        assert_eq!(next.rollback().await.status, TransactionState::RolledBack);
        assert_eq!(world.removed(), ["slack remove", "confluence remove", "jira remove"]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_idle_transaction_is_left_to_its_running_process() {
    let world = World::default();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tx.sqlite3");
    // Not started, so it rolls nothing back itself.
    let owner = Process::on_disk(&path, &world);
    owner.begin_with(Some(60)).await.unwrap();
    owner.step("jira", "make").await;
    let other = Process::on_disk(&path, &world).start(&world);
    owner.age(61).await;
    // Its watch makes many checks.
    tokio::time::sleep(settings().look * 10).await;
    assert_eq!(line(&other.status().await), "active: jira ok");
    drop(owner);
    assert_eq!(line(&other.over_at_last().await), "rolled_back: jira compensated");
}

#[tokio::test]
async fn a_rollback_resumes_wherever_its_process_died() {
    for removals in 0..2 {
        for backend in Backend::shared().await {
            let world = World::default();
            crashed(&backend, &world, async |process| {
                world.0.lock().crash_after = Some(removals);
                // The process makes no more calls; only its stored state remains.
                let params = RollbackTransactionParams { transaction_id: "tx-1".into(), reason: None };
                let report = process.transactions.rollback(&ann(), params).await.unwrap();
                assert_eq!(report.status, TransactionState::RollingBack, "{removals}");
            })
            .await;
            world.0.lock().crash_after = None;
            let line = resumed(&backend, &world).await;
            assert_eq!(
                line, "rolled_back: jira compensated, confluence compensated, slack failed",
                "{removals}"
            );
            assert_eq!(world.removed(), ["confluence remove", "jira remove"]);
        }
    }
}

#[tokio::test]
async fn a_step_is_undone_once_even_if_its_process_died() {
    for backend in Backend::shared().await {
        let world = World::default();
        crashed(&backend, &world, async |process| {
            process.rollback().await;
        })
        .await;
        // As it is stored between the call and its end.
        let back = |of: &mut crate::transaction::Transaction| {
            of.state = TransactionState::RollingBack;
            of.steps[0].state = StepState::Compensating;
        };
        backend.leave(back).await;
        let line = resumed(&backend, &world).await;
        assert_eq!(line, "rolled_back: jira compensated, confluence compensated, slack failed");
        assert_eq!(world.removed(), ["confluence remove", "jira remove"], "nothing was removed twice");
    }
}

#[tokio::test]
async fn a_step_that_ran_when_its_process_died_is_unknown() {
    for backend in Backend::shared().await {
        let world = World::default();
        crashed(&backend, &world, async |process| {
            drop(tokio::spawn(process.starting("bank", "hang")));
            until_some(async || (process.status().await.steps.len() == 4).then_some(())).await;
        })
        .await;
        // The hanging call of this test's runtime keeps its store, so the mark of its process is removed by hand.
        backend.forget_processes().await;
        let next = Process::over(backend.open().await, &world).start(&world);
        let bank = &next.status().await.steps[3];
        assert_eq!(
            (bank.status, bank.error.as_ref().map(|error| error.message.as_str())),
            (StepState::Unknown, Some("its gateway ended while it ran"))
        );
        let line = line(&next.rollback().await);
        assert_eq!(
            line,
            "partially_rolled_back: jira compensated, confluence compensated, slack failed, bank unknown"
        );
    }
}

#[tokio::test]
async fn an_ended_transaction_stays_unchanged() {
    for backend in Backend::shared().await {
        let world = World::default();
        crashed(&backend, &world, async |process| {
            let params = mgp_types::transaction::TransactionParams { transaction_id: "tx-1".into() };
            process.transactions.commit(&ann(), params).await.unwrap();
        })
        .await;
        assert_eq!(resumed(&backend, &world).await, "committed: jira ok, confluence ok, slack failed");
        assert_eq!(world.there().len(), 2);
    }
}

/// A way to undo steps that waits for the test.
struct HeldWorld(World, Arc<Semaphore>);

#[async_trait]
impl Compensator for HeldWorld {
    async fn compensate(&self, call: CompensationCall) -> CompensationEnd {
        self.1.acquire().await.unwrap().forget();
        self.0.compensate(call).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_rollback_in_another_process_is_answered_at_its_end() {
    let (world, gate) = (World::default(), Arc::new(Semaphore::new(0)));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tx.sqlite3");
    let first = Process::on_disk(&path, &world);
    first.transactions.start(Arc::new(HeldWorld(world.clone(), gate.clone())));
    first.begin().await;
    first.step("jira", "make").await;
    let second = Process::on_disk(&path, &world).start(&world);
    let asks = |process: &Process| {
        let transactions = process.transactions.clone();
        let params = RollbackTransactionParams { transaction_id: "tx-1".into(), reason: None };
        tokio::spawn(async move { transactions.rollback(&ann(), params).await.unwrap() })
    };
    let made = asks(&first);
    let begun = |state: &StepState| *state == StepState::Compensating;
    until_some(async || Some(second.status().await.steps[0].status).filter(begun)).await;
    let mut waits = asks(&second);
    assert!(tokio::time::timeout(Duration::from_millis(200), &mut waits).await.is_err(), "it is not over");
    gate.add_permits(1);
    for report in [within(waits).await.unwrap(), within(made).await.unwrap()] {
        assert_eq!(line(&report), "rolled_back: jira compensated");
    }
    assert_eq!(world.removed(), ["jira remove"]);
}

/// A way to undo steps that notes the session of the host to ask, and waits for a permit.
struct AskingWorld(HeldWorld, Arc<Mutex<Vec<String>>>);

#[async_trait]
impl Compensator for AskingWorld {
    async fn compensate(&self, call: CompensationCall) -> CompensationEnd {
        let host = call.host.as_ref().map_or("nobody", |host| host.session().id());
        self.1.lock().push(format!("{}: {host}", call.server_id));
        self.0.compensate(call).await
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_host_to_ask_confirms_the_remaining_steps() {
    let (world, gate, asked) = (World::default(), Arc::new(Semaphore::new(0)), Arc::default());
    let process = Process::over(Arc::new(SqlTransactionStore::in_memory()), &world);
    let compensator = AskingWorld(HeldWorld(world.clone(), gate.clone()), Arc::clone(&asked));
    process.transactions.start(Arc::new(compensator));
    process.begin().await;
    process.step("jira", "make").await;
    process.step("confluence", "make").await;
    let hosts = ["first", "second"].map(|id| {
        let (here, there) = mgp_transport::memory::pair();
        let nothing = tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) });
        (Connection::builder(nothing).session(Session::new(id)).over(here.0, here.1), there)
    });
    let asks = |host: Option<usize>| {
        let transactions = process.transactions.clone();
        let params = RollbackTransactionParams { transaction_id: "tx-1".into(), reason: None };
        let asker = RollbackAsker { granted: None, host: host.map(|host| hosts[host].0.peer().clone()) };
        tokio::spawn(async move { transactions.rollback_for(&ann(), params, asker).await.unwrap() })
    };
    let asked_last = |id: &str| {
        let rolling = process.transactions.0.rolling.lock();
        rolling.values().flatten().any(|host| host.session().id() == id)
    };
    let mut askers = vec![asks(None)];
    until(|| asked.lock().len() == 1).await;
    for (host, id) in [(0, "first"), (1, "second")] {
        askers.push(asks(Some(host)));
        until(|| asked_last(id)).await;
    }
    // Every waiting host checks the rollback meanwhile.
    tokio::time::sleep(Duration::from_secs(1)).await;
    gate.add_permits(2);
    for asker in askers {
        let report = within(asker).await.unwrap();
        assert_eq!(line(&report), "rolled_back: jira compensated, confluence compensated");
    }
    assert_eq!(*asked.lock(), ["confluence: nobody", "jira: second"]);
}
