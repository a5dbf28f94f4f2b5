//! Steps that their servers continue as tasks after the answer.

use super::{
    Step, TransactionKey, TransactionLayer,
    engine::Inner,
    gone,
    open_step::OpenStep,
    step_end::{CallFacts, StepEnd},
};
use async_trait::async_trait;
use mgp_transport::seam::{CallRecord, Reply};
use mgp_types::{
    context::Principal,
    json::RawObject,
    mcp::ResultType,
    rpc::{ErrorObject, RawResult},
    transaction::{StepState, TransactionState},
};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

/// The task with which a server answered a step.
#[derive(Debug, Clone)]
pub struct StepTask {
    /// The caller of the step.
    pub caller: Principal,
    /// The id of the task, as the caller knows it.
    pub id: String,
}

/// A follower of the tasks with which servers answer steps.
#[async_trait]
pub trait TaskFollower: Send + Sync + 'static {
    /// Waits for the end of a task, and returns its final answer: the tool's result, or the error of the call.
    ///
    /// # Errors
    /// The reason that the answer will never be known.
    async fn end(&self, task: StepTask) -> Result<Reply, String>;

    /// Returns whether the end of a step's task was reported to the caller. A commit waits briefly for the end of such a step.
    fn has_ended(&self, caller: &Principal, id: &str) -> bool;
}

/// The longest time that a commit waits for steps whose tasks have ended, and the interval between checks.
const END_WAIT: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(10);

/// Waits for the ends of steps whose tasks have ended, because a caller that knows of the end may commit at once.
///
/// # Errors
/// 4004 for an unknown transaction; 3001 if it cannot be read or stored.
pub(super) async fn settle_ended(
    inner: &Inner,
    key: &TransactionKey,
    caller: &Principal,
) -> Result<(), ErrorObject> {
    let until = Instant::now() + END_WAIT;
    loop {
        let of = gone::settled(inner, key).await?;
        let is_awaited = of.steps.iter().any(|step| ends(inner, step, caller));
        if of.state != TransactionState::Active || !is_awaited || Instant::now() >= until {
            return Ok(());
        }
        sleep(LOOK).await;
    }
}

/// Returns whether a running step is about to end, because its task has ended.
pub(super) fn ends(inner: &Inner, step: &Step, caller: &Principal) -> bool {
    let task = step.task.as_deref().zip(inner.follower.get());
    task.is_some_and(|(id, follower)| follower.has_ended(caller, id))
}

/// A step whose call was answered with a task.
pub(super) struct FollowedStep {
    pub(super) open: OpenStep,
    pub(super) task: StepTask,
    pub(super) facts: CallFacts,
    pub(super) record: CallRecord,
}

impl FollowedStep {
    /// Stores that the step runs as a task, and later the end of the task. Without a follower of tasks, the step is unknown.
    pub(super) async fn begin(self, layer: &TransactionLayer) {
        let Self { open, task, facts, record } = self;
        let Some(follower) = layer.transactions.0.follower.get().cloned() else {
            let reason = "it was answered with a task, whose end is not waited for";
            return open.close(StepEnd::failed(StepState::Unknown, reason)).await;
        };
        open.note_task(task.id.clone()).await;
        tokio::spawn(follow(follower, Self { open, task, facts, record }));
    }
}

async fn follow(follower: Arc<dyn TaskFollower>, step: FollowedStep) {
    let FollowedStep { open, task, facts, record } = step;
    let end = match follower.end(task).await {
        Ok(reply) => StepEnd::of(Some(&reply), &record, &facts),
        Err(reason) => {
            StepEnd::failed(StepState::Unknown, &format!("nobody knows whether it took effect: {reason}"))
        }
    };
    open.close(end).await;
}

/// Returns the id of the task that a call was answered with, in any form, or `None` if the answer is not a task.
pub(super) fn task_of(result: &RawResult) -> Option<String> {
    if ResultType::of(result) == ResultType::Task {
        return Some(RawObject::from_json(result).ok()?.text("taskId").unwrap_or_default());
    }
    if !result.may_hold("task") {
        return None;
    }
    RawObject::from_json(result).ok()?.object("task")?.text("taskId")
}
