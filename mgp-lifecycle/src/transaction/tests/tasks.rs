//! Tests of steps that continue as tasks.

use super::support::*;
use crate::transaction::SqlTransactionStore;
use crate::transaction::{StepTask, TaskFollower};
use async_trait::async_trait;
use mgp_transport::seam::Reply;
use mgp_types::{
    context::Principal,
    json::RawJson,
    rpc::ErrorObject,
    transaction::{StepState, TransactionParams, TransactionReport, TransactionState},
};
use parking_lot::Mutex;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use tokio::sync::Notify;
use xtask_testing::{until_some, within};

/// The end of a task.
#[derive(Debug, Clone)]
enum End {
    Answer(Reply),
    Lost,
}

/// A server's task, which the test ends.
#[derive(Debug, Default)]
struct Task {
    asked: Mutex<Vec<String>>,
    end: Mutex<Option<End>>,
    ended: Notify,
    /// True once the end was reported to the caller.
    is_told: AtomicBool,
}

impl Task {
    fn ends(&self, end: End) {
        *self.end.lock() = Some(end);
        self.ended.notify_one();
    }
}

#[async_trait]
impl TaskFollower for Task {
    async fn end(&self, task: StepTask) -> Result<Reply, String> {
        self.asked.lock().push(format!("{} of {}", task.id, task.caller.id()));
        self.ended.notified().await;
        match self.end.lock().clone().unwrap() {
            End::Answer(reply) => Ok(reply),
            End::Lost => Err("its server has forgotten the task".to_owned()),
        }
    }

    fn has_ended(&self, caller: &Principal, id: &str) -> bool {
        assert_eq!((id, caller.id()), ("t-1", "ann"));
        self.is_told.load(Ordering::Relaxed)
    }
}

fn made() -> End {
    let text = r#"{"content":[],"_meta":{"compensation":{"tool":"remove","arguments":{"id":"jira"}}}}"#;
    End::Answer(Reply::ok(RawJson::parse(text).unwrap()))
}

/// Begins a transaction with a step that continues as a task.
async fn begin(backend: &Backend, tool: &str) -> (World, Process, Arc<Task>) {
    let (world, task) = (World::default(), Arc::new(Task::default()));
    world.0.lock().there.insert(r#"{"id":"jira"}"#.to_owned());
    let process = Process::over(backend.open().await, &world).start(&world);
    process.transactions.followed_by(task.clone());
    process.begin().await;
    let reply = process.step("jira", tool).await;
    assert!(reply.result().unwrap().as_str().contains("tx-1"), "{reply:?}");
    (world, process, task)
}

async fn until_settled(process: &Process) -> TransactionReport {
    let settled = |report: &TransactionReport| report.steps[0].status != StepState::Running;
    until_some(async || Some(process.status().await).filter(settled)).await
}

#[tokio::test]
async fn a_step_runs_as_long_as_its_task() {
    for (tool, end, expected, error) in [
        ("task", made(), StepState::Ok, None),
        ("other_task", made(), StepState::Ok, None),
        (
            "task",
            End::Answer(Reply::ok(RawJson::parse(r#"{"content":[],"isError":true}"#).unwrap())),
            StepState::Failed,
            Some("its tool answered with an error"),
        ),
        (
            "task",
            End::Answer(Reply::error(ErrorObject::new(-7_i64, "out of order"))),
            StepState::Failed,
            Some("out of order"),
        ),
        ("task", End::Lost, StepState::Unknown, Some("its server has forgotten the task")),
    ] {
        for backend in Backend::each().await {
            let (_world, process, task) = begin(&backend, tool).await;
            let report = process.status().await;
            assert_eq!(line(&report), "active: jira running");
            assert_eq!(report.steps[0].task_id.as_deref(), Some("t-1"));
            assert!(report.explanation.contains("still run as tasks: step-1"), "{}", report.explanation);
            let params = || TransactionParams { transaction_id: "tx-1".to_owned() };
            let refused = process.transactions.commit(&ann(), params()).await.unwrap_err();
            assert!(refused.message.contains("as the task \"t-1\""), "{refused}");
            let foretold = process.transactions.foresee_commit(&ann(), "tx-1").await.unwrap_err();
            assert_eq!(foretold, refused);

            task.ends(end.clone());
            let report = until_settled(&process).await;
            let step = &report.steps[0];
            assert_eq!(
                (step.status, &step.task_id, *task.asked.lock() == ["t-1 of ann"]),
                (expected, &None, true)
            );
            assert_eq!(step.compensation.is_some(), expected == StepState::Ok);
            let told = step.error.as_ref().map_or("", |error| error.message.as_str());
            assert!(told.contains(error.unwrap_or_default()), "{told}");
            process.transactions.commit(&ann(), params()).await.unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_commit_waits_for_a_step_whose_task_has_ended() {
    for backend in Backend::both() {
        let (_world, process, task) = begin(&backend, "task").await;
        task.is_told.store(true, Ordering::Relaxed);
        let params = TransactionParams { transaction_id: "tx-1".to_owned() };
        let (caller, transactions) = (ann(), &process.transactions);
        transactions.foresee_commit(&caller, "tx-1").await.unwrap();
        let commit = transactions.commit(&caller, params);
        tokio::pin!(commit);
        tokio::select! {
            ended = &mut commit => panic!("it did not wait: {ended:?}"),
            () = tokio::time::sleep(std::time::Duration::from_millis(50)) => {}
        }
        task.ends(made());
        assert_eq!(line(&within(commit).await.unwrap()), "committed: jira ok");
    }
}

#[tokio::test(start_paused = true)]
async fn a_commit_does_not_wait_for_ever_for_an_ended_task() {
    let (_world, process, task) =
        begin(&Backend::Memory(Arc::new(SqlTransactionStore::in_memory())), "task").await;
    task.is_told.store(true, Ordering::Relaxed);
    let params = TransactionParams { transaction_id: "tx-1".to_owned() };
    let refused = process.transactions.commit(&ann(), params).await.unwrap_err();
    assert!(refused.message.contains("as the task \"t-1\""), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a_rollback_waits_for_a_step_s_task_and_undoes_it() {
    for backend in Backend::both() {
        let (world, process, task) = begin(&backend, "task").await;
        let rollback = process.rollback();
        tokio::pin!(rollback);
        let under_way = async {
            let is_under_way = |state: &TransactionState| *state == TransactionState::RollingBack;
            until_some(async || Some(process.status().await.status).filter(is_under_way)).await;
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        };
        tokio::select! {
            report = &mut rollback => panic!("it did not wait: {report:?}"),
            () = under_way => {}
        }
        assert_eq!(line(&process.status().await), "rolling_back: jira running");
        task.ends(made());
        assert_eq!(line(&rollback.await), "rolled_back: jira compensated");
        assert_eq!(world.removed(), ["jira remove"]);
    }
}

#[tokio::test]
async fn a_task_of_a_dead_process_leaves_an_unknown_step() {
    for backend in Backend::each().await {
        let (_world, process, _task) = begin(&backend, "task").await;
        backend.leave(|of| GONE.clone_into(&mut of.steps[0].owner)).await;
        let report = until_settled(&process).await;
        assert_eq!((report.status, report.steps[0].status), (TransactionState::Active, StepState::Unknown));
        assert_eq!(report.steps[0].task_id, None);
    }
}
